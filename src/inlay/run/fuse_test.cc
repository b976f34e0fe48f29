#include "inlay/run/fuse.h"

#include <gtest/gtest.h>

#include "inlay/cost/fused/count.h"
#include "tests/support/fused_case.h"

namespace inlay::run {
namespace {

FusedProblem ThreeProducts() {
  return testing::FusedOf({{"m", 24}, {"k", 12}, {"n", 16}, {"p", 8}, {"q", 6}},
                          {"E1: A[m,k] U[k,n] -> B[m,n]", "E2: B[m,n] V[n,p] -> C[m,p]",
                           "E3: C[m,p] W[p,q] -> D[m,q]"});
}

TEST(FuseRunTest, TheResultIsWhatItsTreeCosts) {
  FuseRequest request;
  FuseInputs inputs;
  inputs.problem = ThreeProducts();
  inputs.architecture = testing::PadMachine();
  Level& pad = inputs.architecture.levels[LevelId(1)];
  pad.capacity_words = 300;
  pad.buffering = 2;
  inputs.front = PadRange{40, 150};
  const auto run = run::Run(request, inputs, StopFlag());
  ASSERT_TRUE(run.has_value());
  const auto counts = CountFused(inputs.problem, inputs.architecture, run->tree);
  ASSERT_TRUE(counts.has_value());
  EXPECT_EQ(run->result.room_words, counts->room_words);
  EXPECT_LE(2 * run->result.room_words, 300);
  // Of a buffer that is there twice, sizes are of both halves.
  ASSERT_TRUE(run->result.front && run->result.front_trees);
  EXPECT_EQ(run->result.front->size(), run->result.front_trees->size());
  const auto& largest = run->result.front->back();
  EXPECT_LE(largest.front(), 300);
  EXPECT_GT(largest.front(), 150);
  EXPECT_EQ(largest.back(), run->result.total.offchip_words);
  EXPECT_LE(run->result.compulsory_words, run->result.total.offchip_words);
  int64_t words = 0;
  for (const FuseRunResult& one : run->result.runs) words += one.cost.offchip_words;
  EXPECT_EQ(words, run->result.total.offchip_words);
}

}  // namespace
}  // namespace inlay::run
