#include "inlay/base/prime_factors.h"

#include <gtest/gtest.h>

#include <limits>

namespace inlay {
namespace {

using Factors = std::vector<std::pair<int64_t, int>>;

Factors ByTrial(int64_t number) {
  Factors factors;
  for (int64_t d = 2; number > 1; ++d) {
    if (d > number / d) d = number;
    int times = 0;
    for (; number % d == 0; number /= d) ++times;
    if (times > 0) factors.emplace_back(d, times);
  }
  return factors;
}

TEST(PrimeFactorsTest, AreThoseOfTrialDivision) {
  for (int64_t number = 1; number <= 20000; ++number) {
    ASSERT_EQ(PrimeFactors(number), ByTrial(number)) << number;
  }
  for (int64_t number = 1000000 - 2000; number <= 1000000 + 2000; ++number) {
    ASSERT_EQ(PrimeFactors(number), ByTrial(number)) << number;
  }
}

TEST(PrimeFactorsTest, OfLargeNumbers) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(PrimeFactors(kMost),
            (Factors{{7, 2}, {73, 1}, {127, 1}, {337, 1}, {92737, 1}, {649657, 1}}));
  EXPECT_EQ(PrimeFactors(kMost - 24), (Factors{{kMost - 24, 1}}));  // the largest prime below 2^63
  EXPECT_EQ(PrimeFactors(3037000493LL * 3037000493LL), (Factors{{3037000493LL, 2}}));
  EXPECT_EQ(PrimeFactors(int64_t{1} << 62), (Factors{{2, 62}}));
  EXPECT_EQ(PrimeFactors(2147483647LL * 2147483629LL),
            (Factors{{2147483629LL, 1}, {2147483647LL, 1}}));
}

}  // namespace
}  // namespace inlay
