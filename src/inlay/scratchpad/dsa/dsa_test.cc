#include "inlay/scratchpad/dsa/dsa.h"

#include <gtest/gtest.h>

namespace inlay::dsa {
namespace {

Buffer Make(const char* id, int64_t lower, int64_t upper, int64_t size) {
  return {.id = id, .lower = lower, .upper = upper, .size = size};
}

TEST(Dsa, PlacesTheExampleOfMiniMalloc) {
  const Problem problem{{Make("b1", 0, 3, 4), Make("b2", 3, 9, 4), Make("b3", 0, 9, 4),
                         Make("b4", 9, 21, 4), Make("b5", 0, 21, 4)},
                        12};
  const Solution solution = Solve(problem);
  ASSERT_EQ(solution.status, Status::kPlaced);
  EXPECT_TRUE(CheckPlacement(problem, solution.offsets).empty());
  EXPECT_EQ(Solve({problem.buffers, 11}).status, Status::kInfeasible);
  EXPECT_EQ(Minimize(problem.buffers).height, 12);
}

TEST(Dsa, PeakLoadIsTheFirstStretch) {
  const PeakLoad peak = FindPeakLoad({Make("a", 0, 4, 3), Make("b", 2, 6, 5), Make("c", 6, 8, 8)});
  EXPECT_EQ(peak.bytes, 8);
  EXPECT_EQ(peak.lower, 2);
  EXPECT_EQ(peak.upper, 4);
  EXPECT_EQ(FindPeakLoad({}).bytes, 0);
}

TEST(Dsa, TheValidatorSeesEveryFault) {
  Problem problem{{Make("a", 0, 4, 3), Make("b", 3, 6, 5)}, 8};
  EXPECT_TRUE(CheckPlacement(problem, {0, 3}).empty());
  EXPECT_EQ(CheckPlacement(problem, {0, 2}).size(), 1U);   // overlap
  EXPECT_EQ(CheckPlacement(problem, {0, 4}).size(), 1U);   // above the capacity
  EXPECT_EQ(CheckPlacement(problem, {-1, 3}).size(), 1U);  // below zero
  EXPECT_EQ(CheckPlacement(problem, {0}).size(), 1U);      // one missing
  problem.buffers[1].alignment = 2;
  EXPECT_EQ(CheckPlacement(problem, {0, 3}).size(), 1U);
  problem.buffers[1].alignment = 1;
  problem.buffers[0].fixed = 5;
  EXPECT_EQ(CheckPlacement(problem, {0, 3}).size(), 1U);
  EXPECT_TRUE(CheckPlacement(problem, {5, 0}).empty());
}

TEST(Dsa, InPlacePairsShareAnAddress) {
  std::vector<Buffer> buffers = {Make("a", 0, 4, 3), Make("x", 1, 2, 1), Make("b", 3, 6, 5),
                                 Make("c", 5, 9, 2)};
  buffers[0].alignment = 4;
  buffers[2].alignment = 6;
  const auto merged = MergeInPlace(buffers, {{0, 2}, {2, 3}});
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->buffers.size(), 2U);
  EXPECT_EQ(merged->buffers[0].lower, 0);
  EXPECT_EQ(merged->buffers[0].upper, 9);
  EXPECT_EQ(merged->buffers[0].size, 5);
  EXPECT_EQ(merged->buffers[0].alignment, 12);
  EXPECT_EQ(merged->OffsetsOfAll({24, 7}), (std::vector<int64_t>{24, 7, 24, 24}));
  buffers[0].fixed = 8;  // no multiple of 12
  EXPECT_FALSE(MergeInPlace(buffers, {{0, 2}}));
}

}  // namespace
}  // namespace inlay::dsa
