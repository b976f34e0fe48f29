#include "inlay/base/big_uint.h"

#include <gtest/gtest.h>

#include <random>

namespace inlay {
namespace {

__extension__ using Wide = unsigned __int128;

BigUint Of(Wide value) {
  return BigUint::FromHalves(static_cast<uint64_t>(value >> 64), static_cast<uint64_t>(value));
}

TEST(BigUintTest, AgreesWith128Bits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Wide a = random() >> (random() % 64);
    const Wide b = random() >> (random() % 64);
    BigUint product = Of(a);
    product *= Of(b);
    EXPECT_EQ(product, Of(a * b));
    BigUint sum = product;
    sum += Of(a);
    EXPECT_EQ(sum, Of(a * b + a));
    sum -= Of(a);
    EXPECT_EQ(sum, product);
    if (b == 0) continue;
    const BigDivision division = Divide(Of(a * b + b / 2), Of(b));
    EXPECT_EQ(division.quotient, Of(a));
    EXPECT_EQ(division.rest, Of(b / 2));
  }
}

TEST(BigUintTest, Factorials) {
  BigUint factorial(1);
  for (uint64_t i = 2; i <= 30; ++i) factorial *= BigUint(i);
  EXPECT_EQ(factorial.ToString(), "265252859812191058636308480000000");
  EXPECT_NEAR(factorial.ToDouble() / 2.6525285981219107e32, 1, 1e-15);
  for (uint64_t i = 31; i <= 98; ++i) factorial *= BigUint(i);
  EXPECT_FALSE(factorial.too_large());  // 98! < 2^512 < 99!
  BigUint half = Divide(factorial, BigUint(98)).quotient;
  EXPECT_EQ(GreatestCommonDivisor(half, factorial), half);
  factorial *= BigUint(99);
  EXPECT_TRUE(factorial.too_large());
  half += factorial;
  EXPECT_TRUE(half.too_large());
  EXPECT_EQ(half.ToString(), "too large");
}

TEST(BigUintTest, SmallOnes) {
  EXPECT_EQ(BigUint().ToString(), "0");
  EXPECT_EQ(BigUint(10).ToString(), "10");
  EXPECT_EQ(GreatestCommonDivisor(BigUint(12), BigUint(18)), BigUint(6));
  EXPECT_EQ(GreatestCommonDivisor(BigUint(0), BigUint(18)), BigUint(18));
  BigUint ones(~uint64_t{0});
  ones += BigUint(1);
  EXPECT_EQ(ones.ToString(), "18446744073709551616");
}

}  // namespace
}  // namespace inlay
