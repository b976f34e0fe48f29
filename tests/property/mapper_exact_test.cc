// The certified mapper against its dumb twin, the enumeration of the whole mapspace, and its bounds
// against random completions. Comparing optima alone does not find a wrong bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/cost/walker.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/tree.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/sample.h"
#include "inlay/mapspace/tilings.h"
#include "tests/support/mapspace_name.h"
#include "tests/support/random_space.h"
#include "tests/support/same_cost.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::Describe;
using testing::ExpectSameCost;
using testing::Pick;
using testing::Random;
using testing::RandomSpace;

constexpr std::array kMapspaces = {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                   Mapspace::kRubyT,   Mapspace::kRuby,   Mapspace::kAny};

const std::vector<Objective> kObjectives = {{Metric::kEnergy},
                                            {Metric::kDelay},
                                            {Metric::kEdp},
                                            {Metric::kOffchip},
                                            {Metric::kDelay, Metric::kEnergy},
                                            {Metric::kOffchip, Metric::kEdp}};

class MapperExactTest : public ::testing::TestWithParam<Mapspace> {};
INSTANTIATE_TEST_SUITE_P(All, MapperExactTest, ::testing::ValuesIn(kMapspaces),
                         testing::MapspaceName);

// The best values of every objective over the whole mapspace; nullopt if it is too large to list.
struct Optima {
  std::vector<std::optional<std::vector<double>>> best;  // by objective; none: infeasible
  int64_t mappings = 0;
};
std::optional<Optima> Enumerate(const Space& space, int64_t most) {
  Optima optima;
  optima.best.resize(kObjectives.size());
  const bool complete = ForEachMapping(space, [&](const Problem& problem, const Mapping& mapping) {
    if (++optima.mappings > most) return false;
    if (!Fits(space, problem, mapping)) return true;
    const auto cost = Evaluate(problem, space.architecture, mapping);
    EXPECT_TRUE(cost.has_value());
    for (size_t i = 0; i < kObjectives.size(); ++i) {
      const std::vector<double> values = ValuesOf(*cost, kObjectives[i]);
      if (!optima.best[i] || values < *optima.best[i]) optima.best[i] = values;
    }
    return true;
  });
  if (!complete) return std::nullopt;
  return optima;
}

testing::SpaceLimits RandomLimits(Random& random) {
  testing::SpaceLimits limits;
  limits.most_operations = Pick(random, 4, 60);
  limits.most_levels = static_cast<size_t>(Pick(random, 1, 4));
  limits.bounded = Chance(random, 0.5) ? 0.3 : 0.8;
  limits.constrained = Chance(random, 0.5) ? 0.0 : 0.6;
  return limits;
}

void ExpectClose(double found, double expected, const std::string& what) {
  EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)) << what;
}

TEST_P(MapperExactTest, OptimumIsThatOfTheEnumeration) {
  const int64_t cases = CaseCount(200, 2000);
  Random random(static_cast<uint64_t>(GetParam()) + 77);
  StopFlag stop;
  int64_t compared = 0;
  for (int64_t i = 0; compared < cases; ++i) {
    const Space space = RandomSpace(random, GetParam(), RandomLimits(random));
    const auto optima = Enumerate(space, 20000);
    if (!optima) continue;
    ++compared;
    const size_t o = static_cast<size_t>(i) % kObjectives.size();
    MapOptions options;
    options.objective = kObjectives[o];
    const LayerAnswer answer = SearchExact(space, options, Deadline(stop));
    const std::string what =
        "case " + std::to_string(i) + " " + ToString(kObjectives[o]) + "\n" + Describe(space);
    ASSERT_EQ(answer.best.has_value(), optima->best[o].has_value()) << what;
    EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal) << what;
    if (!answer.best) continue;
    const std::vector<double> found = ValuesOf(answer.best->cost, kObjectives[o]);
    for (size_t m = 0; m < found.size(); ++m) ExpectClose(found[m], (*optima->best[o])[m], what);
    EXPECT_LE(answer.certificate.lower_bound, found[0]) << what;
    EXPECT_TRUE(CheckMembership(space, answer.best->problem, answer.best->mapping).empty()) << what;
    EXPECT_TRUE(Fits(space, answer.best->problem, answer.best->mapping)) << what;
    const auto again = Evaluate(answer.best->problem, space.architecture, answer.best->mapping);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->energy_pj, answer.best->cost.energy_pj) << what;
    EXPECT_EQ(again->cycles, answer.best->cost.cycles) << what;
    // The problems are small enough for the definition itself.
    const auto walked = Walk(answer.best->problem, space.architecture, answer.best->mapping);
    ASSERT_TRUE(walked.has_value()) << what;
    EXPECT_TRUE(walked->numeric_check) << what;
    SCOPED_TRACE(what);
    ExpectSameCost(answer.best->cost, walked->cost);
    if (HasFailure()) return;
  }
}

TEST_P(MapperExactTest, NoSwitchAndNoThreadChangesTheAnswer) {
  const int64_t cases = CaseCount(12, 120);
  Random random(static_cast<uint64_t>(GetParam()) + 777);
  StopFlag stop;
  for (int64_t i = 0; i < cases; ++i) {
    const Space space = RandomSpace(random, GetParam(), RandomLimits(random));
    MapOptions options;
    options.objective = kObjectives[static_cast<size_t>(i) % kObjectives.size()];
    if (!Enumerate(space, 20000)) continue;
    const LayerAnswer first = SearchExact(space, options, Deadline(stop));
    const std::string what =
        "case " + std::to_string(i) + " " + ToString(options.objective) + "\n" + Describe(space);
    for (const int threads : {2, 4}) {
      MapOptions more = options;
      more.threads = threads;
      const LayerAnswer again = SearchExact(space, more, Deadline(stop));
      ASSERT_EQ(again.best.has_value(), first.best.has_value()) << what;
      if (!first.best) continue;
      EXPECT_EQ(again.best->mapping, first.best->mapping) << what;
    }
    for (int bits = 0; bits < 48; ++bits) {
      ExactSwitches switches;
      switches.lanes = static_cast<ExactSwitches::Lanes>(bits / 16);
      switches.dives = (bits & 1) != 0;
      switches.nested_bounds = (bits & 2) != 0;
      switches.skip_orders = (bits & 4) != 0;
      switches.split_inner = (bits & 8) != 0;
      const LayerAnswer again = SearchExact(space, options, Deadline(stop), {}, switches);
      ASSERT_EQ(again.best.has_value(), first.best.has_value()) << what;
      if (!first.best) continue;
      const std::vector<double> expected = ValuesOf(first.best->cost, options.objective);
      const std::vector<double> found = ValuesOf(again.best->cost, options.objective);
      for (size_t m = 0; m < found.size(); ++m) {
        ExpectClose(found[m], expected[m], what + std::to_string(bits));
      }
    }
  }
}

// The chain of every dimension of a mapping, as an index into its tree's chains.
std::vector<size_t> ChainsIn(const Space& space, const std::vector<exact_search::ChainTree>& trees,
                             const Problem& problem, const Mapping& mapping) {
  std::vector<size_t> found;
  for (size_t d = 0; d < trees.size(); ++d) {
    size_t index = 0;
    for (; index < trees[d].chains().size(); ++index) {
      const Chain& chain = trees[d].chains()[index];
      bool same = chain.bound == problem.dims[DimId(d)].bound;
      for (SlotId s : Ids(space.slots)) {
        const LevelMapping& level = mapping.levels[space.slots[s].level];
        int64_t step = 0;
        const bool temporal = space.slots[s].axis == Axis::kTime;
        for (const Loop& loop : temporal ? level.temporal : level.spatial) {
          if (loop.dim.value() == d && loop.axis == space.slots[s].axis) step = loop.step;
        }
        same = same && (chain.steps[s] == 1 ? step == 0 : step == chain.tiles[s]);
      }
      if (same) break;
    }
    found.push_back(index);
  }
  return found;
}

// The dimension of the innermost temporal loop above a level, or that it is not known.
int SomeInner(Random& random, const Mapping& mapping, size_t level) {
  if (Chance(random, 0.4)) return exact_search::kAnyDim;
  for (size_t l = level; l-- > 0;) {
    const auto& loops = mapping.levels[LevelId(l)].temporal;
    if (!loops.empty()) return static_cast<int>(loops.back().dim.value());
  }
  return exact_search::kNoDim;
}

TEST_P(MapperExactTest, NoBoundIsAboveACompletion) {
  const int64_t checks = CaseCount(60'000, 1'000'000);
  Random random(static_cast<uint64_t>(GetParam()) + 7);
  int64_t done = 0;
  while (done < checks) {
    testing::SpaceLimits limits = RandomLimits(random);
    limits.most_operations = Pick(random, 20, 2000);
    const Space space = RandomSpace(random, GetParam(), limits);
    const auto sampler = SpaceSampler::Make(space);
    if (!sampler) continue;
    const size_t levels = space.architecture.levels.size();
    const exact_search::ReachLayout layout(levels);
    const auto stages =
        exact_search::StagesOf(levels, Chance(random, 0.5) ? exact_search::LaneStage::kWithTile
                                                           : exact_search::LaneStage::kAfterTile);
    std::vector<exact_search::ChainTree> trees;
    bool small = true;
    for (DimId d : Ids(space.problem.dims)) {
      std::vector<Chain> chains;
      small = small && ForEachChain(space, d, [&](const Chain& chain) {
                chains.push_back(chain);
                return chains.size() < 5000;
              });
      if (!small || chains.empty()) break;
      trees.emplace_back(space, layout, stages, std::move(chains));
    }
    if (trees.size() < space.problem.dims.size()) continue;
    Rng rng(static_cast<uint64_t>(Pick(random, 0, 1'000'000'000)));
    for (int m = 0; m < 40; ++m) {
      const auto sample = SampleWithPadding(*sampler, rng);
      if (!sample) break;
      const Mapping& mapping = sample->mapping;
      IndexedVector<LevelId, TensorSet> keeps;
      for (const LevelMapping& level : mapping.levels) keeps.push_back(level.keep);
      const Problem problem = GetParam() == Mapspace::kPadded
                                  ? PaddedTo(space.problem, sample->unrolling)
                                  : space.problem;
      const auto cost = Evaluate(problem, space.architecture, mapping);
      ASSERT_TRUE(cost.has_value());
      const exact_search::Frame frame(space, keeps);
      exact_search::Bounder bounder(frame, layout);
      const std::vector<size_t> chain = ChainsIn(space, trees, problem, mapping);
      // Sets of chains that hold the mapping: everything, or a node of some stage, per dimension.
      for (int k = 0; k < 10; ++k) {
        const auto last_stage = static_cast<int64_t>(stages.size()) - 1;
        const bool nested = frame.levels > 1 && Chance(random, 0.5);
        const int64_t common = Pick(random, stages[0].lanes ? 0 : 1, last_stage);
        exact_search::Bounder::Rows rows;
        for (size_t d = 0; d < trees.size(); ++d) {
          ASSERT_LT(chain[d], trees[d].chains().size());
          const int64_t stage = nested ? common : Pick(random, -1, last_stage);
          rows.push_back(stage < 0 ? trees[d].RootRow()
                                   : trees[d].RowOfChain(static_cast<size_t>(stage), chain[d]));
        }
        exact_search::Least least;
        bounder.Begin();
        if (nested) {
          size_t first = levels - 1;
          for (size_t i = 0; i <= static_cast<size_t>(common); ++i) {
            if (stages[i].level > 0) first = stages[i].level;
          }
          bounder.AddNested(rows, first, SomeInner(random, mapping, frame.levels - 1), &least);
        } else {
          for (size_t c = 1; c < frame.levels; ++c) {
            bounder.AddMerged(rows, c, SomeInner(random, mapping, c), &least);
          }
        }
        bounder.AddMerged(rows, frame.levels, exact_search::kAnyDim, &least);
        bounder.End(rows, bounder.LeastSteps(rows, frame.instances[frame.levels]), &least);
        ++done;
        const std::string what = Describe({problem, space.architecture, mapping}) + Describe(space);
        ASSERT_LE(least.energy_pj, cost->energy_pj * (1 + 1e-12)) << what;
        ASSERT_LE(least.cycles, static_cast<double>(cost->cycles)) << what;
        ASSERT_LE(least.offchip_words, static_cast<double>(cost->offchip_words) * (1 + 1e-12))
            << what;
      }
    }
  }
}

}  // namespace
}  // namespace inlay
