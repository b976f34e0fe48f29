// The worked examples of docs/reference/fused-semantics.md, whose figures were counted by hand.
#include "inlay/cost/fused/count.h"

#include <gtest/gtest.h>

#include "inlay/cost/fused/finish.h"
#include "tests/support/native.h"

namespace inlay {
namespace {

constexpr const char* kProducts = R"(
format: inlay/1
fused:
  dims: {m: 4, n0: 4, n1: 4, n2: 4}
  nodes:
  - {name: E1, tensors: {T0: "[m, n0]", W0: "[n0, n1]", T1: "[m, n1] +="}}
  - {name: E2, tensors: {T1: "[m, n1]", W1: "[n1, n2]", T2: "[m, n2] +="}}
  tree:
)";
constexpr const char* kWindows = R"(
format: inlay/1
fused:
  dims: {p1: 8, r1: 3, p2: 6, r2: 3}
  nodes:
  - {name: E1, tensors: {T0: "[p1 + r1]", W0: "[r1]", T1: "[p1] +="}}
  - {name: E2, tensors: {T1: "[p2 + r2]", W1: "[r2]", T2: "[p2] +="}}
  tree:
)";
constexpr const char* kPlanes = R"(
format: inlay/1
fused:
  dims: {p1: 6, q1: 6, p2: 4, q2: 4, r2: 3, s2: 3}
  nodes:
  - {name: E1, tensors: {T0: "[p1, q1]", T1: "[p1, q1] +="}}
  - {name: E2, tensors: {T1: "[p2 + r2, q2 + s2]", W1: "[r2, s2]", T2: "[p2, q2] +="}}
  tree:
)";
constexpr const char* kStrided = R"(
format: inlay/1
fused:
  dims: {d0: 3, d1: 5, d2: 6, d3: 2, d4: 3, d5: 8}
  nodes:
  - {name: E1, tensors: {T3: "[d4, d1, d5]", T1: "[d4, d1, d5] +="}}
  - {name: E2, tensors: {T1: "[d0, d1, d2 + 2*d3]", T2: "[d3]", T0: "[d0, d1, d2] +="}}
  tree:
)";
constexpr const char* kAttention = R"(
format: inlay/1
fused:
  dims: {m: 4, p: 4, e: 2, f: 2}
  nodes:
  - {name: QK, tensors: {Q: "[m, e]", K: "[p, e]", A: "[m, p] +="}}
  - {name: SM, tensors: {A: "[m, p]", B: "[m, p] +="}, softmax: p}
  - {name: AV, tensors: {B: "[m, p]", V: "[p, f]", O: "[m, f] +="}}
  tree:
)";
constexpr const char* kArchitecture = R"(
---
format: inlay/1
architecture:
  name: two
  levels:
  - {name: DRAM, kind: dram, energy: {read: 1 pJ, fill: 1 pJ, update: 1 pJ}}
  - {name: pad, kind: sram, energy: {read: 1 pJ, fill: 1 pJ, update: 1 pJ}, read_bandwidth: 2 words/cycle}
  - {compute: mac, energy: 1 pJ}
)";

FusedCost CostOf(const std::string& problem, const std::string& tree) {
  const auto inputs = testing::ReadText(problem + tree + kArchitecture);
  EXPECT_TRUE(inputs) << Format(inputs.error());
  const auto bound = inputs->fused->tree(*inputs->architecture);
  EXPECT_TRUE(bound) << Format(bound.error());
  const auto counts = CountFused(inputs->fused->problem, *inputs->architecture, *bound);
  EXPECT_TRUE(counts);
  return FinishFused(inputs->fused->problem, *inputs->architecture, *counts).value();
}

std::vector<int64_t> Entered(const FusedCost& cost) {
  std::vector<int64_t> words;
  for (const FusedHoldCounts& hold : cost.counts.holds) words.push_back(hold.entered_words);
  return words;
}

TEST(CountFusedTest, ChainOfProducts) {
  const FusedCost cost = CostOf(kProducts, R"(
  - for m in 4 step 2:
    - hold T1
    - for n0 in 4 step 1:
      - hold T0
      - for n1 in 4 step 1:
        - hold W0
        - E1
    - for n2 in 4 step 1:
      - hold T2
      - for n1 in 4 step 1:
        - hold W1
        - E2
)");
  EXPECT_EQ(cost.offchip_words, 96);
  EXPECT_EQ(cost.counts.room_words, 11);
  EXPECT_EQ(Entered(cost), (std::vector<int64_t>{16, 16, 32, 16, 32}));
  EXPECT_EQ(cost.counts.nodes[NodeId(0)].executions, 32);
  EXPECT_EQ(cost.operations, 128);
  EXPECT_EQ(cost.recomputed_operations, 0);
  // T1 in the pad: E1 adds to it 64 times, 16 of them for the first time; E2 reads it 64 times.
  const Counts& t1 = cost.levels[LevelId(1)].words[TensorId(2)];
  EXPECT_EQ(t1.updates, 64);
  EXPECT_EQ(t1.reads, 48 + 64);
}

constexpr const char* kRetained = R"(
  - hold W0 W1
  - for p2 in 6 step 2:
    - retain T1
    - hold T0 T2
    - E1
    - E2
)";

TEST(CountFusedTest, RetainedHalo) {
  const FusedCost cost = CostOf(kWindows, kRetained);
  EXPECT_EQ(cost.offchip_words, 22);
  EXPECT_EQ(cost.counts.room_words, 18);
  EXPECT_EQ(Entered(cost), (std::vector<int64_t>{3, 3, 8, 10, 6}));
  EXPECT_EQ(cost.operations, 24 + 18);
}

TEST(CountFusedTest, RecomputedHalo) {
  std::string tree = kRetained;
  tree.replace(tree.find("retain"), 6, "hold");
  const FusedCost cost = CostOf(kWindows, tree);
  EXPECT_EQ(cost.offchip_words, 22);
  EXPECT_EQ(cost.recomputed_operations, 12);
  EXPECT_EQ(Entered(cost), (std::vector<int64_t>{3, 3, 12, 10, 6}));
}

TEST(CountFusedTest, WhatABranchHoldsIsGoneAtItsEnd) {
  const FusedCost cost = CostOf(kWindows, R"(
  - hold W0 W1
  - for p2 in 6 step 2:
    - retain T1
    - branch:
      - hold T0
      - E1
    - branch:
      - hold T2
      - E2
)");
  EXPECT_EQ(Entered(cost), (std::vector<int64_t>{3, 3, 8, 14, 6}));
  EXPECT_EQ(cost.counts.room_words, 3 + 3 + 4 + 6);
}

TEST(CountFusedTest, WholeRowsAreRetained) {
  const FusedCost cost = CostOf(kPlanes, R"(
  - hold W1 T0 T2
  - for p2 in 4 step 2:
    - retain T1
    - for q2 in 4 step 2:
      - E1
      - E2
)");
  EXPECT_EQ(cost.counts.nodes[NodeId(0)].operations, 36);
  EXPECT_EQ(cost.counts.holds[3].tile_words, 24);
}

TEST(CountFusedTest, WhatIsNoBoxIsComputedAgain) {
  const FusedCost cost = CostOf(kPlanes, R"(
  - hold W1 T0 T2
  - for p2 in 4 step 2:
    - for q2 in 4 step 2:
      - retain T1
      - E1
      - E2
)");
  EXPECT_EQ(cost.counts.nodes[NodeId(0)].operations, 48);
  EXPECT_EQ(cost.recomputed_operations, 12);
}

// At d3 = 1 the tile of T1 lacks columns 6 and 7, which two turns of the loop over d2 compute, one
// each: each of the 8 columns of 3 × 5 words is computed once.
TEST(CountFusedTest, WhatATileLacksBeginsInTheMiddleOfALoop) {
  const FusedCost cost = CostOf(kStrided, R"(
  - for d3 in 2 step 1:
    - hold T0 T2
    - retain T1
    - for d2 in 6 step 1:
      - branch:
        - hold T3
        - E1
      - E2
)");
  EXPECT_EQ(cost.counts.nodes[NodeId(0)].executions, 8);
  EXPECT_EQ(cost.counts.nodes[NodeId(0)].operations, 120);
}

TEST(CountFusedTest, NothingNewAlongARankWithoutDimensionsIsNothing) {
  const FusedCost cost = CostOf(R"(
format: inlay/1
fused:
  dims: {q: 3, z: 1, a: 2, b: 2}
  nodes:
  - {name: E1, tensors: {X: "[q]", T: "[0, q] +="}}
  - {name: E2, tensors: {T: "[z, a + b]", Y: "[a] +="}}
  tree:
)",
                                R"(
  - for a in 2 step 1:
    - for b in 2 step 1:
      - retain T
      - hold X Y
      - E1
      - E2
)");
  EXPECT_EQ(cost.counts.nodes[NodeId(0)].executions, 3);  // a = 1, b = 0 has what it needs
  EXPECT_EQ(cost.counts.nodes[NodeId(1)].executions, 4);
}

TEST(CountFusedTest, OnlineSoftmax) {
  const FusedCost cost = CostOf(kAttention, R"(
  - for m in 4 step 2:
    - hold Q O
    - for p in 4 step 2:
      - hold A B
      - branch:
        - hold K
        - QK
      - SM online
      - branch:
        - hold V
        - AV
)");
  EXPECT_EQ(cost.offchip_words, 48);
  EXPECT_EQ(cost.counts.room_words, 20);
  EXPECT_EQ(cost.operations, 32 + 16 + 32 + 16);
  EXPECT_EQ(cost.scaling_operations, 16);
}

}  // namespace
}  // namespace inlay
