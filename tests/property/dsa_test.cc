// Address allocation against brute force, for every combination of the search's switches.
#include "inlay/scratchpad/dsa/dsa.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/buffers.h"

namespace inlay::dsa {
namespace {

using testing::CaseCount;
using testing::Random;

constexpr int kSwitches = 5;
constexpr int64_t kMostBuffers = 7;

Options Switched(int bits) {
  Options options;
  options.heuristics = (bits & 1) != 0;
  options.split = (bits & 2) != 0;
  options.skip_identical = (bits & 4) != 0;
  options.section_bound = (bits & 8) != 0;
  options.restarts = (bits & 16) != 0;
  return options;
}

std::string Describe(const Problem& problem) {
  std::string text = fmt::format("capacity {}\n", problem.capacity);
  for (const Buffer& b : problem.buffers) {
    text += fmt::format("{} [{}, {}) size {} alignment {} fixed {}\n", b.id, b.lower, b.upper,
                        b.size, b.alignment, b.fixed.value_or(-1));
  }
  return text;
}

void ExpectVerdict(const Problem& problem, const Options& options, bool fits) {
  const Solution solution = Solve(problem, options);
  ASSERT_EQ(solution.status, fits ? Status::kPlaced : Status::kInfeasible);
  if (fits) {
    EXPECT_TRUE(CheckPlacement(problem, solution.offsets).empty());
    EXPECT_LE(solution.lower_bound, solution.height);
    EXPECT_LE(solution.height, problem.capacity);
  } else {
    EXPECT_GT(solution.lower_bound, problem.capacity);
    EXPECT_TRUE(solution.offsets.empty());
  }
}

TEST(DsaProperty, AllSwitchesAgreeWithBruteForce) {
  Random random(1);
  int64_t placed = 0, refused = 0, tight = 0;
  const int64_t cases = CaseCount(1500, 20000);
  for (int64_t i = 0; i < cases; ++i) {
    const Problem problem = testing::RandomBuffers(random, kMostBuffers);
    SCOPED_TRACE(Describe(problem));
    const bool fits = testing::FitsByBruteForce(problem);
    ++(fits ? placed : refused);
    if (!fits && FindPeakLoad(problem.buffers).bytes <= problem.capacity) ++tight;
    for (int bits = 0; bits < 1 << kSwitches; ++bits) {
      ExpectVerdict(problem, Switched(bits), fits);
      if (HasFatalFailure()) return;
    }
  }
  // Neither kind of answer is rare, nor are those that the peak load does not explain.
  EXPECT_GT(placed, cases / 5);
  EXPECT_GT(refused, cases / 5);
  EXPECT_GT(tight, cases / 20);
}

TEST(DsaProperty, NeitherOrderNorDirectionOfTimeMatters) {
  Random random(2);
  for (int64_t i = 0; i < CaseCount(1500, 20000); ++i) {
    Problem problem = testing::RandomBuffers(random, kMostBuffers);
    SCOPED_TRACE(Describe(problem));
    const bool fits = testing::FitsByBruteForce(problem);
    std::shuffle(problem.buffers.begin(), problem.buffers.end(), random);
    ExpectVerdict(problem, {}, fits);
    for (Buffer& b : problem.buffers) {
      const int64_t lower = b.lower;
      b.lower = 20 - b.upper;
      b.upper = 20 - lower;
    }
    Options options;
    options.heuristics = false;
    options.seed = static_cast<uint64_t>(i);
    ExpectVerdict(problem, options, fits);
    if (HasFatalFailure()) return;
  }
}

TEST(DsaProperty, TheLeastCapacityIsThatOfBruteForce) {
  Random random(3);
  for (int64_t i = 0; i < CaseCount(500, 20000); ++i) {
    const Problem problem = testing::RandomBuffers(random, kMostBuffers - 1);
    SCOPED_TRACE(Describe(problem));
    const auto least = testing::LeastCapacityByBruteForce(problem.buffers, 60);
    Options options;
    options.heuristics = i % 2 == 0;
    const Solution solution = Minimize(problem.buffers, options);
    ASSERT_EQ(solution.status, least ? Status::kPlaced : Status::kInfeasible);
    if (!least) continue;
    EXPECT_EQ(solution.height, *least);
    EXPECT_EQ(solution.lower_bound, *least);
    EXPECT_TRUE(CheckPlacement({problem.buffers, *least}, solution.offsets).empty());
  }
}

Problem Clip(const Problem& problem, const InfeasibleWindow& window) {
  Problem clipped{{}, problem.capacity};
  for (const size_t i : window.members) {
    clipped.buffers.push_back(problem.buffers[i]);
    Buffer& b = clipped.buffers.back();
    b.lower = std::clamp(b.lower, window.lower, window.upper);
    b.upper = std::clamp(b.upper, window.lower, window.upper);
  }
  return clipped;
}

TEST(DsaProperty, InfeasibleWindowsAreInfeasibleAndSmall) {
  Random random(4);
  int64_t wide = 0;
  for (int64_t i = 0; i < CaseCount(1500, 20000); ++i) {
    const Problem problem = testing::RandomBuffers(random, kMostBuffers);
    SCOPED_TRACE(Describe(problem));
    const auto window = SmallestInfeasibleWindow(problem);
    ASSERT_EQ(window.has_value(), !testing::FitsByBruteForce(problem));
    if (!window) continue;
    SCOPED_TRACE(
        fmt::format("[{}, {}) {}", window->lower, window->upper, fmt::join(window->members, " ")));
    EXPECT_FALSE(testing::FitsByBruteForce(Clip(problem, *window)));
    for (size_t out = 0; out < window->members.size(); ++out) {
      InfeasibleWindow fewer = *window;
      fewer.members.erase(fewer.members.begin() + static_cast<std::ptrdiff_t>(out));
      EXPECT_TRUE(testing::FitsByBruteForce(Clip(problem, fewer)));
    }
    if (FindPeakLoad(problem.buffers).bytes > problem.capacity) continue;
    ++wide;
    std::vector<int64_t> times;
    for (const Buffer& b : problem.buffers) {
      if (TakesRoom(b)) times.insert(times.end(), {b.lower, b.upper});
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    // One stretch less at either end; between two starts or ends nothing changes.
    const auto begin = std::find(times.begin(), times.end(), window->lower);
    const auto end = std::find(times.begin(), times.end(), window->upper);
    ASSERT_TRUE(begin < end && end != times.end());
    const InfeasibleWindow later{*std::next(begin), *end, window->members};
    const InfeasibleWindow earlier{*begin, *std::prev(end), window->members};
    EXPECT_TRUE(testing::FitsByBruteForce(Clip(problem, later)));
    EXPECT_TRUE(testing::FitsByBruteForce(Clip(problem, earlier)));
  }
  EXPECT_GT(wide, 0);
}

}  // namespace
}  // namespace inlay::dsa
