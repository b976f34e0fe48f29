#include "inlay/gp/posynomial.h"

#include <gtest/gtest.h>

namespace inlay::gp {
namespace {

const VariableId kX(0), kY(1), kZ(2);
const VariableNames kNames = {"x", "y", "z"};

TEST(Posynomial, MonomialsMultiply) {
  const Monomial a{2, {{kX, 1}, {kZ, 0.5}}}, b{3, {{kX, -1}, {kY, 2}}};
  EXPECT_EQ(a * b, (Monomial{6, {{kY, 2}, {kZ, 0.5}}}));
  EXPECT_EQ(Pow(b, 2), (Monomial{9, {{kX, -2}, {kY, 4}}}));
  EXPECT_EQ(Pow(b, 0), Monomial());
  EXPECT_DOUBLE_EQ(ValueOf(a * b, {7, 3, 4}), 6 * 9 * 2);
}

TEST(Posynomial, LikeTermsAreJoined) {
  const Signomial sum = Signomial(Variable(kX)) + Constant(1),
                  difference = Signomial(Variable(kX)) + Constant(-1);
  EXPECT_EQ(ToString(sum * difference, kNames), "x^2 - 1");
  EXPECT_EQ(ToString(sum + difference, kNames), "2*x");
  EXPECT_EQ(ToString(Signomial(Variable(kX)) + Signomial(Monomial{-1, {{kX, 1}}}), kNames), "0");
  EXPECT_TRUE(sum.is_posynomial());
  EXPECT_FALSE(difference.is_posynomial());
}

TEST(Posynomial, PrintsConstantsLast) {
  const Signomial sum = Signomial(Constant(-2.5)) + Signomial(Variable(kY)) +
                        Signomial(Monomial{-1, {{kX, 1}, {kY, 0.5}}});
  EXPECT_EQ(ToString(sum, kNames), "-x*y^0.5 + y - 2.5");
  EXPECT_DOUBLE_EQ(ValueOf(sum, {3, 4, 0}), -3 * 2 + 4 - 2.5);
}

}  // namespace
}  // namespace inlay::gp
