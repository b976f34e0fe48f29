#include "inlay/io/native/relation.h"

#include <gtest/gtest.h>

#include <regex>

namespace inlay::io {
namespace {

TEST(RelationTest, Factors) {
  const struct {
    const char* text;
    Relation relation;
    int64_t value;
  } cases[] = {{"1", Relation::kEqual, 1},
               {"= 4", Relation::kEqual, 4},
               {"<= 16", Relation::kAtMost, 16},
               {">=2", Relation::kAtLeast, 2},
               {"all", Relation::kEqual, FactorBound::kWhole},
               {"= all", Relation::kEqual, FactorBound::kWhole},
               {"4 if it fits", Relation::kEqual, 4}};
  for (const auto& good : cases) {
    const auto factor = ParseFactor(good.text);
    ASSERT_TRUE(factor) << good.text;
    EXPECT_EQ(factor->relation, good.relation) << good.text;
    EXPECT_EQ(factor->value, good.value) << good.text;
    EXPECT_TRUE(std::regex_search(good.text, std::regex(FactorPattern()))) << good.text;
    const auto again = ParseFactor(FactorText(*factor));
    EXPECT_EQ(*again, *factor);
    EXPECT_EQ(factor->if_fits, std::string_view(good.text).ends_with("fits")) << good.text;
  }
  for (const char* text : {"", "<", "< 4", "0", "<= 0", "4 5", "x", "-1", "<= all",
                           "<= 4 if it fits", "4 if", "all 4"}) {
    const auto factor = ParseFactor(text);
    ASSERT_FALSE(factor) << text;
    EXPECT_EQ(factor.error().hint, "write '4', '<= 16', '>= 2', 'all' or '4 if it fits'") << text;
  }
}

TEST(RelationTest, Utilization) {
  EXPECT_EQ(ParseUtilization(">= 0.5").value(), 0.5);
  EXPECT_EQ(ParseUtilization(UtilizationText(0.1)).value(), 0.1);
  EXPECT_TRUE(std::regex_search(UtilizationText(0.1), std::regex(UtilizationPattern())));
  EXPECT_EQ(ParseUtilization("0.5").error().message, "a utilization starts with '>='");
  EXPECT_EQ(ParseUtilization(">= 1.5").error().message, "a utilization is at most 1");
  EXPECT_EQ(ParseUtilization(">= 1.5").error().offset, 3U);
  EXPECT_EQ(ParseUtilization(">= 0.5 x").error().message, "unexpected text after the utilization");
  EXPECT_EQ(ParseUtilization(">= nan").error().message, "a utilization must be a finite number");
}

}  // namespace
}  // namespace inlay::io
