// The closed form of fused mappings equals the walker, count by count, on random trees.
#include "inlay/cost/fused_walker.h"

#include <gtest/gtest.h>

#include "inlay/cost/fused/count.h"
#include "tests/support/random_fused.h"

namespace inlay {
namespace {

TEST(FusedWalkerTest, ClosedFormEqualsWalker) {
  const int64_t cases = testing::CaseCount(2000, 20000);
  int64_t bordered = 0, at_border = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    testing::Random random(static_cast<uint64_t>(seed) + 1'000'000);
    const testing::FusedTestCase c = testing::RandomFusedCase(random);
    const auto counted = CountFused(c.problem, c.architecture, c.tree);
    const auto walked = WalkFused(c.problem, c.architecture, c.tree);
    ASSERT_TRUE(counted) << testing::Describe(c);
    ASSERT_TRUE(walked) << "seed " << seed << ": " << walked.error().message << "\n"
                        << testing::Describe(c);
    EXPECT_TRUE(walked->numeric_check);
    FusedCounts expected = *counted;
    if (HasBorders(c.problem)) {
      // Tiles are counted as large as they are away from borders, which may be nowhere.
      ++bordered;
      EXPECT_LE(walked->counts.room_words, expected.room_words);
      at_border += walked->counts.room_words < expected.room_words ? 1 : 0;
      expected.room_words = walked->counts.room_words;
      for (size_t h = 0; h < expected.holds.size(); ++h) {
        EXPECT_LE(walked->counts.holds[h].tile_words, expected.holds[h].tile_words);
        expected.holds[h].tile_words = walked->counts.holds[h].tile_words;
      }
    }
    EXPECT_EQ(expected, walked->counts);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << testing::Describe(c);
  }
  EXPECT_GT(bordered, cases / 20);
  EXPECT_LT(at_border, bordered / 2);
}

}  // namespace
}  // namespace inlay
