#include "inlay/core/fused_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "inlay/io/load.h"

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Earliest = IndexedVector<NodeId, NodeId>;

int64_t WordsOf(const Problem& problem) {
  int64_t words = 0;
  for (TensorId t : Ids(problem.tensors)) words += TensorWords(problem, t);
  return words;
}

// What nodes of products compute and touch is what the problems of the graph say, which come from
// the same shapes by another way; what others touch are their values, each once.
TEST(FusedGraph, NodesHaveTheWordsAndOperationsOfTheGraph) {
  for (const char* name : {"resnet50", "mobilenetv2", "bert-base", "efficientnet-b0"}) {
    io::LoadRecord record;
    const auto graph = io::LoadGraph(name, &record);
    ASSERT_TRUE(graph) << name;
    const auto fused = FusedGraphOf(*graph);
    ASSERT_TRUE(fused) << name << fused.error().front().message;
    EXPECT_TRUE(Validate(fused->problem).empty()) << name;
    ASSERT_EQ(fused->graph_nodes.size(), fused->problem.nodes.size());
    size_t products = 0;
    for (NodeId n : Ids(fused->problem.nodes)) {
      const GraphNode& node = graph->nodes[fused->graph_nodes[n]];
      const Problem own = ProblemOf(fused->problem, n);
      SCOPED_TRACE(std::string(name) + " " + node.name);
      if (!node.works.empty()) {
        ASSERT_EQ(node.works.size(), 1U);
        EXPECT_EQ(Operations(own), Operations(node.works.front().problem));
        EXPECT_EQ(WordsOf(own), WordsOf(node.works.front().problem));
        ++products;
        continue;
      }
      if (node.op != Op::kElementwise && node.op != Op::kSoftmax && node.op != Op::kNorm) continue;
      std::set<ValueId> values;
      for (const ValueId v : node.inputs) values.insert(StorageOf(*graph, v));
      int64_t words = WordsOf(*graph, node.outputs.front());
      EXPECT_EQ(Operations(own), words);
      for (const ValueId v : values) words += WordsOf(*graph, v);
      EXPECT_EQ(WordsOf(own), words);
    }
    size_t all = 0;
    for (const GraphNode& node : graph->nodes) all += node.works.empty() ? 0U : 1U;
    // Recurrent layers and convolutions in groups cannot be said.
    EXPECT_GE(products + fused->left_out.size(), all);
    EXPECT_GT(products, all / 2);
  }
}

class GraphMaker {
 public:
  ValueId Add(const char* name, Shape shape, ValueRole role) {
    graph_.values.push_back({name, std::move(shape), role, {}});
    return ValueId(graph_.values.size() - 1);
  }
  ValueId Input(const char* name, Shape shape) {
    return Add(name, std::move(shape), ValueRole::kInput);
  }
  ValueId Weight(const char* name, Shape shape) {
    return Add(name, std::move(shape), ValueRole::kWeight);
  }
  ValueId Node(const char* name, Op op, std::vector<ValueId> inputs,
               std::optional<Shape> shape = {}, OpAttributes attributes = {}) {
    const auto added =
        AddNode({name, op, std::move(attributes), std::move(inputs), {{name, shape}}}, &graph_);
    EXPECT_TRUE(added) << name << ": " << (added ? "" : added.error().message);
    return ValueId(graph_.values.size() - 1);
  }
  Graph Done(std::vector<ValueId> outputs) {
    graph_.outputs = std::move(outputs);
    EXPECT_TRUE(Validate(graph_).empty());
    return graph_;
  }

 private:
  Graph graph_;
};

OpAttributes Padded(int64_t pads, int64_t stride) {
  OpAttributes attributes;
  attributes.pads_before = attributes.pads_after = {pads, pads};
  attributes.stride = {stride, stride};
  return attributes;
}

TEST(FusedGraph, BordersOfWindowsAreNoWords) {
  GraphMaker g;
  const ValueId x = g.Input("x", {1, 4, 9, 9}), w = g.Weight("w", {8, 4, 3, 3});
  const ValueId y = g.Node("conv", Op::kConv, {x, w}, {}, Padded(1, 2));
  const ValueId z = g.Node("relu", Op::kElementwise, {y});
  const auto fused = FusedGraphOf(g.Done({z}));
  ASSERT_TRUE(fused);
  const FusedProblem& problem = fused->problem;
  EXPECT_EQ(problem.nodes[NodeId(0)].operands.front().borders,
            (std::vector<FusedBorder>{{0, 4}, {1, 9}, {1, 9}}));
  // The dimensions of the output go on in what reads it.
  EXPECT_EQ(DimsOf(problem, problem.nodes[NodeId(1)]).size(), 3U);
  EXPECT_THAT(DimNames(problem), ElementsAre("K", "C", "P", "Q", "R", "S"));
  EXPECT_TRUE(fused->left_out.empty());
}

TEST(FusedGraph, NothingIsFusedAcrossWhatIsLeftOut) {
  GraphMaker g;
  const ValueId x = g.Input("x", {4, 6});
  const ValueId a = g.Node("a", Op::kElementwise, {x});
  const ValueId both = g.Node("both", Op::kConcat, {a, x}, Shape{8, 6});
  const ValueId c = g.Node("c", Op::kElementwise, {both});
  const ValueId d = g.Node("d", Op::kElementwise, {c});
  const auto fused = FusedGraphOf(g.Done({d}));
  ASSERT_TRUE(fused);
  EXPECT_THAT(NodeNames(fused->problem), ElementsAre("a", "c", "d"));
  EXPECT_EQ(fused->earliest, (Earliest{NodeId(0), NodeId(1), NodeId(0)}));
  ASSERT_EQ(fused->left_out.size(), 1U);
  EXPECT_THAT(fused->left_out.front().reason, HasSubstr("concat"));
}

TEST(FusedGraph, ViewsOfOtherFormPartTheirReaders) {
  GraphMaker g;
  const ValueId x = g.Input("x", {1, 4, 6});
  const ValueId a = g.Node("a", Op::kElementwise, {x});
  const ValueId flat = g.Node("flat", Op::kView, {a}, Shape{4, 6, 1});
  const ValueId b = g.Node("b", Op::kElementwise, {flat});  // the same words in the same order
  const ValueId line = g.Node("line", Op::kView, {b}, Shape{24});
  const ValueId c = g.Node("c", Op::kElementwise, {line});
  const auto fused = FusedGraphOf(g.Done({c}));
  ASSERT_TRUE(fused);
  EXPECT_EQ(fused->earliest, (Earliest{NodeId(0), NodeId(0), NodeId(2)}));
  ASSERT_EQ(fused->separated.size(), 1U);
  EXPECT_EQ(fused->separated.front().reader, NodeId(2));
  EXPECT_EQ(fused->separated.front().tensor, "b");
  EXPECT_EQ(fused->problem.tensors.size(), 5U);  // of 'b' two
}

TEST(FusedGraph, ReadersThatLeaveWordsOutReadThemFromOffChip) {
  GraphMaker g;
  const ValueId x = g.Input("x", {1, 4, 8, 8}), w = g.Weight("w", {4, 4, 1, 1});
  const ValueId a = g.Node("a", Op::kElementwise, {x});
  const ValueId b = g.Node("b", Op::kConv, {a, w}, {}, Padded(0, 2));
  const auto fused = FusedGraphOf(g.Done({b}));
  ASSERT_TRUE(fused);
  EXPECT_EQ(fused->earliest[NodeId(1)], NodeId(1));
  ASSERT_EQ(fused->separated.size(), 1U);
  EXPECT_THAT(fused->separated.front().reason, HasSubstr("whole"));
}

TEST(FusedGraph, OutputsThatAreReadAsWellAreListed) {
  GraphMaker g;
  const ValueId x = g.Input("x", {4, 6});
  const ValueId a = g.Node("a", Op::kElementwise, {x});
  const ValueId b = g.Node("b", Op::kSoftmax, {a});
  const auto fused = FusedGraphOf(g.Done({a, b}));
  ASSERT_TRUE(fused);
  ASSERT_EQ(fused->problem.outputs.size(), 1U);
  EXPECT_EQ(fused->problem.tensors[fused->problem.outputs.front()], "a");
  EXPECT_TRUE(fused->problem.nodes[NodeId(1)].softmax);
  const FusedGraph last = NodesBetween(*fused, NodeId(1), NodeId(1));
  EXPECT_THAT(NodeNames(last.problem), ElementsAre("b"));
  EXPECT_TRUE(last.problem.outputs.empty());
}

TEST(FusedGraph, RowsOfASoftmaxLieAlongItsAxes) {
  const auto fused_along = [](std::vector<int64_t> axes) {
    GraphMaker g;
    const ValueId x = g.Input("x", {4, 6, 1});
    OpAttributes along;
    along.axes = std::move(axes);
    const ValueId a = g.Node("a", Op::kElementwise, {x});
    return FusedGraphOf(g.Done({g.Node("b", Op::kSoftmax, {a}, {}, along)}));
  };
  const auto first = fused_along({0}), second = fused_along({1, 2});
  ASSERT_TRUE(first && second);
  const auto extent = [](const FusedProblem& problem) {
    return problem.dims[problem.nodes[NodeId(1)].softmax.value()].bound;
  };
  EXPECT_EQ(extent(first->problem), 4);
  EXPECT_EQ(extent(second->problem), 6);
  const auto both = fused_along({0, 1});
  ASSERT_TRUE(both);
  ASSERT_EQ(both->left_out.size(), 1U);
  EXPECT_THAT(both->left_out.front().reason, HasSubstr("over several dimensions"));
}

TEST(FusedGraph, WithoutANodeThatCanBeFusedThereIsAnError) {
  GraphMaker g;
  const ValueId x = g.Input("x", {4, 6});
  const ValueId a = g.Node("a", Op::kConcat, {x, x}, Shape{8, 6});
  const auto fused = FusedGraphOf(g.Done({a}));
  ASSERT_FALSE(fused);
  EXPECT_THAT(fused.error().front().message, HasSubstr("'a' is a concat"));
}

}  // namespace
}  // namespace inlay
