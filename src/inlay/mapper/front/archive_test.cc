#include "inlay/mapper/front/archive.h"

#include <gtest/gtest.h>

#include <limits>

namespace inlay::exact_search {
namespace {

Solution Taking(int64_t cycles) {
  Solution solution;
  solution.cost.cycles = cycles;
  return solution;
}

TEST(FrontArchiveTest, KeepsWhatNoOtherBeats) {
  FrontArchive archive;
  EXPECT_TRUE(archive.Offer(1, 10, Taking(5)));
  EXPECT_TRUE(archive.Offer(1, 8, Taking(5)));   // of the same footprint: beats the first
  EXPECT_FALSE(archive.Offer(2, 8, Taking(6)));  // a smaller footprint is as good
  EXPECT_FALSE(archive.Offer(2, 8, Taking(5)));
  EXPECT_TRUE(archive.Offer(2, 9, Taking(4)));
  EXPECT_TRUE(archive.Offer(3, 7, Taking(4)));  // larger than both, so these stay
  const std::vector<FrontPoint> front = archive.Take();
  ASSERT_EQ(front.size(), 3U);
  const std::vector<std::array<int64_t, 3>> expected = {{1, 8, 5}, {2, 9, 4}, {3, 7, 4}};
  for (size_t i = 0; i < front.size(); ++i) {
    const std::array point = {front[i].footprint_words, front[i].offchip_words, front[i].cycles};
    EXPECT_EQ(point, expected[i]);
  }
  EXPECT_TRUE(archive.Take().empty());
}

TEST(FrontArchiveTest, FewestCyclesByOffchipWords) {
  FrontArchive archive;
  archive.Offer(1, 8, Taking(5));
  archive.Offer(2, 9, Taking(4));
  EXPECT_EQ(archive.CyclesAt(7), std::numeric_limits<double>::infinity());
  EXPECT_EQ(archive.CyclesAt(8), 5);
  EXPECT_EQ(archive.CyclesAt(20), 4);
  EXPECT_TRUE(archive.Excludes(8, 5));
  EXPECT_FALSE(archive.Excludes(8, 4));
  EXPECT_FALSE(archive.Excludes(7, 9));
}

}  // namespace
}  // namespace inlay::exact_search
