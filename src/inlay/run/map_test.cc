#include "inlay/run/map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/base/mention.h"

namespace inlay::run {
namespace {

using ::testing::HasSubstr;

OptionValues Given(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<Option> options = OptionsOf<MapRequest>();
  for (Option& option : OptionsOf<CommonRequest>()) options.push_back(std::move(option));
  OptionValues values(std::move(options));
  for (const auto& [key, text] : settings) EXPECT_TRUE(values.Set(key, text)) << key;
  return values;
}

MapRequest Asked(const std::vector<std::pair<std::string, std::string>>& settings) {
  return RequestFrom<MapRequest>(Given(settings));
}

MapOptions OptionsFor(const MapRequest& request) { return TaskOf(request, {}).options; }

std::string FirstError(const std::vector<std::pair<std::string, std::string>>& settings) {
  const Diagnostics errors = Check(Asked(settings));
  return errors.empty() ? "none" : Spell(errors.front().message, kSettingSpelling);
}

TEST(MapRequestTest, WhatIsSetArrives) {
  const MapRequest request = Asked({{"objective", "delay,energy"},
                                    {"strategy", "random"},
                                    {"semantics", "thistle"},
                                    {"accounting", "literal"},
                                    {"victory_condition", "7"},
                                    {"timeout", "8"},
                                    {"search_size", "9"},
                                    {"time_limit", "1500ms"},
                                    {"threads", "3"},
                                    {"seed", "-5"}});
  EXPECT_TRUE(Check(request).empty());
  const MapOptions options = OptionsFor(request);
  EXPECT_EQ(options.objective, (Objective{Metric::kDelay, Metric::kEnergy}));
  EXPECT_EQ(options.strategy, Strategy::kRandom);
  EXPECT_EQ(options.semantics, Semantics::kThistle);
  EXPECT_EQ(options.accounting, Accounting::kLiteral);
  EXPECT_EQ(options.random.victory_condition, 7);
  EXPECT_EQ(options.random.timeout, 8);
  EXPECT_EQ(options.random.search_size, 9);
  EXPECT_EQ(options.time_limit_seconds, 1.5);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.seed, static_cast<uint64_t>(-5));
}

TEST(MapRequestTest, WithoutOptionsItIsTheDefault) {
  const MapRequest request = Asked({});
  const MapRequest defaults;
  EXPECT_EQ(request.options.objective, defaults.options.objective);
  EXPECT_EQ(request.options.strategy, defaults.options.strategy);
  EXPECT_EQ(request.options.random.timeout, defaults.options.random.timeout);
  EXPECT_EQ(request.options.dnnopt.dataflow, defaults.options.dnnopt.dataflow);
  EXPECT_EQ(request.mapspace, Mapspace::kRubyS);
  EXPECT_FALSE(OptionsFor(request).time_limit_seconds.has_value());
  EXPECT_FALSE(OptionsFor(request).front.has_value());
  EXPECT_GE(OptionsFor(request).threads, 1);
}

TEST(MapRequestTest, SwitchesOfDnnoptAreForDnnopt) {
  for (const auto& [option, text] : {std::pair("exit", "literal"), std::pair("stride", "one"),
                                     std::pair("optimize", "order"), std::pair("dataflow", "ws")}) {
    EXPECT_THAT(FirstError({{"strategy", "random"}, {option, text}}),
                HasSubstr("is for the strategy 'dnnopt'"));
  }
}

TEST(MapRequestTest, OptionsOfOtherStrategiesAreRefusedAllAtOnce) {
  EXPECT_EQ(
      Check(Asked({{"victory_condition", "7"}, {"exit", "none"}, {"onchip", "Inputs"}})).size(),
      3U);
}

TEST(MapRequestTest, ResultsSayWhatHadAnEffect) {
  const auto keys = [](const MapRequest& request) {
    std::vector<std::string> names;
    for (const auto& [key, value] : RecordedOptions(request)) names.push_back(key);
    return names;
  };
  EXPECT_EQ(keys(Asked({})), (std::vector<std::string>{"objective", "of", "mapspace", "strategy",
                                                       "semantics", "seed"}));
  EXPECT_EQ(
      keys(Asked({{"strategy", "random"}, {"semantics", "thistle"}})),
      (std::vector<std::string>{"objective", "mapspace", "strategy", "semantics", "accounting",
                                "victory_condition", "timeout", "search_size", "seed"}));
  EXPECT_EQ(keys(Asked({{"strategy", "dnnopt"}})),
            (std::vector<std::string>{"objective", "strategy", "semantics", "exit", "stride",
                                      "optimize", "dataflow", "seed"}));
  EXPECT_EQ(RecordedOptions(Asked({{"strategy", "dnnopt"}})).front().second,
            OptionValue(std::vector<std::string>{"offchip"}));
}

TEST(MapRequestTest, DnnoptRefusesWhatHasNoEffectOnIt) {
  EXPECT_THAT(FirstError({{"strategy", "dnnopt"}, {"objective", "energy"}}),
              HasSubstr("objective: the strategy 'dnnopt'"));
  EXPECT_THAT(FirstError({{"strategy", "dnnopt"}, {"objective", "offchip,energy"}}),
              HasSubstr("objective: the strategy 'dnnopt'"));
  EXPECT_THAT(FirstError({{"strategy", "dnnopt"}, {"mapspace", "ruby-s"}}),
              HasSubstr("mapspace: the strategy 'dnnopt'"));
  const MapRequest request = Asked({{"strategy", "dnnopt"}, {"objective", "offchip"}});
  EXPECT_TRUE(Check(request).empty());
  EXPECT_EQ(OptionsFor(request).objective, Objective{Metric::kOffchip});
  EXPECT_EQ(OptionsFor(Asked({{"strategy", "dnnopt"}})).objective, Objective{Metric::kOffchip});
}

TEST(MapRequestTest, WhatContradictsIsRefused) {
  EXPECT_THAT(FirstError({{"nearest", "3"}}), HasSubstr("for the strategy 'gp'"));
  EXPECT_THAT(FirstError({{"accounting", "literal"}}), HasSubstr("thistle"));
  EXPECT_THAT(FirstError({{"front", "footprint"}}), HasSubstr("all three"));
  EXPECT_THAT(FirstError({{"front", "footprint,offchip,cycles"}, {"objective", "delay"}}),
              HasSubstr("objective: a front"));
  EXPECT_THAT(FirstError({{"strategy", "random"}, {"front", "footprint,offchip,cycles"}}),
              HasSubstr("not a front"));
}

}  // namespace
}  // namespace inlay::run
