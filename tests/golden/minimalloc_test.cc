// The hard instances of MiniMalloc, and the large ones of idealloc where they are at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "inlay/io/load.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "tests/support/paths.h"
#include "tests/support/random_case.h"

namespace inlay::dsa {
namespace {

constexpr int64_t kCapacity = 1048576;

std::vector<Buffer> Load(const std::string& path) {
  io::LoadRecord record;
  const auto buffers = io::LoadBuffers(path, &record);
  EXPECT_TRUE(buffers.has_value()) << path;
  return buffers.value_or(std::vector<Buffer>());
}

class MiniMallocTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<Buffer> buffers_ = Load(std::string(INLAY_SOURCE_DIR) + "/tests/golden/minimalloc/" +
                                      GetParam() + ".1048576.csv");
};

TEST_P(MiniMallocTest, IsPlacedHoweverItIsWritten) {
  Problem problem{buffers_, kCapacity};
  std::mt19937_64 random(1);
  const int64_t times = testing::CaseCount(1, 12);
  for (int64_t i = 0; i < times; ++i) {
    const Solution solution = Solve(problem);
    ASSERT_EQ(solution.status, Status::kPlaced);
    EXPECT_TRUE(CheckPlacement(problem, solution.offsets).empty());
    EXPECT_LE(solution.height, kCapacity);
    std::shuffle(problem.buffers.begin(), problem.buffers.end(), random);
    for (Buffer& b : problem.buffers) {  // backwards in time
      const int64_t lower = b.lower;
      b.lower = 2 * kCapacity - b.upper;
      b.upper = 2 * kCapacity - lower;
    }
  }
}

TEST_P(MiniMallocTest, DoesNotFitBelowThePeakLoad) {
  const Problem problem{buffers_, FindPeakLoad(buffers_).bytes - 1};
  EXPECT_EQ(Solve(problem).status, Status::kInfeasible);
  const auto window = SmallestInfeasibleWindow(problem);
  ASSERT_TRUE(window);
  int64_t sum = 0;
  for (const size_t i : window->members) sum += buffers_[i].size;
  EXPECT_GT(sum, problem.capacity);
}

INSTANTIATE_TEST_SUITE_P(All, MiniMallocTest,
                         ::testing::Values("A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"),
                         [](const auto& name) { return std::string(name.param); });

class LargeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LargeTest, FirstFitIsWithinOnePercentOfThePeakLoad) {
  const std::string path =
      std::string(INLAY_SOURCE_DIR) + "/../shared/workloads/dsa-idealloc/" + GetParam() + ".csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: needs shared/workloads";
  const std::vector<Buffer> buffers = Load(path);
  const int64_t peak = FindPeakLoad(buffers).bytes;
  const Problem problem{buffers, peak + peak / 100};
  const Solution solution = Solve(problem);
  ASSERT_EQ(solution.status, Status::kPlaced);
  EXPECT_TRUE(CheckPlacement(problem, solution.offsets).empty());
  EXPECT_EQ(solution.nodes, 0);
}

INSTANTIATE_TEST_SUITE_P(All, LargeTest, ::testing::Values("G_1", "resnet50", "pangu_2.6B", "S_1"));

}  // namespace
}  // namespace inlay::dsa
