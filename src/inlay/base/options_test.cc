#include "inlay/base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/base/check.h"

namespace inlay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Option kLimit{.key = "walk_limit",
                    .sentence = "how far to walk",
                    .type = OptionType::kInteger,
                    .value_name = "N",
                    .min = 1,
                    .max = 100,
                    .default_text = "10",
                    .in_result = true};
const Option kColours{.key = "colours",
                      .sentence = "which colours",
                      .type = OptionType::kChoices,
                      .choices = {"red", "green", "blue"},
                      .default_text = "red"};
const Option kShape{
    .key = "shape", .type = OptionType::kChoice, .choices = {"round", "square"}, .in_result = true};
const Option kQuiet{.key = "quiet", .type = OptionType::kFlag, .short_name = 'q'};

std::string ErrorOf(const Option& option, std::string_view text) {
  const auto value = ParseOption(option, text);
  return value ? "" : Format(value.error());
}

TEST(OptionValuesTest, SettingsAndTextsAddUp) {
  OptionValues values({{.key = "set", .type = OptionType::kSettings, .value_name = "NAME=VALUE"},
                       {.key = "arch", .type = OptionType::kTexts, .value_name = "ARCH..."}});
  EXPECT_TRUE(values.Set("set", "a=1").has_value());
  EXPECT_TRUE(values.Set("set", "b=x=y").has_value());
  EXPECT_FALSE(values.Set("set", "a=2").has_value());
  for (const char* wrong : {"a", "=1", ""}) EXPECT_FALSE(values.Set("set", wrong).has_value());
  for (const char* wrong : {"c=\xff", "c=a\x07", "c=a\nb", "c\x1b=1"}) {
    const auto refused = values.Set("set", wrong);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().front().message, HasSubstr("is not plain text"));
  }
  EXPECT_TRUE(values.Set("set", "d=größer").has_value());
  EXPECT_EQ(values.List("set"), (std::vector<std::string>{"a=1", "b=x=y", "d=größer"}));
  EXPECT_TRUE(values.Set("arch", "x").has_value());
  EXPECT_TRUE(values.Set("arch", "x").has_value());
  EXPECT_FALSE(values.Set("arch", "").has_value());
  EXPECT_EQ(values.List("arch"), (std::vector<std::string>{"x", "x"}));
}

TEST(Options, IntegersAreWholeAndInRange) {
  EXPECT_EQ(std::get<int64_t>(*ParseOption(kLimit, "100")), 100);
  for (const char* text : {"0", "101", "-1", "1.5", "1,5", "", "7x", "99999999999999999999"}) {
    EXPECT_THAT(ErrorOf(kLimit, text), HasSubstr("--walk-limit: '" + std::string(text) + "'"));
    EXPECT_THAT(ErrorOf(kLimit, text), HasSubstr("expected a whole number from 1 up to 100"));
  }
}

TEST(Options, NumbersAreOneOrOneForEachName) {
  const Option bits{.key = "bits",
                    .type = OptionType::kNumbers,
                    .value_name = "N|NAME=N,...",
                    .min = 1,
                    .max = 64};
  EXPECT_TRUE(ParseOption(bits, "8").has_value());
  EXPECT_TRUE(ParseOption(bits, "a=8,b=4").has_value());
  for (const char* wrong : {"weights", "4,8", ""}) {
    EXPECT_THAT(ErrorOf(bits, wrong),
                HasSubstr("from 1 up to 64, or NAME=N,... with such numbers"));
  }
}

TEST(Options, ChoicesSuggestTheNearest) {
  EXPECT_THAT(std::get<std::vector<std::string>>(*ParseOption(kColours, "blue,red")),
              ElementsAre("blue", "red"));
  EXPECT_THAT(ErrorOf(kShape, "sqare"), HasSubstr("did you mean 'square'?"));
  const std::string errors = ErrorOf(kColours, "gren,red,red,");
  EXPECT_THAT(errors, HasSubstr("did you mean 'green'?"));
  EXPECT_THAT(errors, HasSubstr("'red' is given twice"));
  EXPECT_THAT(errors, HasSubstr("unknown value ''"));
}

TEST(Options, UsageShowsWhatToWrite) {
  EXPECT_EQ(UsageOf(kLimit), "--walk-limit N");
  EXPECT_EQ(UsageOf(kColours), "--colours red|green|blue[,...]");
  EXPECT_EQ(UsageOf(kShape), "--shape round|square");
  EXPECT_EQ(UsageOf(kQuiet), "-q, --quiet");
}

TEST(Options, ATimeHasAUnit) {
  const Option limit = {.key = "time_limit", .type = OptionType::kDuration, .value_name = "TIME"};
  const auto milliseconds = [&](std::string_view text) -> int64_t {
    const auto value = ParseOption(limit, text);
    return value ? std::get<int64_t>(*value) : -1;
  };
  EXPECT_EQ(milliseconds("60s"), 60000);
  EXPECT_EQ(milliseconds("250ms"), 250);
  EXPECT_EQ(milliseconds("1.5min"), 90000);
  EXPECT_EQ(milliseconds("2h"), 7200000);
  EXPECT_EQ(milliseconds("0.0001ms"), 1);
  for (const char* none : {"0", "0s", "0min"}) EXPECT_EQ(milliseconds(none), 0) << none;
  for (const char* wrong :
       {"", "60", "s", "-1s", "1 s", "1d", "nans", "infs", "1e3s", "99999999999999h"}) {
    EXPECT_EQ(milliseconds(wrong), -1) << wrong;
  }
}

TEST(Options, AssignmentsAddUp) {
  OptionValues values({{.key = "dim", .type = OptionType::kAssignments, .value_name = "NAME=N"}});
  ASSERT_TRUE(values.Set("dim", "batch=8").has_value());
  ASSERT_TRUE(values.Set("dim", "bat=1").has_value());
  EXPECT_EQ(values.List("dim"), (std::vector<std::string>{"batch=8", "bat=1"}));
  for (const char* wrong : {"batch=9", "x", "x=", "=3", "x=0", "x=-1", "x=1.5", "x=1=2", ""}) {
    EXPECT_FALSE(values.Set("dim", wrong).has_value()) << wrong;
  }
}

TEST(Options, SetValuesWinOverDefaults) {
  OptionValues values({kLimit, kColours, kShape, kQuiet});
  EXPECT_EQ(values.Integer("walk_limit"), 10);
  EXPECT_FALSE(values.WasSet("walk_limit"));
  EXPECT_FALSE(values.Has("shape"));
  EXPECT_FALSE(values.Flag("quiet"));
  EXPECT_FALSE(values.Set("walk_limit", "no").has_value());
  ASSERT_TRUE(values.Set("walk_limit", "20").has_value());
  ASSERT_TRUE(values.Set("quiet", "").has_value());
  EXPECT_EQ(values.Integer("walk_limit"), 20);
  EXPECT_TRUE(values.Flag("quiet"));
  EXPECT_THROW(values.Flag("no-such-option"), InternalError);
}

TEST(Options, ResultsTellOnlyWhatCanChangeTheAnswer) {
  OptionValues values({kShape, kLimit, kColours, kQuiet});
  ASSERT_EQ(values.ForResult().size(), 1U);
  EXPECT_EQ(values.ForResult()[0].first, "walk_limit");
  ASSERT_TRUE(values.Set("shape", "round").has_value());
  ASSERT_EQ(values.ForResult().size(), 2U);
  EXPECT_EQ(values.ForResult()[0].first, "shape");
}

}  // namespace
}  // namespace inlay
