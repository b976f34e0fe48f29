// What the exact mapper has before its tables are built: a first answer, and the best of smaller
// mapspaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/io/library/library.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/first_mapping.h"
#include "inlay/mapper/exact/quick_answers.h"
#include "tests/property/mapper_case.h"
#include "tests/support/mapspace_name.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Describe;
using testing::Random;

class MapperFirstTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperFirstTest, ::testing::ValuesIn(testing::kMapspaces),
                         testing::MapspaceName);

// It belongs to the space, fits and costs what it says; in a small space there is one whenever
// there is any, but for one in a thousand at most, where a bounded search does not find it.
TEST_P(MapperFirstTest, IsAMappingOfTheSpace) {
  const int64_t cases = CaseCount(300, 10'000);
  Random random(static_cast<uint64_t>(GetParam()) + 71);
  const StopFlag stop;
  ExactSwitches without;
  without.dives = false;
  int64_t found = 0, missed = 0;
  for (int64_t i = 0; i < cases; ++i) {
    const Space space = RandomSpace(random, GetParam(), testing::RandomMapperLimits(random));
    const auto first = exact_search::FirstMapping(space, {Metric::kEnergy});
    if (!first) {
      const LayerAnswer answer = SearchExact(space, {}, Deadline(stop), {}, without);
      missed += answer.best ? 1 : 0;
      EXPECT_LE(missed * 1000, cases) << Describe(space);
      continue;
    }
    ++found;
    ASSERT_TRUE(CheckMembership(space, first->problem, first->mapping).empty()) << Describe(space);
    ASSERT_TRUE(Fits(space, first->problem, first->mapping)) << Describe(space);
    const auto cost = Evaluate(first->problem, space.architecture, first->mapping);
    ASSERT_TRUE(cost.has_value());
    ASSERT_EQ(cost->energy_pj, first->cost.energy_pj);
    ASSERT_EQ(cost->cycles, first->cost.cycles);
  }
  EXPECT_GT(found, cases / 10);
}

Architecture BuiltinArchitecture(const std::string& name) {
  return io::LoadBuiltin(io::BuiltinKind::kArchitecture, name).value().architecture.value();
}

// Stopped at once there is an answer, with a bound, in the largest space of any machine.
TEST(MapperFirstAnswerTest, IsThereWhenASearchIsStoppedAtOnce) {
  StopFlag stop;
  stop.Request();
  Architecture wide = BuiltinArchitecture("eyeriss-free");
  wide.levels[LevelId(1)].fanout.x = 1000;
  const std::vector<Architecture> architectures = {BuiltinArchitecture("eyeriss"), wide,
                                                   BuiltinArchitecture("simba")};
  const Problem problem = MakeConv("conv", {.k = 64, .c = 64, .p = 56, .q = 56, .r = 3, .s = 3});
  for (const Architecture& architecture : architectures) {
    for (const Mapspace mapspace : testing::kMapspaces) {
      SCOPED_TRACE(architecture.name + " " + Name(mapspace));
      const auto space = MakeSpace(problem, architecture, mapspace);
      ASSERT_TRUE(space.has_value());
      const LayerAnswer answer = MapLayer(*space, {}, stop);
      ASSERT_TRUE(answer.best.has_value());
      EXPECT_TRUE(answer.interrupted);
      EXPECT_GT(answer.certificate.lower_bound, 0);
      EXPECT_LE(answer.certificate.lower_bound, answer.certificate.objective);
    }
  }
}

// Whatever the strategy and the semantics.
TEST(MapperFirstAnswerTest, EveryStrategyHasOneWhenItIsStoppedAtOnce) {
  StopFlag stop;
  stop.Request();
  const Problem problem = MakeConv("conv", {.k = 64, .c = 64, .p = 56, .q = 56, .r = 3, .s = 3});
  const Space space =
      MakeSpace(problem, BuiltinArchitecture("thistle-eyeriss"), Mapspace::kPerfect).value();
  for (const Strategy strategy : {Strategy::kExact, Strategy::kRandom, Strategy::kGp}) {
    for (const Semantics semantics : {Semantics::kExact, Semantics::kThistle}) {
      SCOPED_TRACE(std::string(Name(strategy)) + " " + Name(semantics));
      MapOptions options;
      options.strategy = strategy;
      options.semantics = semantics;
      if (!CheckOptions(options).empty()) continue;
      const LayerAnswer answer = MapLayer(space, options, stop);
      EXPECT_TRUE(answer.interrupted);
      ASSERT_TRUE(answer.best.has_value());
      EXPECT_TRUE(Fits(space, problem, answer.best->mapping));
      EXPECT_EQ(answer.certificate.lower_bound > 0, strategy == Strategy::kExact);
    }
  }
}

// The first answers of a search, before any proof, are those of the smallest space that it holds.
TEST(MapperFirstAnswerTest, ALargerSpaceBeginsAsASmallerOne) {
  const Architecture architecture = BuiltinArchitecture("eyeriss");
  const Problem problem = MakeConv("3x3", {.k = 20, .c = 12, .p = 13, .q = 13, .r = 3, .s = 3});
  MapOptions options;
  options.time_limit_seconds = 1e6;
  std::optional<std::vector<double>> smaller;
  for (const Mapspace mapspace : {Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRuby}) {
    SCOPED_TRACE(Name(mapspace));
    const Space space = MakeSpace(problem, architecture, mapspace).value();
    std::vector<double> reported;
    MapLayer(space, options, StopFlag(), [&](const MapProgress& state) {
      if (!state.incumbent || (!reported.empty() && *state.incumbent >= reported.back())) return;
      reported.push_back(*state.incumbent);
    });
    // The mapping at once, and what the local search of `perfect` makes of it.
    ASSERT_GE(reported.size(), size_t{2});
    if (smaller) {
      EXPECT_TRUE(std::equal(reported.begin(), reported.begin() + 2, smaller->begin()));
      EXPECT_LE(reported.back(), smaller->back());
    }
    smaller = reported;
  }
}

// Matrix products whose tilings use every lane of a machine of five levels: what a short search
// finds uses them.
TEST(MapperFirstAnswerTest, UsesAllLanesAfterSomeThousandEvaluations) {
  const Architecture architecture = BuiltinArchitecture("simba");
  const StopFlag stop;
  const Deadline never(stop);
  for (const int64_t columns : {768, 2304, 3072}) {
    const Problem problem = MakeGemm("gemm", {.p = 1024, .k = columns, .c = 768});
    const Space space = MakeSpace(problem, architecture, Mapspace::kPerfect).value();
    exact_search::Incumbent incumbent({Metric::kEdp});
    const Objective objective = {Metric::kEdp};
    exact_search::QuickAnswers quick(space, objective, never, &incumbent);
    EXPECT_EQ(incumbent.best()->cost.compute_cycles, Operations(problem) / 256) << columns;
  }
}

// Spaces, each beside one that holds it.
constexpr std::array<std::pair<Mapspace, Mapspace>, 6> kNested = {{
    {Mapspace::kPerfect, Mapspace::kPadded},
    {Mapspace::kPerfect, Mapspace::kRubyS},
    {Mapspace::kPerfect, Mapspace::kRubyT},
    {Mapspace::kRubyS, Mapspace::kRuby},
    {Mapspace::kRubyT, Mapspace::kRuby},
    {Mapspace::kRuby, Mapspace::kAny},
}};

// The values of the objective in every space under one limit of looks at the deadline, which is the
// same on every machine. Without a mapping: none.
std::map<Mapspace, std::optional<std::vector<double>>> AnswersAt(int64_t looks, Space space,
                                                                 const Objective& objective) {
  const StopFlag stop;
  MapOptions options;
  options.objective = objective;
  std::map<Mapspace, std::optional<std::vector<double>>> values;
  for (const Mapspace mapspace : testing::kMapspaces) {
    space.mapspace = mapspace;
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop, Deadline::Looks{looks}));
    values[mapspace] =
        answer.best ? std::optional(ValuesOf(answer.best->cost, objective)) : std::nullopt;
  }
  return values;
}

// Returns in how many pairs both have answers.
int64_t ExpectNested(const std::map<Mapspace, std::optional<std::vector<double>>>& values) {
  int64_t both = 0;
  for (const auto& [smaller, larger] : kNested) {
    if (!values.at(smaller)) continue;
    ++both;
    EXPECT_TRUE(values.at(larger).has_value()) << Name(smaller) << " in " << Name(larger);
    if (values.at(larger)) {
      EXPECT_LE(*values.at(larger), *values.at(smaller)) << Name(smaller) << " in " << Name(larger);
    }
  }
  return both;
}

TEST(MapperFirstAnswerTest, WithEveryLimitALargerSpaceIsNoWorse) {
  const int64_t cases = CaseCount(60, 2000);
  Random random(73);
  int64_t both = 0;
  for (int64_t i = 0; i < cases; ++i) {
    testing::SpaceLimits limits = testing::RandomMapperLimits(random);
    limits.most_operations = testing::Pick(random, 60, 20'000);
    const Space space = RandomSpace(random, Mapspace::kPerfect, limits);
    const Metric metric =
        std::array{Metric::kEdp, Metric::kEnergy, Metric::kDelay}[static_cast<size_t>(i % 3)];
    for (const int64_t looks : {1, 4, 12, 40, 150}) {
      SCOPED_TRACE(std::to_string(looks) + " looks, " + Name(metric) + "\n" + Describe(space));
      both += ExpectNested(AnswersAt(looks, space, {metric}));
    }
  }
  EXPECT_GT(both, cases);
}

TEST(MapperFirstAnswerTest, WithEveryLimitALargerSpaceIsNoWorseForRealLayers) {
  const std::vector<Problem> problems = {
      MakeConv("1x1", {.k = 64, .c = 48, .p = 14, .q = 14}),
      MakeConv("3x3", {.k = 20, .c = 12, .p = 13, .q = 13, .r = 3, .s = 3})};
  for (const Problem& problem : problems) {
    for (const std::string name : {"simba", "eyeriss"}) {
      const Space space = MakeSpace(problem, BuiltinArchitecture(name), Mapspace::kPerfect).value();
      for (const int64_t looks : {3, 30, 300, 1000}) {
        SCOPED_TRACE(problem.name + " on " + name + ", " + std::to_string(looks) + " looks");
        ExpectNested(AnswersAt(looks, space, {Metric::kEdp}));
      }
    }
  }
}

// With a time limit a small space is searched after `perfect`; the end is the same.
TEST(MapperFirstAnswerTest, ATimeLimitThatIsNotReachedChangesNothing) {
  const Problem problem = MakeConv("conv", {.k = 8, .c = 5, .p = 7, .q = 7, .r = 3, .s = 3});
  for (const Mapspace mapspace : testing::kMapspaces) {
    if (mapspace == Mapspace::kAny) continue;
    const Space space = MakeSpace(problem, BuiltinArchitecture("toy-9"), mapspace).value();
    MapOptions options;
    const LayerAnswer without = MapLayer(space, options, StopFlag());
    options.time_limit_seconds = 1e6;
    const LayerAnswer with = MapLayer(space, options, StopFlag());
    ASSERT_TRUE(without.best && with.best) << Name(mapspace);
    EXPECT_EQ(with.best->mapping, without.best->mapping) << Name(mapspace);
    EXPECT_EQ(with.certificate, without.certificate) << Name(mapspace);
  }
}

}  // namespace
}  // namespace inlay
