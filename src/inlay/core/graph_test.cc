#include "inlay/core/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/core/network_totals.h"

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x → conv → a → relu → b → flat (a view) → gemm → y
Graph SmallGraph() {
  Graph graph;
  graph.name = "small";
  graph.values.push_back({"x", {1, 3, 4, 4}, ValueRole::kInput, {}});
  graph.values.push_back({"w", {8, 3, 1, 1}, ValueRole::kWeight, {}});
  graph.values.push_back({"m", {128, 10}, ValueRole::kWeight, {}});
  const auto add = [&graph](NodeSpec spec) { EXPECT_TRUE(AddNode(std::move(spec), &graph)); };
  add({"conv", Op::kConv, {}, {ValueId(0), ValueId(1)}, {{"a", {}}}});
  add({"relu", Op::kElementwise, {}, {ValueId(3)}, {{"b", {}}}});
  add({"flat", Op::kView, {}, {ValueId(4)}, {{"f", Shape{1, 128}}}});
  add({"fc", Op::kGemm, {}, {ValueId(5), ValueId(2)}, {{"y", {}}}});
  graph.outputs = {ValueId(6)};
  return graph;
}

TEST(Graph, NodesGetShapesProblemsAndAliases) {
  const Graph graph = SmallGraph();
  EXPECT_TRUE(Validate(graph).empty());
  EXPECT_EQ(graph.values[ValueId(3)].shape, (Shape{1, 8, 4, 4}));
  EXPECT_EQ(graph.values[ValueId(6)].shape, (Shape{1, 10}));
  EXPECT_EQ(StorageOf(graph, ValueId(5)), ValueId(4));
  EXPECT_EQ(StorageOf(graph, ValueId(4)), ValueId(4));
  const Work& work = graph.nodes[NodeId(3)].works.front();
  ASSERT_EQ(work.operands.size(), 3U);
  EXPECT_EQ(work.operands[FindTensor(work.problem, "Inputs").value()], ValueId(5));
  EXPECT_EQ(work.operands[FindTensor(work.problem, "Weights").value()], ValueId(2));
  EXPECT_EQ(work.operands[OutputTensor(work.problem)], ValueId(6));
}

TEST(Graph, ProducersAndConsumers) {
  const Graph graph = SmallGraph();
  EXPECT_EQ(ProducersOf(graph)[ValueId(0)], std::nullopt);
  EXPECT_EQ(ProducersOf(graph)[ValueId(4)], NodeId(1));
  EXPECT_THAT(ConsumersOf(graph)[ValueId(3)], ElementsAre(NodeId(1)));
  EXPECT_TRUE(ConsumersOf(graph)[ValueId(6)].empty());
}

TEST(Graph, OnlyValuesOfTheSameSizeCanBeReplacedInPlace) {
  const Graph graph = SmallGraph();
  EXPECT_THAT(InPlaceCandidates(graph, graph.nodes[NodeId(1)]), ElementsAre(ValueId(3)));
  EXPECT_TRUE(InPlaceCandidates(graph, graph.nodes[NodeId(0)]).empty());
}

TEST(Graph, AnInputCanBeReplacedInPlaceAndAWeightCannot) {
  Graph graph;
  graph.values.push_back({"x", {4, 4}, ValueRole::kInput, {}});
  graph.values.push_back({"w", {4, 4}, ValueRole::kWeight, {}});
  EXPECT_TRUE(
      AddNode({"add", Op::kElementwise, {}, {ValueId(0), ValueId(1)}, {{"y", {}}}}, &graph));
  EXPECT_THAT(InPlaceCandidates(graph, graph.nodes[NodeId(0)]), ElementsAre(ValueId(0)));
}

TEST(Graph, AGatherReadsWhatItWrites) {
  Graph graph;
  graph.values.push_back({"table", {1000, 16}, ValueRole::kWeight, {}});
  graph.values.push_back({"ids", {1, 4}, ValueRole::kInput, {}});
  ASSERT_TRUE(AddNode(
      {"embed", Op::kGather, {}, {ValueId(0), ValueId(1)}, {{"e", Shape{1, 4, 16}}}}, &graph));
  EXPECT_EQ(WordsRead(graph, graph.nodes[NodeId(0)], 0), 64);
  EXPECT_EQ(WordsRead(graph, graph.nodes[NodeId(0)], 1), 4);
}

TEST(Graph, LayersAreTheComputeNodes) {
  const Network network = LayersOf(SmallGraph());
  ASSERT_EQ(network.layers.size(), 2U);
  EXPECT_EQ(network.layers[0].name, "conv");
  EXPECT_EQ(network.layers[0].problem.name, "conv");
  EXPECT_EQ(network.layers[1].kind, "gemm");
  EXPECT_TRUE(Validate(network).empty());
}

TEST(Graph, TotalsLeaveViewsOutAndCountSharedWeightsOnce) {
  Graph graph = SmallGraph();
  ASSERT_TRUE(AddNode({"again", Op::kGemm, {}, {ValueId(5), ValueId(2)}, {{"z", {}}}}, &graph));
  const auto totals = TotalsOf(graph, 16);
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(totals->nodes, 4);
  EXPECT_EQ(totals->compute_nodes, 3);
  EXPECT_EQ(totals->operations, 8 * 3 * 16 + 2 * 1280);
  EXPECT_EQ(totals->weight_bytes, 2 * (24 + 1280));
  EXPECT_EQ(totals->activation_bytes, 2 * (128 + 128 + 10 + 10));
}

TEST(Graph, FaultsOfNodesLeaveTheGraphAlone) {
  Graph graph = SmallGraph();
  const Graph before = graph;
  const auto fault = [&graph](NodeSpec spec) {
    const auto added = AddNode(std::move(spec), &graph);
    return added ? std::string() : added.error().message;
  };
  EXPECT_THAT(fault({"p", Op::kPool, {}, {ValueId(3)}, {{"p", {}}}}), HasSubstr("is missing"));
  EXPECT_THAT(fault({"c", Op::kConv, {}, {ValueId(0), ValueId(1)}, {{"c", Shape{1, 8, 3, 3}}}}),
              HasSubstr("but its inputs give [1, 8, 4, 4]"));
  EXPECT_THAT(fault({"v", Op::kView, {}, {ValueId(0), ValueId(1)}, {{"v", Shape{1}}}}),
              HasSubstr("one input"));
  EXPECT_THAT(fault({"n", Op::kOther, {}, {}, {}}), HasSubstr("output"));
  EXPECT_EQ(graph, before);
}

TEST(Graph, ValidateFindsEverything) {
  const auto messages = [](const Graph& graph) {
    std::string text;
    for (const Fault& fault : Validate(graph)) text += fault.message + "\n";
    return text;
  };
  Graph graph = SmallGraph();
  std::swap(graph.nodes[NodeId(0)], graph.nodes[NodeId(1)]);
  EXPECT_THAT(messages(graph), HasSubstr("'relu' reads 'a', which nothing before it writes"));
  graph = SmallGraph();
  graph.values[ValueId(5)].shape = {2, 128};
  EXPECT_THAT(messages(graph), HasSubstr("view 'f'"));
  graph = SmallGraph();
  graph.values[ValueId(1)].name = "x";
  graph.nodes[NodeId(1)].name = "conv";
  EXPECT_THAT(messages(graph), HasSubstr("two tensors 'x'"));
  EXPECT_THAT(messages(graph), HasSubstr("two nodes 'conv'"));
  graph = SmallGraph();
  graph.nodes[NodeId(0)].works.clear();
  EXPECT_THAT(messages(graph), HasSubstr("must have problems"));
  graph = SmallGraph();
  graph.values[ValueId(0)].shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_THAT(messages(graph), HasSubstr("more words than"));
  EXPECT_THAT(messages(Graph()), HasSubstr("no nodes"));
  EXPECT_THAT(messages(Graph()), HasSubstr("no outputs"));
}

TEST(OrderByNeeds, KeepsTheGivenOrderWhereItCan) {
  EXPECT_THAT(OrderByNeeds({{}, {0}, {}, {1}}).value(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(OrderByNeeds({{2}, {}, {3}, {}}).value(), ElementsAre(1, 3, 2, 0));
}

TEST(OrderByNeeds, ShowsACycle) {
  const auto order = OrderByNeeds({{}, {2, 0}, {3}, {1}, {3}});
  ASSERT_FALSE(order.has_value());
  std::vector<size_t> members = order.error();
  std::sort(members.begin(), members.end());
  EXPECT_THAT(members, ElementsAre(1, 2, 3));
  EXPECT_THAT(OrderByNeeds({{0}}).error(), ElementsAre(0));
}

}  // namespace
}  // namespace inlay
