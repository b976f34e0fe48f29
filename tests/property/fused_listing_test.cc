// The listing of fused mappings, by which the search is tested, against every single tree of the
// smallest problems; and what it says of its trees against closed form and walker.
#include "tests/support/fused_listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused/count.h"
#include "inlay/cost/fused/finish.h"
#include "inlay/cost/fused_walker.h"
#include "tests/support/fused_case.h"
#include "tests/support/tiny_fused.h"

namespace inlay {
namespace {

using testing::FusedListingOptions;
using testing::FusedOf;

std::string Line(int64_t room, int64_t words) { return fmt::format("{} {}\n", room, words); }

// By the closed form, and every 50th tree by the walker as well.
std::string FrontOfAllTrees(const FusedProblem& problem, const FusedListingOptions& options) {
  const Architecture machine = testing::PadMachine();
  std::map<int64_t, int64_t> best;  // words by room
  int64_t trees = 0;
  testing::ForEachFusedTree(problem, options, [&](const FusedTree& tree) {
    const auto counts = CountFused(problem, machine, tree);
    ASSERT_TRUE(counts);
    const auto cost = FinishFused(problem, machine, *counts);
    ASSERT_TRUE(cost);
    if (trees++ % 50 == 0) {
      const auto walk = WalkFused(problem, machine, tree);
      ASSERT_TRUE(walk) << walk.error().message;
      EXPECT_TRUE(walk->numeric_check);
      EXPECT_EQ(walk->counts, *counts);
    }
    auto& words = best.emplace(counts->room_words, cost->offchip_words).first->second;
    words = std::min(words, cost->offchip_words);
  });
  std::string front;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const auto& [room, words] : best) {
    if (words < least) front += Line(room, words);
    least = std::min(least, words);
  }
  return front;
}

std::string Listed(const FusedProblem& problem, const FusedListingOptions& options) {
  std::string front;
  for (const auto& step : testing::ListFused(problem, options)) {
    front += Line(step.room_words, step.offchip_words);
  }
  return front;
}

TEST(FusedListingTest, IsTheFrontOfAllTrees) {
  std::vector<FusedProblem> problems = {
      FusedOf({{"m", 3}}, {"A: X[m] -> Y[m]", "B: Y[m] -> Z[m]"}),
      FusedOf({{"m", 3}, {"n", 2}, {"k", 2}}, {"A: X[m, k] W[k, n] -> Y[m, n]"}),
      FusedOf({{"p", 3}, {"r", 2}}, {"A: X[p + r] W[r] -> Y[p]"}),
      FusedOf({{"m", 2}, {"n", 2}}, {"A: X[m, n] -> Y[m]", "B: Y[m] W[m] -> Z[m]"}),
      FusedOf({{"q", 4}, {"p", 3}, {"r", 2}}, {"A: X[q] -> T[q]", "B: T[p + r] -> Y[p]"}),
      FusedOf({{"q", 5}, {"p", 2}, {"r", 3}}, {"A: X[q] -> T[q]", "B: T[2*p + r] -> Y[p]"}),
      FusedOf({{"q", 3}, {"p", 2}, {"r", 2}},
              {"A: X[q] -> T[q]", "B: T[p + r] -> U[p]", "C: T[p] U[p] -> Y[p]"}),
      FusedOf({{"m", 2}}, {"A: X[m] -> Y[m]", "B: Y[m] -> Z[m]", "C: Y[m] Z[m] -> U[m]"}),
      FusedOf({{"p", 2}}, {"QK: Q[p] -> A[p]", "SM: A[p] -> B[p]", "AV: B[p] V[p] -> O[0]"}),
      FusedOf({{"m", 2}, {"n", 2}}, {"A: X[m, n] -> Y[m, n]", "B: Y[m, n] -> Z[m, n]"})};
  // Two sums under one loop, of which one is an output.
  problems.push_back(FusedOf({{"g", 2}, {"m", 2}},
                             {"A: X[g] -> Y[0]", "B: X[g] -> Z[0]", "C: Y[0] Z[0] -> U[m]"}));
  problems.back().outputs = {*FindTensor(problems.back(), "Y")};
  problems[7].outputs = {*FindTensor(problems[7], "Y")};
  problems[8].nodes[NodeId(1)].softmax = DimId(0);
  problems[9].nodes[NodeId(1)].rows = DimId(1);
  FusedListingOptions row, kernels, perfect, none, one, unfused;
  row.softmax = SoftmaxForm::kRow;
  kernels.share_kernel_loops = true;
  perfect.tiles = FusedTiles::kPerfect;
  none.shared_loops = 0;
  one.shared_loops = 1;
  unfused.unfused = true;
  const std::vector<FusedListingOptions> variants = {{}, row, kernels, perfect, none, one, unfused};
  const bool all = testing::CaseCount(0, 1) == 1;
  for (size_t p = 0; p < problems.size(); ++p) {
    ASSERT_TRUE(Validate(problems[p]).empty());
    if (!all && p == 6) continue;  // tens of thousands of trees
    for (size_t v = 0; v < variants.size(); ++v) {
      const bool small = problems[p].nodes.size() < 3;
      if (!all && v != 0 && (!small || v % 4 != p % 4)) continue;
      EXPECT_EQ(Listed(problems[p], variants[v]), FrontOfAllTrees(problems[p], variants[v]))
          << "problem " << p << ", variant " << v;
    }
  }
}

TEST(FusedListingTest, ItsTreesCostWhatItSays) {
  const Architecture machine = testing::PadMachine();
  int64_t trees = 0;
  const int64_t cases = testing::CaseCount(60, 2000);
  for (int64_t seed = 0; seed < cases; ++seed) {
    testing::Random random(static_cast<uint64_t>(seed));
    const FusedProblem problem = testing::TinyFusedProblem(random);
    ASSERT_TRUE(Validate(problem).empty());
    FusedListingOptions options;
    options.share_kernel_loops = seed % 4 == 0;
    if (seed % 3 == 0) options.softmax = SoftmaxForm::kRow;
    for (const auto& step : testing::ListFused(problem, options)) {
      SCOPED_TRACE(fmt::format("seed {}, room {}", seed, step.room_words));
      ASSERT_TRUE(Validate(problem, step.tree).empty());
      const auto walk = WalkFused(problem, machine, step.tree);
      ASSERT_TRUE(walk) << walk.error().message;
      EXPECT_TRUE(walk->numeric_check);
      const auto counts = CountFused(problem, machine, step.tree);
      ASSERT_TRUE(counts);
      EXPECT_EQ(*counts, walk->counts);
      const auto cost = FinishFused(problem, machine, *counts);
      ASSERT_TRUE(cost);
      EXPECT_EQ(Line(counts->room_words, cost->offchip_words),
                Line(step.room_words, step.offchip_words));
      ++trees;
    }
  }
  EXPECT_GT(trees, cases);
}

}  // namespace
}  // namespace inlay
