#include "inlay/mapper/exact/lanes.h"

#include <gtest/gtest.h>

#include "inlay/mapper/exact/chains.h"
#include "tests/support/small_machine.h"

namespace inlay::exact_search {
namespace {

constexpr size_t kP = 0, kK = 1;

// P = 4 and K = 3 on four lanes.
struct Machine {
  explicit Machine(Mapspace mapspace, int64_t least_lanes = 1)
      : space(testing::SmallSpace(MakeGemm("gemm", {.p = 4, .k = 3}), 4, mapspace)),
        keep_case(space, testing::KeepAll(space)),
        chains(BuildChains(space, StagesOf(keep_case.levels, LaneStage::kWithTile), Deadline(stop))
                   .value()),
        counter(space, keep_case, chains.layout) {
    space.min_lanes[LevelId(1)] = least_lanes;
    counter.Open(chains.trees, {0, 1, 2});
  }

  // The dimension at `depth`, which is the one of that number, takes so many lanes.
  bool Take(size_t depth, int64_t lanes) {
    const ChainTree& tree = chains.trees[depth];
    const std::vector<SlotId> spatial = SpatialSlotsOf(space);
    for (const ChainTree::Node& node : tree.Singles()) {
      int64_t all = 1;
      for (size_t s = 0; s < spatial.size(); ++s) all *= tree.Lanes(node, s);
      if (all == lanes) return counter.Take(depth, tree, node);
    }
    ADD_FAILURE() << "no chain has " << lanes << " lanes";
    return false;
  }

  StopFlag stop;
  Space space;
  KeepCase keep_case;
  Chains chains;
  LaneCounter counter;
};

// 4 × 1 lanes take 1 · 3 steps; 2 × 2 take 2 · 2; 1 × 3 take 4 · 1.
TEST(LaneCounterTest, FewestStepsOfAllWaysToShareTheLanes) {
  EXPECT_EQ(Machine(Mapspace::kRubyS).counter.FewestSteps(), 3);
  EXPECT_EQ(Machine(Mapspace::kPerfect).counter.FewestSteps(), 3);
}

// With half the lanes gone, K takes ⌈3 / 2⌉ steps; where lanes must divide it, 3.
TEST(LaneCounterTest, LaterDimensionsShareWhatIsLeft) {
  Machine ruby(Mapspace::kRubyS);
  ASSERT_TRUE(ruby.Take(kP, 2));
  EXPECT_EQ(ruby.counter.LeftAfter(0), 2);
  EXPECT_EQ(ruby.counter.StepsAt(0, 2), 4);
  Machine perfect(Mapspace::kPerfect);
  ASSERT_TRUE(perfect.Take(kP, 2));
  EXPECT_EQ(perfect.counter.StepsAt(0, 2), 6);
}

TEST(LaneCounterTest, NoMoreLanesThanThereAre) {
  Machine machine(Mapspace::kRubyS);
  ASSERT_TRUE(machine.Take(kP, 4));
  EXPECT_EQ(machine.counter.LeftAfter(0), 1);
  EXPECT_FALSE(machine.Take(kK, 2));
  EXPECT_TRUE(machine.Take(kK, 1));
}

TEST(LaneCounterTest, ConstraintsMayAskForLanes) {
  for (const int64_t lanes : {2, 4}) {
    Machine machine(Mapspace::kRubyS, 4);
    ASSERT_TRUE(machine.Take(kP, lanes));
    ASSERT_TRUE(machine.Take(kK, 1));
    ASSERT_TRUE(machine.Take(2, 1));
    EXPECT_EQ(machine.counter.Suffice(), lanes == 4);
  }
}

}  // namespace
}  // namespace inlay::exact_search
