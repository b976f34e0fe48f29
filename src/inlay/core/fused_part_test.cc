#include "inlay/core/fused_part.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fused_case.h"

namespace inlay {
namespace {

FusedProblem ThreeProducts() {
  return testing::FusedOf({{"m", 24}, {"k", 12}, {"n", 16}, {"p", 8}, {"q", 6}},
                          {"E1: A[m,k] U[k,n] -> B[m,n]", "E2: B[m,n] V[n,p] -> C[m,p]",
                           "E3: C[m,p] W[p,q] -> D[m,q]"});
}

TEST(FusedPart, NodesHaveOnlyTheirOwnDimensionsAndTensors) {
  const FusedProblem problem = ThreeProducts();
  const FusedProblem last = PartOf(problem, NodeId(1), NodeId(3)).problem;
  EXPECT_EQ(DimNames(last), (std::vector<std::string>{"m", "n", "p", "q"}));
  EXPECT_EQ(NodeNames(last), (std::vector<std::string>{"E2", "E3"}));
  EXPECT_EQ(last.tensors.size(), 5U);
  EXPECT_TRUE(Validate(last).empty());
  EXPECT_EQ(Operations(last), 24 * 16 * 8 + 24 * 8 * 6);
  EXPECT_EQ(PartOf(problem, NodeId(0), NodeId(3)).problem, problem);
}

TEST(FusedPart, WhatNodesOutsideReadIsAnOutput) {
  const FusedProblem problem =
      testing::FusedOf({{"m", 4}, {"k", 4}, {"n", 4}, {"p", 4}},
                       {"E1: A[m,k] U[k,n] -> B[m,n]", "E2: B[m,n] V[n,p] -> C[m,p]",
                        "E3: C[m,p] B[m,n] -> D[n,p]"});
  const FusedProblem first = PartOf(problem, NodeId(0), NodeId(2)).problem;
  ASSERT_EQ(first.outputs.size(), 1U);
  EXPECT_EQ(first.tensors[first.outputs.front()], "B");
}

TEST(FusedPart, TreesGoToThePartAndBack) {
  const FusedProblem problem = ThreeProducts();
  const FusedPart part = PartOf(problem, NodeId(1), NodeId(3));
  const FusedTree whole =
      testing::TreeOf(problem, {testing::Hold("A"), testing::Hold("U"), testing::Hold("B"),
                                testing::Hold("V"), testing::Hold("C"), testing::Hold("W"),
                                testing::Hold("D"), "E1", testing::For("p", 2, {"E2"}), "E3"});
  FusedTree last;  // E2 in its loop, and E3
  const FusedTree* split = &whole;
  while (!split->IsSplit()) split = &split->children.front();
  last.children = {split->children[1], split->children[2]};
  const FusedTree own = TreeInPart(part, last);
  EXPECT_EQ(own.children[1].leaf()->node, NodeId(1));
  EXPECT_EQ(part.problem.dims[own.children[0].loop()->dim].name, "p");
  EXPECT_EQ(TreeInWhole(part, own), last);
}

}  // namespace
}  // namespace inlay
