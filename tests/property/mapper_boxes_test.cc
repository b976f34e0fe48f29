// Bounds from boxes against random mappings and against what the local search makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/exact/box_bound.h"
#include "inlay/mapper/exact/box_search.h"
#include "inlay/mapper/exact/local_search.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/sample.h"
#include "tests/support/box_sizes.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"

namespace inlay {
namespace {

using exact_search::BoxBounder;
using exact_search::BoxRange;
using exact_search::KeepCase;
using testing::BoxSizesOf;
using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::Pick;
using testing::Random;

class MapperBoxesTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperBoxesTest,
                         ::testing::Values(Mapspace::kPerfect, Mapspace::kRubyS, Mapspace::kRubyT,
                                           Mapspace::kRuby, Mapspace::kAny),
                         testing::MapspaceName);

// A range that holds these sizes.
BoxRange Around(Random& random, const BoxRange& sizes, const BoxRange& whole, double often) {
  BoxRange range = sizes;
  const auto widen = [&](const BoxRange::Part& most, BoxRange::Part* part) {
    for (size_t d = 0; d < BoxRange::kMostDims; ++d) {
      if (Chance(random, often)) {
        part->lo[d] = static_cast<int32_t>(Pick(random, most.lo[d], part->lo[d]));
      }
      if (Chance(random, often)) {
        part->hi[d] = static_cast<int32_t>(Pick(random, part->hi[d], most.hi[d]));
      }
    }
  };
  for (size_t l = 0; l < BoxRange::kMostLevels; ++l) {
    if (l > 0) widen(whole.tiles[l], &range.tiles[l]);
    widen(whole.lanes[l], &range.lanes[l]);
  }
  return range;
}

// Layers with windows, on levels with lanes.
Space ConvSpace(Random& random, Mapspace mapspace, const Space& like) {
  const Problem problem = MakeConv("conv", {.k = Pick(random, 1, 6),
                                            .c = Pick(random, 1, 6),
                                            .p = Pick(random, 1, 9),
                                            .q = Pick(random, 1, 3),
                                            .r = Pick(random, 1, 4),
                                            .s = Pick(random, 1, 2),
                                            .stride_h = Pick(random, 1, 3),
                                            .stride_w = 1,
                                            .dilation_h = Pick(random, 1, 2)});
  Architecture architecture = like.architecture;
  architecture.constraints.clear();
  for (Level& level : architecture.levels) {
    level.keep.reset();
    level.bypass.reset();
    level.partitions.clear();
  }
  return MakeSpace(problem, architecture, mapspace).value();
}

// Products and small layers with windows, on levels with lanes that are often not all at work, and
// tensors that pass by some of them.
Space LaneSpace(Random& random, Mapspace mapspace, int64_t most) {
  const int64_t wide = std::min<int64_t>(most, 13), narrow = std::max<int64_t>(1, most / 3);
  const Problem problem =
      Chance(random, 0.5)
          ? MakeGemm("product", {.g = Chance(random, 0.1) ? 2 : 1,
                                 .p = Pick(random, 1, wide),
                                 .k = Pick(random, 1, wide),
                                 .c = Pick(random, 1, wide)})
          : MakeConv("conv", {.k = Pick(random, 1, narrow),
                              .c = Pick(random, 1, narrow),
                              .p = Pick(random, 1, wide),
                              .q = Chance(random, 0.2) ? Pick(random, 2, 3) : 1,
                              .r = Pick(random, 1, 3),
                              .s = Chance(random, 0.1) ? 2 : 1,
                              .stride_h = Chance(random, 0.6) ? 1 : Pick(random, 2, 4),
                              .stride_w = 1,
                              .dilation_h = Chance(random, 0.7) ? 1 : Pick(random, 2, 3)});
  Architecture architecture;
  architecture.name = "lanes";
  architecture.compute.energy_pj = Chance(random, 0.5) ? 0 : 0.5;
  const int64_t levels = Pick(random, 2, 4);
  double price = std::pow(4, levels);
  for (int64_t l = 0; l < levels; ++l, price /= static_cast<double>(Pick(random, 2, 12)) / 2) {
    Level level;
    level.name = "L" + std::to_string(l);
    level.fanout.name = "F" + std::to_string(l);
    if (Chance(random, 0.6)) level.fanout.x = Pick(random, 2, 5);
    if (Chance(random, 0.3)) level.fanout.y = Pick(random, 2, 3);
    level.fanout.multicast = Chance(random, 0.9) ? Multicast::kTile : Multicast::kNone;
    level.fanout.reduce = Chance(random, 0.9);
    level.energy = AccessEnergy{price, price, price};
    if (l > 0 && Chance(random, 0.7)) level.capacity_words = Pick(random, 3, 40);
    for (const Tensor& tensor : problem.tensors) {
      if (l == 0 || Chance(random, 0.7)) continue;
      if (!level.bypass) level.bypass = TensorNameSet{};
      level.bypass->names.push_back(tensor.name);
    }
    architecture.levels.push_back(level);
  }
  return MakeSpace(problem, architecture, mapspace).value();
}

// Any of these.
Space SomeSpace(Random& random, Mapspace mapspace, const testing::SpaceLimits& limits,
                int64_t most) {
  const int64_t kind = Pick(random, 0, 3);
  if (kind > 1) return LaneSpace(random, mapspace, most);
  const Space space = testing::RandomSpace(random, mapspace, limits);
  return kind == 0 ? space : ConvSpace(random, mapspace, space);
}

TEST_P(MapperBoxesTest, NoBoundIsAboveAMappingOfTheRange) {
  const int64_t checks = CaseCount(10'000, 200'000);
  Random random(static_cast<uint64_t>(GetParam()) + 71);
  StopFlag stop;
  const Deadline never(stop);
  int64_t tight = 0;
  for (int64_t done = 0; done < checks;) {
    testing::SpaceLimits limits;
    limits.most_operations = Pick(random, 20, 5'000);
    limits.most_levels = static_cast<size_t>(Pick(random, 2, 4));
    limits.constrained = Chance(random, 0.5) ? 0.0 : 0.6;
    const Space space = SomeSpace(random, GetParam(), limits, 30);
    if (!BoxBounder::Applies(space)) continue;
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    for (int m = 0; m < 20; ++m) {
      std::optional<Mapping> mapping = Sample(*sampler, rng);
      if (!mapping) break;
      if (!Fits(space, space.problem, *mapping)) continue;
      auto cost = *Evaluate(space.problem, space.architecture, *mapping);
      if (m % 4 == 0) {  // a good one: there bounds are tight
        const Objective objective = {Chance(random, 0.7) ? Metric::kEnergy : Metric::kOffchip};
        exact_search::LocalSearch search(space, objective, {space.problem, *mapping, cost});
        DeadlineWatch watch(never);
        search.Run(500, &watch);
        mapping = search.best().mapping;
        cost = search.best().cost;
      }
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : mapping->levels) keeps.push_back(level.keep);
      const KeepCase keep_case(space, keeps);
      const BoxBounder bounder(space, keep_case);
      const std::string what =
          Describe({space.problem, space.architecture, *mapping}) + Describe(space);
      const auto whole = bounder.Whole();
      ASSERT_TRUE(whole.has_value()) << what;
      const BoxRange sizes = BoxSizesOf(space, *mapping);
      for (int k = 0; k < 4; ++k, ++done) {
        BoxRange range = Around(random, sizes, *whole, k == 0 ? 0 : k == 1 ? 0.1 : 0.5);
        if (k % 2 == 1) {
          ASSERT_TRUE(bounder.Narrow(&range)) << what;
        }
        const exact_search::LowerBound least = bounder.BoundOf(range);
        if (least.energy_pj > 0.98 * cost.energy_pj) ++tight;
        ASSERT_LE(least.energy_pj, cost.energy_pj * (1 + 1e-12)) << what;
        ASSERT_LE(least.cycles, static_cast<double>(cost.cycles)) << what;
      }
    }
  }
  EXPECT_GT(tight, checks / 10);
}

// However far the search goes, and whatever the metric; and no mapping of the listing is below the
// bound of its own sizes.
TEST_P(MapperBoxesTest, NoBoundIsAboveTheOptimum) {
  const int64_t cases = CaseCount(60, 2000);
  Random random(static_cast<uint64_t>(GetParam()) + 73);
  StopFlag stop;
  const Deadline never(stop);
  const std::array metrics = {Metric::kEnergy, Metric::kEdp, Metric::kOffchip};
  int64_t risen = 0;
  for (int64_t done = 0, i = 0; done < cases; ++i) {
    testing::SpaceLimits limits;
    limits.most_operations = Pick(random, 4, 60);
    limits.most_levels = static_cast<size_t>(Pick(random, 1, 4));
    limits.constrained = Chance(random, 0.5) ? 0.0 : 0.6;
    const Space space = SomeSpace(random, GetParam(), limits, Pick(random, 2, 12));
    const Metric metric = metrics[static_cast<size_t>(i) % metrics.size()];
    if (!BoxBounder::Applies(space)) continue;
    std::vector<KeepCase> keep_cases;
    std::vector<BoxBounder> bounders;
    for (const auto& keeps : exact_search::KeepChoices(space))
      keep_cases.emplace_back(space, keeps);
    for (const KeepCase& keep_case : keep_cases) bounders.emplace_back(space, keep_case);
    const double looked_at = Chance(random, 0.5) ? 0.02 : 0.2;
    double best = std::numeric_limits<double>::infinity(), cheapest = best;
    int64_t count = 0;
    const bool complete =
        ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
          if (++count > 20'000) return false;
          if (!Fits(space, problem, mapping)) return true;
          const auto cost = Evaluate(problem, space.architecture, mapping);
          best = std::min(best, ValueOf(*cost, metric));
          if (cost->energy_pj > cheapest && !Chance(random, looked_at)) return true;
          cheapest = std::min(cheapest, cost->energy_pj);
          IndexedVector<LevelId, TensorSet> keeps;
          for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
          for (size_t f = 0; f < keep_cases.size(); ++f) {
            if (keep_cases[f].keeps != keeps) continue;
            const auto least = bounders[f].BoundOf(BoxSizesOf(space, mapping));
            EXPECT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12))
                << Describe({problem, space.architecture, mapping}) << Describe(space);
            EXPECT_LE(least.cycles, static_cast<double>(cost->cycles)) << Describe(space);
          }
          return !HasFailure();
        });
    ASSERT_FALSE(HasFailure());
    if (!complete || best == std::numeric_limits<double>::infinity()) continue;
    ++done;
    exact_search::BoxSearch search(space, keep_cases, metric);
    DeadlineWatch watch(never);
    const double first = search.bound();
    for (const int64_t more : {0, 3, 10, 100}) {
      search.Run(2 * best, more, &watch);
      ASSERT_LE(search.bound(), best * (1 + 1e-12)) << ToString(Objective{metric}) << "\n"
                                                    << Describe(space);
    }
    if (search.bound() > first * (1 + 1e-9)) ++risen;
  }
  EXPECT_GT(risen, cases / 10);
}

}  // namespace
}  // namespace inlay
