// The fewest steps that lanes allow, from a table, against the try of every combination of lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "inlay/mapper/exact/lanes.h"
#include "inlay/mapper/exact/tiling_search.h"
#include "inlay/mapspace/tilings.h"
#include "tests/support/random_space.h"

namespace inlay::exact_search {
namespace {

using testing::CaseCount;
using testing::Pick;
using testing::Random;

// The least product of steps over the dimensions from `depth` on, `lanes` being taken already.
double Try(const Space& space, const Chains& chains, const std::vector<size_t>& order, size_t depth,
           const std::vector<int64_t>& lanes) {
  if (depth == order.size()) return 1;
  const std::vector<SlotId> spatial = SpatialSlotsOf(space);
  const size_t levels = space.architecture.levels.size();
  const size_t steps = chains.layout.At(levels) + RowLayout::DistinctLanes(levels, 0, levels);
  double best = std::numeric_limits<double>::infinity();
  const ChainTree& tree = chains.trees[order[depth]];
  for (const ChainTree::Node& node : tree.Singles()) {
    std::vector<int64_t> taken = lanes;
    bool fits = true;
    for (size_t s = 0; s < spatial.size(); ++s) {
      taken[s] *= tree.Lanes(node, s);
      fits = fits && taken[s] <= space.slots[spatial[s]].max_lanes;
    }
    if (!fits) continue;
    best = std::min(best, tree.Row(node)[steps] * Try(space, chains, order, depth + 1, taken));
  }
  return best;
}

TEST(MapperLanes, FewestStepsAreThoseOfEveryCombination) {
  const int64_t cases = CaseCount(300, 5'000);
  Random random(11);
  StopFlag stop;
  int64_t used = 0;
  for (int64_t done = 0; done < cases;) {
    testing::SpaceLimits limits;
    limits.most_operations = Pick(random, 4, 120);
    const auto mapspace = static_cast<Mapspace>(Pick(random, 0, 5));
    const Space space = testing::RandomSpace(random, mapspace, limits);
    const size_t levels = space.architecture.levels.size();
    const LaneStage stage = Pick(random, 0, 1) == 0 ? LaneStage::kWithTile : LaneStage::kAfterTile;
    const auto chains = BuildChains(space, StagesOf(levels, stage), Deadline(stop));
    if (!chains) continue;
    double combinations = 1;
    for (const ChainTree& tree : chains->trees) {
      combinations *= static_cast<double>(tree.Singles().size());
    }
    if (combinations > 20'000) continue;
    ++done;
    IndexedVector<LevelId, TensorSet> keeps;
    keeps.assign(levels, TensorSet::FirstN(space.problem.tensors.size()));
    const KeepCase keep_case(space, keeps);
    LaneCounter counter(space, keep_case, chains->layout);
    std::vector<size_t> order(chains->trees.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    counter.Open(chains->trees, order);
    const std::vector<int64_t> none(SpatialSlotsOf(space).size(), 1);
    const double all = Try(space, *chains, order, 0, none);
    ASSERT_EQ(counter.FewestSteps(), all) << testing::Describe(space);
    if (order.size() < 2) continue;
    // The first dimension takes the lanes of any chain.
    const ChainTree& tree = chains->trees[order[0]];
    for (const ChainTree::Node& node : tree.Singles()) {
      std::vector<int64_t> taken = none;
      for (size_t s = 0; s < taken.size(); ++s) taken[s] = tree.Lanes(node, s);
      if (!counter.Take(0, tree, node)) continue;
      ++used;
      const double rest = Try(space, *chains, order, 1, taken);
      ASSERT_EQ(counter.StepsAt(0, 3), 3 * rest) << testing::Describe(space);
    }
  }
  EXPECT_GT(used, cases);
}

}  // namespace
}  // namespace inlay::exact_search
