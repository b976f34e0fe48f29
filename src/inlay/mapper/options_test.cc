#include "inlay/mapper/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::HasSubstr;

OptionValues Given(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<Option> records = MapOptionRecords();
  records.push_back({.name = "time-limit", .type = OptionType::kDuration});
  records.push_back({.name = "threads", .type = OptionType::kInteger});
  records.push_back({.name = "seed", .type = OptionType::kInteger});
  OptionValues values(records);
  for (const auto& [name, text] : settings) EXPECT_TRUE(values.Set(name, text)) << name;
  return values;
}

std::string FirstError(const std::vector<std::pair<std::string, std::string>>& settings) {
  const auto options = MapOptionsFrom(Given(settings));
  return options ? "none" : options.error().front().message;
}

TEST(MapOptionsTest, WhatIsSetArrives) {
  const auto options = MapOptionsFrom(Given({{"objective", "delay,energy"},
                                             {"strategy", "random"},
                                             {"semantics", "thistle"},
                                             {"accounting", "literal"},
                                             {"victory-condition", "7"},
                                             {"timeout", "8"},
                                             {"search-size", "9"},
                                             {"time-limit", "1500ms"},
                                             {"threads", "3"},
                                             {"seed", "-5"}}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->objective, (Objective{Metric::kDelay, Metric::kEnergy}));
  EXPECT_EQ(options->strategy, Strategy::kRandom);
  EXPECT_EQ(options->semantics, Semantics::kThistle);
  EXPECT_EQ(options->accounting, Accounting::kLiteral);
  EXPECT_EQ(options->random.victory_condition, 7);
  EXPECT_EQ(options->random.timeout, 8);
  EXPECT_EQ(options->random.search_size, 9);
  EXPECT_EQ(options->time_limit_seconds, 1.5);
  EXPECT_EQ(options->threads, 3);
  EXPECT_EQ(options->seed, static_cast<uint64_t>(-5));
}

// The records state what the structs default to.
TEST(MapOptionsTest, DefaultsAgree) {
  const auto options = MapOptionsFrom(Given({{"strategy", "random"}}));
  ASSERT_TRUE(options.has_value());
  const MapOptions defaults;
  EXPECT_EQ(options->objective, defaults.objective);
  EXPECT_EQ(options->semantics, defaults.semantics);
  EXPECT_EQ(options->accounting, defaults.accounting);
  EXPECT_EQ(options->random.victory_condition, defaults.random.victory_condition);
  EXPECT_EQ(options->random.timeout, defaults.random.timeout);
  EXPECT_EQ(options->random.search_size, defaults.random.search_size);
  EXPECT_EQ(options->dnnopt.exit, defaults.dnnopt.exit);
  EXPECT_EQ(options->dnnopt.stride, defaults.dnnopt.stride);
  EXPECT_EQ(options->dnnopt.optimize, defaults.dnnopt.optimize);
  EXPECT_EQ(options->dnnopt.dataflow, defaults.dnnopt.dataflow);
  EXPECT_FALSE(options->time_limit_seconds.has_value());
  EXPECT_FALSE(options->front.has_value());
  EXPECT_GE(options->threads, 1);
  EXPECT_EQ(MapspaceFrom(Given({})), Mapspace::kRubyS);
  EXPECT_EQ(Given({}).Text("strategy"), Name(defaults.strategy));
}

TEST(MapOptionsTest, SwitchesOfDnnoptAreForDnnopt) {
  for (const auto& [option, text] : {std::pair("exit", "literal"), std::pair("stride", "one"),
                                     std::pair("optimize", "order"), std::pair("dataflow", "ws")}) {
    EXPECT_THAT(FirstError({{"strategy", "random"}, {option, text}}),
                HasSubstr("is for the strategy 'dnnopt'"));
  }
}

TEST(MapOptionsTest, OptionsOfOtherStrategiesAreRefusedAllAtOnce) {
  const auto options =
      MapOptionsFrom(Given({{"victory-condition", "7"}, {"exit", "none"}, {"onchip", "Inputs"}}));
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().size(), 3U);
}

TEST(MapOptionsTest, ResultsTellWhatWasHeeded) {
  const auto keys = [](const OptionValues& values) {
    std::vector<std::string> names;
    for (const auto& [key, value] : HeededOptions(values)) names.push_back(key);
    return names;
  };
  EXPECT_EQ(keys(Given({})),
            (std::vector<std::string>{"objective", "of", "mapspace", "strategy", "semantics"}));
  EXPECT_EQ(
      keys(Given({{"strategy", "random"}, {"semantics", "thistle"}})),
      (std::vector<std::string>{"objective", "mapspace", "strategy", "semantics", "accounting",
                                "victory_condition", "timeout", "search_size"}));
  EXPECT_EQ(keys(Given({{"strategy", "dnnopt"}})),
            (std::vector<std::string>{"objective", "strategy", "semantics", "exit", "stride",
                                      "optimize", "dataflow"}));
  EXPECT_EQ(HeededOptions(Given({{"strategy", "dnnopt"}})).front().second,
            OptionValue(std::vector<std::string>{"offchip"}));
}

TEST(MapOptionsTest, DnnoptRefusesWhatItWouldNotHeed) {
  EXPECT_THAT(FirstError({{"strategy", "dnnopt"}, {"objective", "energy"}}),
              HasSubstr("--objective: the strategy 'dnnopt'"));
  EXPECT_THAT(FirstError({{"strategy", "dnnopt"}, {"objective", "offchip,energy"}}),
              HasSubstr("--objective: the strategy 'dnnopt'"));
  EXPECT_THAT(FirstError({{"strategy", "dnnopt"}, {"mapspace", "ruby-s"}}),
              HasSubstr("--mapspace: the strategy 'dnnopt'"));
  const auto options = MapOptionsFrom(Given({{"strategy", "dnnopt"}, {"objective", "offchip"}}));
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->objective, Objective{Metric::kOffchip});
  EXPECT_EQ(MapOptionsFrom(Given({{"strategy", "dnnopt"}}))->objective,
            Objective{Metric::kOffchip});
}

TEST(MapOptionsTest, WhatContradictsIsRefused) {
  EXPECT_THAT(FirstError({{"nearest", "3"}}), HasSubstr("for the strategy 'gp'"));
  EXPECT_THAT(FirstError({{"accounting", "literal"}}), HasSubstr("thistle"));
  EXPECT_THAT(FirstError({{"front", "footprint"}}), HasSubstr("all three"));
  EXPECT_THAT(FirstError({{"front", "footprint,offchip,cycles"}, {"objective", "delay"}}),
              HasSubstr("--objective"));
  EXPECT_THAT(FirstError({{"strategy", "random"}, {"front", "footprint,offchip,cycles"}}),
              HasSubstr("not a front"));
}

}  // namespace
}  // namespace inlay
