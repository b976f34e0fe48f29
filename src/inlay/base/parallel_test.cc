#include "inlay/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace inlay {
namespace {

class ParallelForTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest, testing::Values(-1, 0, 1, 2, 4, 33));

TEST_P(ParallelForTest, EveryIndexOnce) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<std::atomic<int>> calls(count);
    EXPECT_TRUE(ParallelFor(count, GetParam(), [&](size_t i, size_t) { ++calls[i]; }));
    for (const auto& n : calls) EXPECT_EQ(n, 1);
  }
}

TEST_P(ParallelForTest, AWorkerIsOneThreadAtATime) {
  std::vector<std::atomic<int>> inside(static_cast<size_t>(std::max(GetParam(), 1)));
  std::atomic<int> collisions = 0;
  ParallelFor(5000, GetParam(), [&](size_t, size_t worker) {
    ASSERT_LT(worker, inside.size());
    if (++inside[worker] != 1) ++collisions;
    --inside[worker];
  });
  EXPECT_EQ(collisions, 0);
}

TEST_P(ParallelForTest, LoopsInLoops) {
  std::vector<std::atomic<int>> calls(20 * 30);
  ParallelFor(20, GetParam(), [&](size_t i, size_t) {
    ParallelFor(30, GetParam(), [&](size_t j, size_t) { ++calls[i * 30 + j]; });
  });
  for (const auto& n : calls) EXPECT_EQ(n, 1);
}

TEST_P(ParallelForTest, WhatIsThrownArrives) {
  std::atomic<int> after = 0;
  const auto body = [&](size_t i, size_t) {
    if (i == 7) throw std::runtime_error("seven");
    if (i > 100000) ++after;
  };
  try {
    ParallelFor(10'000'000, GetParam(), body);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "seven");
  }
  EXPECT_LT(after, 9'000'000) << "the loop went on";
}

TEST_P(ParallelForTest, OfSeveralTheFirstIsThrown) {
  // Every index throws, and index 0 is always begun.
  const auto body = [](size_t i, size_t) { throw std::runtime_error(std::to_string(i)); };
  for (int repeat = 0; repeat < 20; ++repeat) {
    try {
      ParallelFor(50, GetParam(), body);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "0");
    }
  }
}

TEST_P(ParallelForTest, AStopLeavesOutTheRest) {
  StopFlag stop;
  std::atomic<size_t> calls = 0;
  const auto body = [&](size_t i, size_t) {
    ++calls;
    if (i == 3) stop.Request();
  };
  EXPECT_FALSE(ParallelFor(1'000'000'000, GetParam(), body, &stop));
  EXPECT_GE(calls, 4U);
  EXPECT_FALSE(ParallelFor(1, GetParam(), body, &stop));
}

TEST(ParallelForTest, OneThreadGoesInOrder) {
  std::vector<size_t> order;
  ParallelFor(100, 1, [&](size_t i, size_t) { order.push_back(i); });
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

// In kilobytes.
size_t ResidentMemory() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    size_t kilobytes = 0;
    if (word == "VmRSS:" && file >> kilobytes) return kilobytes;
  }
  return 0;
}

// A study runs millions of loops.
TEST(ParallelForTest, LoopsLeaveNothingBehind) {
  const auto loops = [](int count) {
    for (int i = 0; i < count; ++i) ParallelFor(4, 4, [](size_t, size_t) {});
  };
  loops(1000);
  const size_t before = ResidentMemory();
  ASSERT_GT(before, 0U);
  loops(10'000);
  EXPECT_LT(ResidentMemory(), before + 16'000);
}

TEST(HardwareThreadsTest, AtLeastOne) { EXPECT_GE(HardwareThreads(), 1); }

}  // namespace
}  // namespace inlay
