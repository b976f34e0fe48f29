#include "inlay/mapper/random.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapspace/enumerate.h"

namespace inlay {
namespace {

Architecture SmallArchitecture(int64_t buffer_words = 24) {
  Architecture architecture;
  architecture.name = "small";
  Level dram, buffer;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.energy = AccessEnergy{100, 100, 100};
  buffer.name = "buffer";
  buffer.capacity_words = buffer_words;
  buffer.energy = AccessEnergy{3, 4, 5};
  buffer.fanout.name = "array";
  buffer.fanout.x = 3;
  buffer.fanout.y = 2;
  architecture.levels = {dram, buffer};
  architecture.compute.energy_pj = 1;
  return architecture;
}

Space SmallSpace(Mapspace mapspace, int64_t buffer_words = 24) {
  return *MakeSpace(MakeGemm("small", {.p = 5, .k = 4, .c = 3}), SmallArchitecture(buffer_words),
                    mapspace);
}

constexpr Mapspace kMapspaces[] = {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                   Mapspace::kRubyT,   Mapspace::kRuby,   Mapspace::kAny};

MapOptions Options(Semantics semantics = Semantics::kExact) {
  MapOptions options;
  options.strategy = Strategy::kRandom;
  options.semantics = semantics;
  options.objective = {Metric::kDelay, Metric::kEnergy};
  return options;
}

class RandomTest : public ::testing::TestWithParam<std::tuple<Mapspace, Semantics>> {};
INSTANTIATE_TEST_SUITE_P(Spaces, RandomTest,
                         ::testing::Combine(::testing::ValuesIn(kMapspaces),
                                            ::testing::Values(Semantics::kExact,
                                                              Semantics::kThistle)));

// Enough samples of a small space find its optimum, which the dumb way finds by looking at all.
TEST_P(RandomTest, FindsTheOptimumOfASmallSpace) {
  const auto [mapspace, semantics] = GetParam();
  const Space space = SmallSpace(mapspace);
  MapOptions options = Options(semantics);
  options.random = {.victory_condition = 20000, .timeout = 0, .search_size = 0};
  EvaluateOptions evaluate;
  evaluate.semantics = semantics;
  std::vector<double> best;
  ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    if (!Fits(space, problem, mapping)) return true;
    const auto values =
        ValuesOf(*Evaluate(problem, space.architecture, mapping, evaluate), options.objective);
    if (best.empty() || values < best) best = values;
    return true;
  });
  const LayerAnswer answer = MapLayer(space, options, StopFlag());
  ASSERT_TRUE(answer.best.has_value());
  EXPECT_EQ(ValuesOf(answer.best->cost, options.objective), best);
  EXPECT_EQ(answer.certificate.status, CertificateStatus::kHeuristic);
  EXPECT_EQ(answer.certificate.objective, best.front());
  EXPECT_EQ(answer.certificate.lower_bound, 0);
  EXPECT_EQ(answer.certificate.gap, 1);
  EXPECT_FALSE(answer.interrupted);
}

TEST_P(RandomTest, TheAnswerIsAMappingOfTheSpaceThatCostsWhatItSays) {
  const auto [mapspace, semantics] = GetParam();
  const Space space = SmallSpace(mapspace);
  MapOptions options = Options(semantics);
  options.random = {.victory_condition = 0, .timeout = 0, .search_size = 100};
  const LayerAnswer answer = MapLayer(space, options, StopFlag());
  ASSERT_TRUE(answer.best.has_value());
  const Solution& best = *answer.best;
  EXPECT_EQ(answer.effort.evaluations, 100);
  EXPECT_TRUE(Validate(best.problem, space.architecture, best.mapping).empty());
  EXPECT_TRUE(CheckMembership(space, best.problem, best.mapping).empty());
  EXPECT_TRUE(CheckCapacity(best.problem, space.architecture, best.mapping).empty());
  EvaluateOptions evaluate;
  evaluate.semantics = semantics;
  const auto cost = Evaluate(best.problem, space.architecture, best.mapping, evaluate);
  EXPECT_EQ(cost->energy_pj, best.cost.energy_pj);
  EXPECT_EQ(cost->cycles, best.cost.cycles);
  EXPECT_EQ(best.cost.operations, Operations(space.problem));
  EXPECT_EQ(best.cost.padded_operations.has_value(), mapspace == Mapspace::kPadded);
  if (mapspace == Mapspace::kPadded) {
    EXPECT_EQ(*best.cost.padded_operations, Operations(best.problem));
    EXPECT_LE(best.cost.utilization, cost->utilization);
  }
}

TEST_P(RandomTest, TheSameAtAnyNumberOfThreads) {
  const auto [mapspace, semantics] = GetParam();
  const Space space = SmallSpace(mapspace);
  for (const uint64_t seed : {uint64_t{1}, ~uint64_t{0}}) {
    MapOptions options = Options(semantics);
    options.objective = {Metric::kEnergy};
    options.seed = seed;
    options.random.victory_condition = 300;
    const LayerAnswer one = MapLayer(space, options, StopFlag());
    for (const int threads : {2, 4, 7}) {
      options.threads = threads;
      const LayerAnswer many = MapLayer(space, options, StopFlag());
      ASSERT_TRUE(many.best.has_value());
      EXPECT_EQ(many.best->mapping, one.best->mapping);
      EXPECT_EQ(many.effort.evaluations, one.effort.evaluations);
      EXPECT_EQ(many.effort.nodes, one.effort.nodes);
    }
  }
}

TEST(RandomRulesTest, SeedsDiffer) {
  const Space space = SmallSpace(Mapspace::kAny);
  MapOptions options = Options();
  options.random.search_size = 3;
  std::vector<Mapping> found;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    const Mapping mapping = MapLayer(space, options, StopFlag()).best->mapping;
    if (std::find(found.begin(), found.end(), mapping) == found.end()) found.push_back(mapping);
  }
  EXPECT_GT(found.size(), 10U);
}

TEST(RandomRulesTest, VictoryConditionCountsValidMappingsThatAreNotBetter) {
  const Space space = SmallSpace(Mapspace::kRubyS);
  MapOptions options = Options();
  for (const int64_t rule : {int64_t{1}, int64_t{10}, int64_t{1000}}) {
    options.random.victory_condition = rule;
    const LayerAnswer answer = MapLayer(space, options, StopFlag());
    EXPECT_GT(answer.effort.evaluations, rule);
    EXPECT_GE(answer.effort.nodes, answer.effort.evaluations);
  }
}

TEST(RandomRulesTest, TimeoutEndsASearchWithoutValidMappings) {
  MapOptions options = Options();
  options.random.timeout = 1234;
  // A tile of three words at least, one per tensor. MapLayer would not even start to draw.
  const Space space = SmallSpace(Mapspace::kRubyS, 2);
  EXPECT_FALSE(MapLayer(space, options, StopFlag()).infeasible.empty());
  const StopFlag stop;
  const LayerAnswer answer =
      SearchRandom(space, options, Deadline(stop, std::nullopt), [](const MapProgress&) {});
  EXPECT_FALSE(answer.best.has_value());
  EXPECT_FALSE(answer.interrupted);
  EXPECT_EQ(answer.effort.nodes, 1234);
  EXPECT_EQ(answer.effort.evaluations, 0);
  ASSERT_EQ(answer.unsupported.size(), 1U);
  EXPECT_EQ(answer.unsupported.front().message, "none of 1234 mappings drawn at random fits");
}

TEST(RandomRulesTest, AnEmptySpaceIsProvenInfeasible) {
  Architecture architecture = SmallArchitecture();
  Constraint all_at_once;
  all_at_once.at = "buffer";
  all_at_once.factors = {{"P", Relation::kAtLeast, 6}};
  const auto space = MakeSpace(MakeGemm("small", {.p = 5, .k = 4, .c = 3}), architecture,
                               Mapspace::kRubyS, {all_at_once});
  ASSERT_TRUE(space.has_value());
  const LayerAnswer answer = MapLayer(*space, Options(), StopFlag());
  EXPECT_FALSE(answer.best.has_value());
  EXPECT_FALSE(answer.infeasible.empty());
}

TEST(RandomRulesTest, StoppedAtOnceItHasAMapping) {
  StopFlag stop;
  stop.Request();
  const LayerAnswer answer = MapLayer(SmallSpace(Mapspace::kRubyS), Options(), stop);
  EXPECT_TRUE(answer.interrupted);
  EXPECT_TRUE(answer.best.has_value());
}

TEST(RandomRulesTest, TheTimeLimitEndsWithTheBestSoFar) {
  MapOptions options = Options();
  options.random = {.victory_condition = 0, .timeout = 0, .search_size = 0};
  options.time_limit_seconds = 0.05;
  const LayerAnswer answer = MapLayer(SmallSpace(Mapspace::kRubyS), options, StopFlag());
  EXPECT_TRUE(answer.interrupted);
  EXPECT_TRUE(answer.best.has_value());
  EXPECT_GE(answer.effort.seconds, 0.05);
}

TEST(RandomRulesTest, TellsItsProgress) {
  std::vector<double> incumbents;
  MapLayer(SmallSpace(Mapspace::kRubyS), Options(), StopFlag(), [&](const MapProgress& state) {
    if (state.incumbent) incumbents.push_back(*state.incumbent);
  });
  ASSERT_FALSE(incumbents.empty());
  EXPECT_TRUE(std::is_sorted(incumbents.rbegin(), incumbents.rend()));
}

}  // namespace
}  // namespace inlay
