#include "inlay/io/onnx/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/native/native.h"
#include "tests/support/onnx_writer.h"

namespace inlay::io {
namespace {

using inlay::testing::OnnxWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph Read(const OnnxWriter& writer, const DimValues& dims = {}) {
  const auto graph = ReadOnnx("m.onnx", writer.Bytes(), dims);
  EXPECT_TRUE(graph.has_value()) << Format(graph.error());
  if (!graph) return {};
  // What is read can be written as a native file and read again.
  const auto again = ReadNative({{"again", WriteNative(graph->value)}});
  EXPECT_TRUE(again.has_value()) << Format(again.error());
  EXPECT_EQ(again ? again->graph : std::nullopt, graph->value);
  return graph->value;
}

std::string ErrorOf(std::string_view bytes, const DimValues& dims = {}) {
  const auto graph = ReadOnnx("m.onnx", bytes, dims);
  return graph ? "" : Format(graph.error());
}

std::vector<std::string> NodeNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphNode& node : graph.nodes) names.push_back(node.name);
  return names;
}

std::vector<std::string> InputNames(const Graph& graph, const GraphNode& node) {
  std::vector<std::string> names;
  for (const ValueId v : node.inputs) names.push_back(graph.values[v].name);
  return names;
}

TEST(Onnx, ReadsAConvolutionNetwork) {
  OnnxWriter writer;
  writer.Input("x", {1, 3, 8, 8}).Weight("w", {4, 3, 3, 3}).Weight("b", {4}).Weight("m", {10, 4});
  writer.Node("Conv", {"x", "w", "b"}, {"a"}, {{"pads", OnnxWriter::Shape{1, 1, 1, 1}}}, "conv");
  writer.Node("Relu", {"a"}, {"r"}, {}, "relu");
  writer.Node("GlobalAveragePool", {"r"}, {"p"}, {}, "pool");
  writer.Node("Flatten", {"p"}, {"f"}, {}, "flatten");
  writer.Node("Gemm", {"f", "m"}, {"y"}, {{"transB", int64_t{1}}}, "fc").Output("y");
  const Graph graph = Read(writer);
  EXPECT_THAT(NodeNames(graph), ElementsAre("conv", "relu", "pool", "flatten", "fc"));
  EXPECT_EQ(graph.nodes[NodeId(3)].op, Op::kView);
  EXPECT_EQ(Operations(graph.nodes[NodeId(0)].works.front().problem), 4 * 64 * 27);
  EXPECT_THAT(InputNames(graph, graph.nodes[NodeId(0)]), ElementsAre("x", "w", "b"));
}

TEST(Onnx, NodesMayBeUnsortedAndNameless) {
  OnnxWriter writer;
  writer.Input("x", {2, 3}).Node("Tanh", {"b"}, {"c"}).Node("Relu", {"a"}, {"b"});
  writer.Node("Neg", {"x"}, {"a"}).Output("c");
  EXPECT_THAT(NodeNames(Read(writer)), ElementsAre("a", "b", "c"));
}

// The chain by which PyTorch computes a shape, and the branches of it that are constants.
TEST(Onnx, ShapesComputedAtRunTimeAreFolded) {
  OnnxWriter writer;
  writer.Symbolic("x", {"N", "12", "64"}).Whole("i", {}, {0}).Whole("axes", {1}, {0});
  writer.Whole("rest", {2}, {-1, 8}).Weight("zeros", {1, 4});
  writer.Node("Shape", {"x"}, {"s"}).Node("Gather", {"s", "i"}, {"n"});
  writer.Node("Unsqueeze", {"n", "axes"}, {"n1"});
  writer.Node("Concat", {"n1", "rest"}, {"t"}, {{"axis", int64_t{0}}});
  writer.Node("Reshape", {"x", "t"}, {"y"}, {}, "view");
  writer.Whole("four", {1}, {4}).Node("Concat", {"n1", "four"}, {"e"}, {{"axis", int64_t{0}}});
  writer.Node("Expand", {"zeros", "e"}, {"z"}).Node("Tanh", {"z"}, {"tz"});
  writer.Node("Relu", {"y"}, {"out"}, {}, "relu").Output("out").Output("tz");
  const Graph graph = Read(writer, {{"N", 5}});
  EXPECT_THAT(NodeNames(graph), ElementsAre("view", "relu"));
  EXPECT_EQ(graph.values[graph.outputs[0]].shape, (Shape{5, 96, 8}));
  EXPECT_EQ(graph.values[graph.outputs[1]].role, ValueRole::kWeight);
  EXPECT_EQ(graph.values[graph.outputs[1]].shape, (Shape{5, 4}));
}

TEST(Onnx, SymbolicDimensionsAreAskedForByName) {
  OnnxWriter writer;
  writer.Symbolic("x", {"N", "?", "3"}).Node("Relu", {"x"}, {"y"}).Output("y");
  const std::string errors = ErrorOf(writer.Bytes());
  EXPECT_THAT(errors, HasSubstr("'x' has a symbolic dimension 'N'"));
  EXPECT_THAT(errors, HasSubstr("--dim N=1"));
  EXPECT_THAT(errors, HasSubstr("--dim x.1=1"));
  const Graph graph = Read(writer, {{"N", 2}, {"x.1", 7}});
  EXPECT_EQ(graph.values[graph.outputs[0]].shape, (Shape{2, 7, 3}));
  EXPECT_THAT(ErrorOf(writer.Bytes(), {{"M", 2}, {"N", 2}, {"x.1", 7}}),
              HasSubstr("no symbolic dimension 'M'"));
}

TEST(Onnx, CopiesOfWeightsAreTheWeights) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Weight("w", {4, 4}).Node("Identity", {"w"}, {"w2"});
  writer.Node("MatMul", {"x", "w"}, {"a"}).Node("MatMul", {"a", "w2"}, {"b"}).Output("b");
  const Graph graph = Read(writer);
  EXPECT_THAT(InputNames(graph, graph.nodes[NodeId(1)]), ElementsAre("a", "w"));
}

TEST(Onnx, WhatNoOutputNeedsIsLeftOut) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Node("Relu", {"x"}, {"a"}, {}, "used").Output("a");
  writer.Node("NonZero", {"x"}, {"n"}).Node("Tanh", {"n"}, {"t"});
  EXPECT_THAT(NodeNames(Read(writer)), ElementsAre("used"));
}

TEST(Onnx, SteeringInputsAreNoTensors) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Real("low", {}, {0}).Real("high", {}, {6}).Real("two", {1}, {2});
  writer.Node("Clip", {"x", "low", "high"}, {"a"}).Node("Pow", {"a", "two"}, {"b"});
  writer.Node("Mul", {"b", "b"}, {"c"}).Output("c");
  const Graph graph = Read(writer);
  for (const GraphNode& node : graph.nodes) EXPECT_EQ(node.inputs.size(), 1U) << node.name;
}

TEST(Onnx, TranspositionsThatMoveNothingAreViews) {
  OnnxWriter writer;
  writer.Input("x", {1, 4, 5})
      .Node("Transpose", {"x"}, {"a"}, {{"perm", OnnxWriter::Shape{1, 0, 2}}});
  writer.Node("Transpose", {"a"}, {"b"}, {{"perm", OnnxWriter::Shape{2, 1, 0}}}).Output("b");
  const Graph graph = Read(writer);
  EXPECT_EQ(graph.nodes[NodeId(0)].op, Op::kView);
  EXPECT_EQ(graph.nodes[NodeId(1)].op, Op::kTranspose);
}

TEST(Onnx, QuantizedOperatorsMultiplyAsTheOthersDo) {
  OnnxWriter writer;
  writer.Input("x", {1, 3, 8, 8}).Weight("w", {4, 3, 3, 3}).Weight("s", {}).Weight("z", {});
  writer.Weight("b", {4}).Weight("m", {6, 5});
  writer.Node("QLinearConv", {"x", "s", "z", "w", "s", "z", "s", "z", "b"}, {"a"}, {}, "conv");
  writer.Node("QLinearMatMul", {"a", "s", "z", "m", "s", "z", "s", "z"}, {"y"}, {}, "mm");
  writer.Output("y");
  const Graph graph = Read(writer);
  EXPECT_THAT(InputNames(graph, graph.nodes[NodeId(0)]), ElementsAre("x", "w", "b"));
  EXPECT_EQ(Operations(graph.nodes[NodeId(0)].works.front().problem), 4 * 36 * 27);
  EXPECT_EQ(Operations(graph.nodes[NodeId(1)].works.front().problem), 4 * 6 * 6 * 5);
}

TEST(Onnx, EinsumsAndRecurrentLayers) {
  OnnxWriter writer;
  writer.Input("q", {2, 3, 5, 7}).Input("k", {2, 3, 4, 7});
  writer.Node("Einsum", {"q", "k"}, {"s"}, {{"equation", std::string("bhid,bhjd->bhij")}}, "e");
  writer.Input("x", {9, 1, 6}).Weight("w", {1, 20, 6}).Weight("r", {1, 20, 5});
  writer.Node("LSTM", {"x", "w", "r"}, {"", "h"}, {{"hidden_size", int64_t{5}}}, "l");
  writer.Output("s").Output("h");
  const Network network = LayersOf(Read(writer));
  ASSERT_EQ(network.layers.size(), 3U);
  EXPECT_EQ(network.layers[0].kind, "matmul");
  EXPECT_EQ(network.layers[1].name, "l.input");
  EXPECT_EQ(network.layers[2].name, "l.recurrence");
  EXPECT_EQ(network.layers[2].repeat, 9);
}

TEST(Onnx, UnknownOperatorsAreMemoryNodesWithAWarning) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Node("Frobnicate", {"x"}, {"a"}, {}, "f1", "my.domain");
  writer.Node("Frobnicate", {"a"}, {"b"}, {}, "f2", "my.domain").Output("b");
  writer.Value("a", {"2", "9"}).Value("b", {"2", "8"});
  const auto graph = ReadOnnx("m.onnx", writer.Bytes(), {});
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  EXPECT_EQ(graph->value.nodes[NodeId(0)].op, Op::kOther);
  ASSERT_EQ(graph->warnings.size(), 1U);
  EXPECT_THAT(graph->warnings[0].message,
              HasSubstr("'Frobnicate' of 2 nodes, the first is 'f1', is not known"));
}

TEST(Onnx, OnlyTheFirstMissingShapeIsTold) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Node("Frobnicate", {"x"}, {"a"}, {}, "f");
  writer.Node("Relu", {"a"}, {"b"}, {}, "r").Output("b");
  const std::string errors = ErrorOf(writer.Bytes());
  EXPECT_THAT(errors, HasSubstr("node 'f' (Frobnicate)"));
  EXPECT_THAT(errors, HasSubstr("operator 'Frobnicate' is not known"));
  EXPECT_THAT(errors, ::testing::Not(HasSubstr("'r'")));
}

// Whatever hangs on a shape that is missing, also by chains that compute shapes of it.
TEST(Onnx, OneMissingShapeIsOneError) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Node("Frobnicate", {"x"}, {"a"}, {}, "f").Node("Shape", {"a"}, {"s"});
  writer.Whole("zero", {1}, {0});
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    writer.Node("Gather", {"s", "zero"}, {"g" + n}).Node("ConstantOfShape", {"g" + n}, {"z" + n});
    writer.Node("Relu", {"z" + n}, {"y" + n}).Output("y" + n);
  }
  const auto graph = ReadOnnx("m.onnx", writer.Bytes(), {});
  ASSERT_FALSE(graph.has_value());
  ASSERT_EQ(graph.error().size(), 1U) << Format(graph.error());
  EXPECT_THAT(graph.error()[0].message, HasSubstr("the shape of 'a', which node 'f' (Frobnicate)"));
  EXPECT_THAT(graph.error()[0].message, HasSubstr("depends on it"));
}

TEST(Onnx, NodesOfOneUnknownOperatorAreOneError) {
  OnnxWriter writer;
  writer.Input("x", {2, 4});
  for (const char* name : {"a", "b", "c"}) writer.Node("Frobnicate", {"x"}, {name}).Output(name);
  const auto graph = ReadOnnx("m.onnx", writer.Bytes(), {});
  ASSERT_FALSE(graph.has_value());
  ASSERT_EQ(graph.error().size(), 1U) << Format(graph.error());
  EXPECT_THAT(graph.error()[0].message, HasSubstr("2 more nodes of 'Frobnicate'"));
}

TEST(Onnx, OneFaultOfManyNodesIsOneError) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Whole("t", {2}, {3, 5});
  for (const char* name : {"a", "b", "c"}) writer.Node("Reshape", {"x", "t"}, {name}).Output(name);
  const auto graph = ReadOnnx("m.onnx", writer.Bytes(), {});
  ASSERT_FALSE(graph.has_value());
  ASSERT_EQ(graph.error().size(), 1U) << Format(graph.error());
  EXPECT_EQ(graph.error()[0].message,
            "node 'a' (Reshape) and 2 more: the new shape [3, 5] has another size than [2, 4]");
}

// Of three nodes two have nothing but constants and shapes to work on.
TEST(Onnx, NodesOfConstantsCountAsFolded) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Weight("w", {4, 2});
  writer.Node("Transpose", {"w"}, {"v"}).Node("Shape", {"v"}, {"s"});
  writer.Node("Reshape", {"x", "s"}, {"y"}).Output("y");
  const Graph graph = Read(writer);
  EXPECT_EQ(graph.folded_nodes, 2);
  EXPECT_EQ(graph.nodes.size(), 1U);
}

TEST(Onnx, ExtentsThatDependOnDataAreAskedForByTheirPlace) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Node("NonZero", {"x"}, {"found"}, {}, "n");
  writer.Node("Relu", {"found"}, {"y"}).Output("y");
  EXPECT_THAT(ErrorOf(writer.Bytes()), HasSubstr("--dim found.1=1"));
  const Graph graph = Read(writer, {{"found.1", 5}});
  EXPECT_EQ(graph.values[graph.outputs[0]].shape, (Shape{2, 5}));
  OnnxWriter named;
  named.Input("x", {2, 4}).Node("Frobnicate", {"x"}, {"y"}, {}, "f").Value("y", {"2", "boxes"});
  named.Output("y");
  EXPECT_THAT(ErrorOf(named.Bytes()), HasSubstr("--dim boxes=1"));
}

TEST(Onnx, FusedProductsTransposeTheirOperands) {
  OnnxWriter writer;
  writer.Input("a", {2, 7, 3}).Weight("b", {4, 7});
  writer.Node("FusedMatMul", {"a", "b"}, {"y"}, {{"transA", int64_t{1}}, {"transB", int64_t{1}}},
              "m", "com.microsoft");
  writer.Output("y");
  const Graph graph = Read(writer);
  EXPECT_EQ(graph.values[graph.outputs[0]].shape, (Shape{2, 3, 4}));
  EXPECT_EQ(Operations(graph.nodes[NodeId(0)].works.front().problem), 2 * 3 * 4 * 7);
}

TEST(Onnx, FunctionsAreReplacedByTheirBodies) {
  OnnxWriter body;
  body.Input("p", {}).Node("Relu", {"p"}, {"t"}, {}, "inner");
  body.Node("Tanh", {"t"}, {"q"}, {}, "outer").Output("q");
  OnnxWriter writer;
  writer.Function("local", "Twice", body).Input("x", {2, 4});
  writer.Node("Twice", {"x"}, {"a"}, {}, "one", "local");
  writer.Node("Twice", {"a"}, {"b"}, {}, "two", "local").Output("b");
  const Graph graph = Read(writer);
  EXPECT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(graph.values[graph.outputs[0]].name, "b");
}

TEST(Onnx, FunctionsThatCallThemselvesAreErrors) {
  OnnxWriter body;
  body.Input("p", {}).Node("Loopy", {"p"}, {"q"}, {}, "again", "local").Output("q");
  OnnxWriter writer;
  writer.Function("local", "Loopy", body).Input("x", {2, 4});
  writer.Node("Loopy", {"x"}, {"a"}, {}, "one", "local").Output("a");
  EXPECT_THAT(ErrorOf(writer.Bytes()), HasSubstr("'Loopy' calls itself"));
}

TEST(Onnx, AnIfWhoseConditionIsKnownIsItsBranch) {
  OnnxWriter yes, no;
  yes.Node("Relu", {"x"}, {"inside"}, {}, "yes").Output("inside");
  no.Node("Tanh", {"x"}, {"inside"}, {}, "no").Output("inside");
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Whole("two", {}, {2}).Node("Shape", {"x"}, {"s"});
  writer.Node("Size", {"s"}, {"rank"}).Node("Equal", {"rank", "two"}, {"c"});
  writer.If("c", {"y"}, yes, no).Output("y");
  const Graph graph = Read(writer);
  EXPECT_EQ(graph.nodes[NodeId(0)].name, "yes@if1");
}

TEST(Onnx, BrokenFilesAreErrors) {
  OnnxWriter writer;
  writer.Input("x", {2, 4}).Node("Relu", {"x"}, {"y"}).Output("y");
  const std::string bytes = writer.Bytes();
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(ErrorOf(std::string_view(bytes).substr(0, length)), "") << length;
  }
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf("this is a text"), HasSubstr("no ONNX model"));
  // A graph of 2 GiB, says its length.
  EXPECT_THAT(ErrorOf("\x3a\xff\xff\xff\xff\x07"), HasSubstr("cut off"));
  EXPECT_THAT(ErrorOf(std::string(1 << 20, '\0')), HasSubstr("no ONNX model"));
  EXPECT_THAT(ErrorOf(OnnxWriter().Bytes()), HasSubstr("no nodes"));
}

TEST(Onnx, ImpossibleGraphsAreErrors) {
  const auto errors = [](const auto& fill) {
    OnnxWriter writer;
    writer.Input("x", {2, 4}).Output("y");
    fill(writer);
    return ErrorOf(writer.Bytes());
  };
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Node("Add", {"x", "b"}, {"a"}, {}, "n1").Node("Relu", {"a"}, {"b"}, {}, "n2");
                w.Node("Neg", {"b"}, {"y"});
              }),
              HasSubstr("a cycle: node 'n1' (Add) needs node 'n2' (Relu) needs node 'n1' (Add)"));
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Node("Add", {"x", "nowhere"}, {"y"}, {}, "n");
              }),
              HasSubstr("node 'n' (Add) reads 'nowhere', which nothing writes"));
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Node("Relu", {"x"}, {"y"}).Node("Neg", {"x"}, {"y"}, {}, "n");
              }),
              HasSubstr("node 'n' (Neg) writes 'y', which is there already"));
  EXPECT_THAT(errors([](OnnxWriter& w) { w.Node("Relu", {"x"}, {"z"}); }),
              HasSubstr("nothing writes the output 'y'"));
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Whole("t", {2}, {3, 5}).Node("Reshape", {"x", "t"}, {"y"}, {}, "n");
              }),
              HasSubstr("node 'n' (Reshape): the new shape [3, 5] has another size than [2, 4]"));
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Weight("w", {-4, 3}).Node("MatMul", {"x", "w"}, {"y"});
              }),
              HasSubstr("constant 'w' has a negative extent"));
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Weight("w", {5, 3}).Node("MatMul", {"x", "w"}, {"y"});
              }),
              HasSubstr("do not fit"));
  EXPECT_THAT(errors([](OnnxWriter& w) {
                w.Input("z", {4, 0}).Node("MatMul", {"x", "z"}, {"y"}, {}, "n");
              }),
              HasSubstr("node 'n' (MatMul): a product with a tensor of no words"));
}

TEST(Onnx, NegativeExtentsOfInputsAreAskedFor) {
  OnnxWriter writer;
  writer.Input("x", {-1, 4}).Node("Relu", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(ErrorOf(writer.Bytes()), HasSubstr("--dim x.0=1"));
}

TEST(Onnx, NamesThatAreNoTextBecomeOne) {
  OnnxWriter writer;
  writer.Input("x\xff\n", {2}).Node("Relu", {"x\xff\n"}, {"y"}).Output("y");
  EXPECT_EQ(Read(writer).values[ValueId(0)].name, "x?\n");
}

}  // namespace
}  // namespace inlay::io
