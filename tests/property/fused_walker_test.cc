// The closed form of fused mappings equals the walker, count by count, on random trees.
#include "inlay/cost/fused_walker.h"

#include <gtest/gtest.h>

#include "inlay/cost/fused/count.h"
#include "tests/support/random_fused.h"

namespace inlay {
namespace {

TEST(FusedWalkerTest, ClosedFormEqualsWalker) {
  const int64_t cases = testing::CaseCount(2000, 20000);
  for (int64_t seed = 0; seed < cases; ++seed) {
    testing::Random random(static_cast<uint64_t>(seed) + 1'000'000);
    const testing::FusedTestCase c = testing::RandomFusedCase(random);
    const auto counted = CountFused(c.problem, c.architecture, c.tree);
    const auto walked = WalkFused(c.problem, c.architecture, c.tree);
    ASSERT_TRUE(counted) << testing::Describe(c);
    ASSERT_TRUE(walked) << "seed " << seed << ": " << walked.error().message << "\n"
                        << testing::Describe(c);
    EXPECT_TRUE(walked->numeric_check);
    EXPECT_EQ(*counted, walked->counts);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << testing::Describe(c);
  }
}

}  // namespace
}  // namespace inlay
