// Fused mappings: counting one turn for all that differ in place only is counting every turn; and
// files say what was written into them.
#include <gtest/gtest.h>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused/count.h"
#include "inlay/io/native/native.h"
#include "tests/support/native.h"
#include "tests/support/random_fused.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::FusedTestCase;
using testing::Random;
using testing::RandomFusedCase;

TEST(FusedCountTest, AlikeTurnsAreCountedOnce) {
  const int64_t cases = CaseCount(2000, 20000);
  int64_t retaining = 0, recomputing = 0, shared = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const FusedTestCase c = RandomFusedCase(random);
    ASSERT_TRUE(Validate(c.problem).empty()) << testing::Describe(c);
    const auto all = CountFused(c.problem, c.architecture, c.tree, {.every_turn = true});
    const auto alike = CountFused(c.problem, c.architecture, c.tree);
    ASSERT_TRUE(all && alike);
    EXPECT_EQ(*all, *alike) << "seed " << seed << "\n" << testing::Describe(c);
    if (HasFailure()) return;
    int64_t operations = 0;
    for (const FusedNodeCounts& node : all->nodes) operations += node.operations;
    recomputing += operations > Operations(c.problem) ? 1 : 0;
    const FusedOutline outline(c.problem, c.tree);
    bool retains = false, shares = false;
    for (size_t p = 0; p < outline.places().size(); ++p) {
      const FusedTree& tree = *outline[p].tree;
      retains = retains || (tree.hold() != nullptr && tree.hold()->retain);
      shares = shares ||
               (tree.loop() != nullptr && outline[p].end.value() > outline[p].first.value() + 1);
    }
    retaining += retains ? 1 : 0;
    shared += shares ? 1 : 0;
  }
  // The generator makes what it is meant to.
  EXPECT_GT(retaining, cases / 20);
  EXPECT_GT(recomputing, cases / 50);
  EXPECT_GT(shared, cases / 5);
}

TEST(FusedCountTest, FilesReadBack) {
  for (int64_t seed = 0; seed < CaseCount(300, 3000); ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const FusedTestCase c = RandomFusedCase(random);
    const std::string text = testing::Describe(c);
    const auto inputs = testing::ReadText(text);
    ASSERT_TRUE(inputs) << text << Format(inputs.error());
    EXPECT_EQ(inputs->fused->problem, c.problem) << text;
    const auto tree = inputs->fused->tree(c.architecture);
    ASSERT_TRUE(tree) << text << Format(tree.error());
    EXPECT_EQ(*tree, c.tree) << text;
  }
}

}  // namespace
}  // namespace inlay
