#include "inlay/core/node_coverage.h"

#include <gtest/gtest.h>

namespace inlay {
namespace {

ValueId Add(Graph* graph, const std::string& name, Op op, const std::vector<ValueId>& inputs,
            const std::optional<Shape>& shape = {}) {
  EXPECT_TRUE(AddNode({name, op, {}, inputs, {{name + ":0", shape}}}, graph));
  return graph->nodes.back().outputs.front();
}

// A product, two element-wise nodes, a pool, a slice and a view.
Graph Mixed() {
  Graph graph;
  graph.name = "mixed";
  graph.values.push_back({"x", {6, 8}, ValueRole::kInput, {}});
  graph.values.push_back({"w", {8, 10}, ValueRole::kWeight, {}});
  const ValueId product = Add(&graph, "product", Op::kGemm, {ValueId(0), ValueId(1)});
  const ValueId sum = Add(&graph, "sum", Op::kElementwise, {product, product});
  const ValueId half = Add(&graph, "half", Op::kSlice, {sum}, Shape{3, 10});
  const ValueId seen = Add(&graph, "seen", Op::kView, {half}, Shape{30});
  const ValueId most = Add(&graph, "most", Op::kReduce, {seen}, Shape{1});
  graph.outputs = {Add(&graph, "end", Op::kElementwise, {most})};
  graph.folded_nodes = 4;
  return graph;
}

TEST(NodeCoverage, CountsWhatDoesNotMultiplyByKind) {
  const Graph graph = Mixed();
  const NodeCoverage coverage = CoverageOf(graph, ValueBits(graph.values.size(), 16));
  EXPECT_EQ(coverage.nodes, 5);
  EXPECT_EQ(coverage.compute_nodes, 1);
  EXPECT_EQ(coverage.other_nodes, 4);
  EXPECT_EQ(coverage.views, 1);
  EXPECT_EQ(coverage.folded_nodes, 4);
  // By hand: the sum reads its operand twice and writes 60 words; the slice reads what it writes.
  const std::vector<NodeKindTotals> expected = {{"elementwise", 2, 60 + 1, 2 * (3 * 60 + 2)},
                                                {"slice", 1, 0, 2 * (30 + 30)},
                                                {"reduce", 1, 30, 2 * (30 + 1)}};
  EXPECT_EQ(coverage.others, expected);
  EXPECT_EQ(coverage.other_operations, 91);
  EXPECT_EQ(coverage.other_bytes, 2 * (182 + 60 + 31));
}

TEST(NodeCoverage, WhatVectorUnitsRunIsNotListed) {
  const Graph graph = Mixed();
  WhyNotCounted why_not(graph.nodes.size());
  why_not[NodeId(2)] = "no unit";  // the slice
  why_not[NodeId(5)] = "no time";  // the last of two elementwise nodes
  const NodeCoverage coverage = CoverageOf(graph, ValueBits(graph.values.size(), 16), &why_not);
  EXPECT_EQ(coverage.nodes, 5);
  EXPECT_EQ(coverage.vector_nodes, 2);
  EXPECT_EQ(coverage.other_nodes, 2);
  const std::vector<NodeKindTotals> expected = {{"slice", 1, 0, 2 * (30 + 30), "no unit"},
                                                {"elementwise", 1, 1, 2 * 2, "no time"}};
  EXPECT_EQ(coverage.others, expected);
  EXPECT_EQ(SumOf({coverage, coverage}).vector_nodes, 4);
}

TEST(NodeCoverage, EveryValueHasItsOwnWidth) {
  const Graph graph = Mixed();
  const auto bits = BitsOfValues(graph, {{"all", 32}, {"sum:0", 8}});
  const NodeCoverage coverage = CoverageOf(graph, *bits);
  EXPECT_EQ(coverage.others[0].bytes, 4 * (2 * 60 + 2) + 60);
  EXPECT_EQ(coverage.others[1].bytes, 30 + 4 * 30);
}

TEST(NodeCoverage, GatesOfRecurrentNodesAreListedBesideThem) {
  Graph graph;
  graph.name = "recurrent";
  graph.values.push_back({"x", {5, 2, 6}, ValueRole::kInput, {}});
  for (const char* name : {"w1", "r1", "w2", "r2"}) {
    const bool input = name[0] == 'w';
    graph.values.push_back({name, {1, 12, input ? 6 : 3}, ValueRole::kWeight, {}});
  }
  Add(&graph, "one", Op::kLstm, {ValueId(0), ValueId(1), ValueId(2)});
  Add(&graph, "two", Op::kLstm, {ValueId(0), ValueId(3), ValueId(4)});
  graph.outputs = {graph.nodes[NodeId(0)].outputs.front(), graph.nodes[NodeId(1)].outputs.front()};
  const NodeCoverage coverage = CoverageOf(graph, ValueBits(graph.values.size(), 16));
  EXPECT_EQ(coverage.compute_nodes, 2);
  EXPECT_EQ(coverage.other_nodes, 0);
  const int64_t states = 5 * 2 * 3;
  EXPECT_EQ(coverage.gates,
            (std::vector<NodeKindTotals>{{"lstm", 2, 2 * 13 * states, 2 * 2 * 11 * states}}));
  // Several networks: kinds are added up, the largest first.
  const NodeCoverage sum = SumOf({CoverageOf(Mixed(), ValueBits(8, 16)), coverage, coverage});
  EXPECT_EQ(sum.nodes, 5 + 2 + 2);
  EXPECT_EQ(sum.others, CoverageOf(Mixed(), ValueBits(8, 16)).others);
  EXPECT_EQ(sum.gates.front().nodes, 4);
  EXPECT_EQ(sum.gates.front().operations, 4 * 13 * states);
}

TEST(NodeCoverage, SumsThatDoNotFitAreTheMost) {
  Graph graph;
  graph.values.push_back({"x", {INT64_MAX / 4}, ValueRole::kInput, {}});
  ValueId last = ValueId(0);
  for (int i = 0; i < 9; ++i) {
    last = Add(&graph, "n" + std::to_string(i), Op::kElementwise, {last});
  }
  graph.outputs = {last};
  const NodeCoverage coverage = CoverageOf(graph, ValueBits(graph.values.size(), 16));
  EXPECT_EQ(coverage.other_bytes, INT64_MAX);
  EXPECT_EQ(coverage.other_operations, INT64_MAX);
}

}  // namespace
}  // namespace inlay
