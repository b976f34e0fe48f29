#include "inlay/core/graph_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::ElementsAre;

// in → conv → relu → view → gemm → out, with weights of conv and gemm.
Graph Chain() {
  Graph graph;
  graph.name = "chain";
  const auto value = [&](const char* name, Shape shape, ValueRole role) {
    graph.values.push_back({name, std::move(shape), role, std::nullopt});
    return ValueId(graph.values.size() - 1);
  };
  const ValueId in = value("in", {1, 3, 8, 8}, ValueRole::kInput);
  const ValueId filters = value("filters", {4, 3, 1, 1}, ValueRole::kWeight);
  const ValueId matrix = value("matrix", {256, 10}, ValueRole::kWeight);
  const auto add = [&](NodeSpec spec) {
    const auto added = AddNode(std::move(spec), &graph);
    EXPECT_TRUE(added.has_value()) << (added ? "" : added.error().message);
    return graph.nodes.back().outputs.front();
  };
  const ValueId c = add({"conv", Op::kConv, {}, {in, filters}, {{"c", {}}}});
  const ValueId r = add({"relu", Op::kElementwise, {}, {c}, {{"r", {}}}});
  const ValueId v = add({"flat", Op::kView, {}, {r}, {{"v", Shape{1, 256}}}});
  const ValueId out = add({"gemm", Op::kGemm, {}, {v, matrix}, {{"out", {}}}});
  graph.outputs = {out};
  return graph;
}

ValueBits EachOf(int bits) { return ValueBits(Chain().values.size(), bits); }

TEST(GraphResult, ReadersOfAViewReadWhatItShows) {
  const GraphResult result = GraphResultOf(Chain(), EachOf(16));
  ASSERT_EQ(result.nodes.size(), 3U);
  EXPECT_THAT(result.nodes[0].inputs, ElementsAre("in", "filters"));
  EXPECT_EQ(result.nodes[0].operations, 4 * 3 * 64);
  EXPECT_EQ(result.nodes[1].operations, 0);
  EXPECT_EQ(result.nodes[2].op, "gemm");
  EXPECT_THAT(result.nodes[2].inputs, ElementsAre("r", "matrix"));
}

TEST(GraphResult, TensorsHaveRoles) {
  std::vector<std::string> lines;
  for (const GraphResult::Tensor& tensor : GraphResultOf(Chain(), EachOf(16)).tensors) {
    lines.push_back(tensor.name + " " + Name(tensor.role) + " " + std::to_string(tensor.words));
  }
  EXPECT_THAT(lines, ElementsAre("in input 192", "filters weight 12", "matrix weight 2560",
                                 "c activation 256", "r activation 256", "out output 10"));
}

TEST(GraphResult, TensorsAreAsLargeAsTheirOwnElements) {
  const Graph chain = Chain();
  ValueBits bits = EachOf(16);
  for (const ValueId v : Ids(chain.values)) {
    if (chain.values[v].name == "filters") bits[v] = 3;
    if (chain.values[v].name == "r") bits[v] = 32;
  }
  std::vector<std::string> lines;
  for (const GraphResult::Tensor& tensor : GraphResultOf(chain, bits).tensors) {
    lines.push_back(tensor.name + " " + std::to_string(tensor.bytes));
  }
  EXPECT_THAT(lines,
              ElementsAre("in 384", "filters 5", "matrix 5120", "c 512", "r 1024", "out 20"));
}

}  // namespace
}  // namespace inlay
