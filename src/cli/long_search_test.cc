#include "cli/long_search.h"

#include <gtest/gtest.h>

#include <atomic>

namespace inlay::cli {
namespace {

using std::chrono::milliseconds;

TEST(LongSearchNote, SpeaksOnceOfWhatTakesLong) {
  std::atomic<int> told = 0;
  {
    const LongSearchNote note([&] { ++told; }, milliseconds(1));
    for (int i = 0; i < 2000 && told == 0; ++i) std::this_thread::sleep_for(milliseconds(5));
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(told, 1);
  }
  EXPECT_EQ(told, 1);
}

TEST(LongSearchNote, IsSilentOfWhatEndsBefore) {
  std::atomic<int> told = 0;
  {
    const LongSearchNote note([&] { ++told; }, milliseconds(600'000));
  }
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace inlay::cli
