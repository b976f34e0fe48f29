#include "inlay/scratchpad/dsa/dsa.h"

#include <gtest/gtest.h>

#include <string>

#include "inlay/base/rng.h"

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

// Lives of up to `length` steps.
std::vector<Buffer> ManyBuffers(int count, int64_t length) {
  Rng rng(7);
  const auto below = [&](int64_t end) {
    return static_cast<int64_t>(UniformUnit(rng) * static_cast<double>(end));
  };
  std::vector<Buffer> buffers;
  for (int i = 0; i < count; ++i) {
    const int64_t lower = below(count);
    buffers.push_back(
        Make(std::to_string(i).c_str(), lower, lower + 1 + below(length), 1 + below(1000)));
    buffers.back().alignment = int64_t{1} << below(4);
  }
  return buffers;
}

TEST(Dsa, ManyBuffersHaveAPlacementHoweverLittleTimeThereIs) {
  const StopFlag stop;
  const Deadline none(stop, 0.0);
  for (const int64_t length : {40, 10'000}) {
    std::vector<Buffer> buffers = ManyBuffers(30'000, length);
    buffers[5].fixed = 4096;
    Options options;
    options.deadline = &none;
    const Solution solution = Minimize(buffers, options);
    ASSERT_EQ(solution.status, Status::kPlaced);
    EXPECT_TRUE(CheckPlacement({buffers, solution.height}, solution.offsets).empty());
    EXPECT_GE(solution.height, solution.lower_bound);
  }
}

// What is too large for the exact search is searched by orders, and says that it is.
// The first of two parts that are too large must not take the time of the second.
TEST(Dsa, APartThatFitsIsLeftAtOnce) {
  Rng random(7);
  std::vector<Buffer> buffers;
  for (const int64_t begin : {0, 100'000}) {
    for (int64_t i = 0; i < 4'500; ++i) {
      const int64_t lower = begin + static_cast<int64_t>(UniformBelow(random, 500));
      const auto length = 1 + static_cast<int64_t>(UniformBelow(random, 40));
      const auto size = 1 + static_cast<int64_t>(UniformBelow(random, 100));
      buffers.push_back(Make("b", lower, lower + length, size));
    }
  }
  const StopFlag never;
  const Deadline deadline(never, 3);
  Options options;
  options.deadline = &deadline;
  options.heuristics = false;
  const Problem problem{buffers, 3 * FindPeakLoad(buffers).bytes / 2};
  const Solution solution = Solve(problem, options);
  EXPECT_EQ(solution.status, Status::kPlaced);
  EXPECT_FALSE(deadline.Passed());
}

TEST(Dsa, MoreThanTheSearchHoldsIsTriedInOtherOrders) {
  const std::vector<Buffer> buffers = ManyBuffers(5000, 200);
  Options options;
  const int64_t first = FirstFit({buffers, int64_t{1} << 40}, options).height;
  const Solution least = Minimize(buffers, options);
  EXPECT_LT(least.height, first);
  options.heuristics = false;
  const Solution found = Solve({buffers, first - 1}, options);
  EXPECT_EQ(found.status, Status::kPlaced);
  EXPECT_TRUE(CheckPlacement({buffers, first - 1}, found.offsets).empty());
  const Solution tight = Solve({buffers, least.lower_bound}, options);
  EXPECT_EQ(tight.status, Status::kUnknown);
  EXPECT_GT(tight.too_large, 4000U);
}

}  // namespace
}  // namespace inlay::dsa
