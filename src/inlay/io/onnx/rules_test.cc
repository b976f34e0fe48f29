// Every rule against ONNX's own shape inference: the same outputs for the same node.
#include <gtest/gtest.h>

#include "inlay/io/onnx/operator_rule.h"
#include "tests/support/onnx_writer.h"

namespace inlay::io::onnx {
namespace {

using inlay::testing::OnnxWriter;
using Attributes = OnnxWriter::Attributes;

struct Given {
  Shape shape;
  std::vector<int64_t> whole = {};  // elements of a constant
  std::vector<float> real = {};
};

struct RuleCase {
  const char* type;
  std::vector<Given> inputs;
  Attributes attributes = {};
  size_t outputs = 1;
  int64_t opset = 17;
};

std::ostream& operator<<(std::ostream& out, const RuleCase& test) { return out << test.type; }

TEST(OnnxFunctions, AreThoseOfTheirOperators) {
  size_t known = 0;
  for (const auto& rules : {ElementwiseRules(), WindowRules(), ReductionRules()}) {
    for (const OpRule& rule : rules) {
      EXPECT_TRUE(MayCompute(rule.op, FunctionOfType(rule.type))) << rule.type;
      known += FunctionOfType(rule.type) != NodeFunction::kAny ? 1U : 0U;
    }
  }
  EXPECT_GT(known, 50U);
}

TEST(OnnxAxes, ASoftmaxTookAllFromItsAxisOnOnce) {
  const auto axes = [](const char* type, int64_t opset, std::optional<int64_t> axis, size_t rank) {
    ModelNode node{"n", "", type, {"x"}, {"y"}, {}};
    if (axis) {
      Attribute attribute;
      attribute.name = "axis";
      attribute.integer = *axis;
      node.attributes.push_back(attribute);
    }
    return RowAxes(Call(node, opset, {}), rank);
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(axes("Softmax", 13, {}, 4), List());
  EXPECT_EQ(axes("Softmax", 13, 1, 4), List({1}));
  EXPECT_EQ(axes("Softmax", 13, -4, 4), List({0}));
  EXPECT_EQ(axes("Softmax", 12, {}, 4), List({1, 2, 3}));
  EXPECT_EQ(axes("Softmax", 12, -1, 4), List());
  EXPECT_EQ(axes("LogSoftmax", 11, {}, 2), List());
  EXPECT_EQ(axes("LayerNormalization", 17, {}, 3), List());
  EXPECT_EQ(axes("LayerNormalization", 17, 1, 3), List({1, 2}));
  EXPECT_EQ(axes("BatchNormalization", 17, {}, 4), List());
  EXPECT_EQ(axes("Softmax", 13, 9, 4), List()) << "out of range: the rule reports it";
}

class RuleTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(RuleTest, AgreesWithTheLibrary) {
  const RuleCase& test = GetParam();
  OnnxWriter writer(test.opset);
  std::vector<std::string> inputs, outputs;
  std::vector<KnownValue> known(test.inputs.size());
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const Given& given = test.inputs[i];
    inputs.push_back("in" + std::to_string(i));
    known[i].shape = given.shape;
    if (!given.whole.empty()) {
      writer.Whole(inputs.back(), given.shape, given.whole);
      known[i].elements = Elements{true, {given.whole.begin(), given.whole.end()}};
    } else if (!given.real.empty()) {
      writer.Real(inputs.back(), given.shape, given.real);
      known[i].elements = Elements{false, {given.real.begin(), given.real.end()}};
    } else {
      writer.Input(inputs.back(), given.shape);
    }
  }
  ModelNode node{"n", "", test.type, inputs, {}, {}};
  for (size_t i = 0; i < test.outputs; ++i) node.outputs.push_back("out" + std::to_string(i));
  for (const auto& [name, value] : test.attributes) {
    Attribute attribute;
    attribute.name = name;
    if (const auto* whole = std::get_if<int64_t>(&value)) attribute.integer = *whole;
    if (const auto* list = std::get_if<Shape>(&value)) attribute.integers = *list;
    if (const auto* text = std::get_if<std::string>(&value)) attribute.text = *text;
    if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
      attribute.reals = {reals->begin(), reals->end()};
    }
    node.attributes.push_back(std::move(attribute));
  }
  writer.Node(test.type, inputs, node.outputs, test.attributes);

  std::vector<const KnownValue*> pointers;
  for (const KnownValue& one : known) pointers.push_back(&one);
  Call call(node, test.opset, pointers);
  const OpRule* rule = FindRule(node);
  ASSERT_NE(rule, nullptr);
  rule->rule(&call);
  EXPECT_FALSE(call.fault()) << *call.fault();
  const auto library = writer.LibraryShapes();
  for (size_t i = 0; i < test.outputs; ++i) {
    ASSERT_TRUE(library.contains(node.outputs[i])) << "the library has no shape of output " << i;
    EXPECT_EQ(call.output(i).shape, library.at(node.outputs[i])) << "output " << i;
  }
}

using Ints = std::vector<int64_t>;

INSTANTIATE_TEST_SUITE_P(
    Elementwise, RuleTest,
    ::testing::Values(
        RuleCase{"Relu", {{{2, 3}}}}, RuleCase{"Add", {{{2, 3}}, {{3}}}},
        RuleCase{"Mul", {{{2, 1, 4}}, {{3, 1}}}}, RuleCase{"Where", {{{2, 1}}, {{1, 3}}, {{1}}}},
        RuleCase{"Sum", {{{2, 3}}, {{1}}, {{3}}}}, RuleCase{"Greater", {{{2, 3}}, {{2, 1}}}},
        RuleCase{"Softmax", {{{2, 3}}}, {{"axis", int64_t{1}}}}, RuleCase{"Clip", {{{4, 5}}}},
        RuleCase{"PRelu", {{{1, 8, 4, 4}}, {{8, 1, 1}}}},
        RuleCase{"LayerNormalization", {{{2, 5, 8}}, {{8}}}, {}, 3},
        RuleCase{"BatchNormalization", {{{1, 8, 4, 4}}, {{8}}, {{8}}, {{8}}, {{8}}}},
        RuleCase{"InstanceNormalization", {{{1, 8, 4, 4}}, {{8}}, {{8}}}},
        RuleCase{"DynamicQuantizeLinear", {{{3, 4}}}, {}, 3},
        RuleCase{"Dropout", {{{3, 4}}}, {}, 2}));

INSTANTIATE_TEST_SUITE_P(
    Windows, RuleTest,
    ::testing::Values(
        RuleCase{"Conv",
                 {{{1, 3, 17, 19}}, {{8, 3, 3, 5}}},
                 {{"strides", Ints{2, 3}}, {"pads", Ints{1, 2, 0, 1}}, {"dilations", Ints{2, 1}}}},
        RuleCase{"Conv", {{{1, 4, 17}}, {{8, 2, 3}}}, {{"group", int64_t{2}}}},
        RuleCase{"Conv",
                 {{{1, 3, 17, 18}}, {{8, 3, 4, 3}}},
                 {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2, 3}}}},
        RuleCase{"Conv",
                 {{{1, 3, 17, 18}}, {{8, 3, 4, 3}}},
                 {{"auto_pad", std::string("VALID")}, {"strides", Ints{2, 3}}}},
        RuleCase{"Conv", {{{1, 2, 5, 6, 7}}, {{4, 2, 3, 3, 3}}}},
        RuleCase{"ConvInteger", {{{1, 2, 5, 6}}, {{4, 2, 3, 3}}}},
        RuleCase{
            "ConvTranspose",
            {{{1, 6, 8, 9}}, {{6, 4, 3, 4}}},
            {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 0}}}},
        RuleCase{"ConvTranspose",
                 {{{1, 6, 8, 9}}, {{6, 2, 3, 3}}},
                 {{"group", int64_t{2}}, {"dilations", Ints{2, 1}}}},
        RuleCase{"ConvTranspose",
                 {{{1, 6, 8, 9}}, {{6, 2, 3, 3}}},
                 {{"output_shape", Ints{17, 18}}, {"strides", Ints{2, 2}}}},
        RuleCase{
            "MaxPool",
            {{{1, 3, 17, 18}}},
            {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}},
            2},
        RuleCase{
            "MaxPool",
            {{{1, 3, 12, 13}}},
            {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", int64_t{1}}}},
        RuleCase{"AveragePool",
                 {{{1, 3, 17, 18}}},
                 {{"kernel_shape", Ints{3, 2}},
                  {"auto_pad", std::string("SAME_LOWER")},
                  {"strides", Ints{2, 2}}}},
        RuleCase{"GlobalAveragePool", {{{1, 3, 17, 18}}}}));

INSTANTIATE_TEST_SUITE_P(
    Matrices, RuleTest,
    ::testing::Values(
        RuleCase{
            "Gemm", {{{7, 3}}, {{4, 7}}, {{4}}}, {{"transA", int64_t{1}}, {"transB", int64_t{1}}}},
        RuleCase{"MatMul", {{{2, 1, 3, 7}}, {{6, 7, 4}}}}, RuleCase{"MatMul", {{{7}}, {{7, 4}}}},
        RuleCase{"MatMul", {{{2, 3, 7}}, {{7}}}}, RuleCase{"MatMulInteger", {{{3, 7}}, {{7, 4}}}},
        RuleCase{
            "LSTM", {{{9, 2, 6}}, {{1, 20, 6}}, {{1, 20, 5}}}, {{"hidden_size", int64_t{5}}}, 3},
        RuleCase{"GRU",
                 {{{9, 2, 6}}, {{2, 15, 6}}, {{2, 15, 5}}},
                 {{"hidden_size", int64_t{5}}, {"direction", std::string("bidirectional")}},
                 2}));

INSTANTIATE_TEST_SUITE_P(
    Reductions, RuleTest,
    ::testing::Values(
        RuleCase{"ReduceMean", {{{2, 3, 4}}}, {{"axes", Ints{-1, 0}}}},
        RuleCase{"ReduceMean", {{{2, 3, 4}}}, {{"keepdims", int64_t{0}}, {"axes", Ints{1}}}},
        RuleCase{"ReduceMax", {{{2, 3, 4}}}},
        RuleCase{"ReduceSum", {{{2, 3, 4}}, {{2}, {0, 2}}}, {{"keepdims", int64_t{0}}}},
        RuleCase{"ArgMax", {{{2, 3, 4}}}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}},
        RuleCase{"TopK", {{{2, 30}}, {{1}, {5}}}, {}, 2}));

INSTANTIATE_TEST_SUITE_P(
    Layouts, RuleTest,
    ::testing::Values(RuleCase{"Reshape", {{{2, 3, 4}}, {{3}, {0, -1, 2}}}},
                      RuleCase{"Flatten", {{{2, 3, 4}}}, {{"axis", int64_t{2}}}},
                      RuleCase{"Squeeze", {{{1, 3, 1}}}},
                      RuleCase{"Squeeze", {{{1, 3, 1}}, {{1}, {-1}}}},
                      RuleCase{"Unsqueeze", {{{3, 4}}, {{2}, {0, -1}}}},
                      RuleCase{"Unsqueeze", {{{3, 4}}}, {{"axes", Ints{1}}}, 1, 11},
                      RuleCase{"Transpose", {{{2, 3, 4}}}},
                      RuleCase{"Transpose", {{{2, 3, 4}}}, {{"perm", Ints{1, 0, 2}}}},
                      RuleCase{"Concat", {{{2, 3}}, {{2, 4}}}, {{"axis", int64_t{-1}}}},
                      RuleCase{"Split", {{{6, 4}}}, {}, 3},
                      RuleCase{"Split", {{{6, 4}}, {{2}, {1, 3}}}, {{"axis", int64_t{1}}}, 2},
                      RuleCase{"Pad", {{{2, 3}}, {{4}, {0, 1, 2, -1}}}},
                      RuleCase{"Expand", {{{3, 1}}, {{3}, {2, 1, 4}}}},
                      RuleCase{"Tile", {{{2, 3}}, {{2}, {2, 1}}}},
                      RuleCase{"DepthToSpace", {{{1, 8, 3, 4}}}, {{"blocksize", int64_t{2}}}},
                      RuleCase{"SpaceToDepth", {{{1, 2, 6, 8}}}, {{"blocksize", int64_t{2}}}},
                      RuleCase{"Resize",
                               {{{1, 2, 5, 7}}, {{1}, {}, {0}}, {{4}, {}, {1, 1, 2, 1.5}}}},
                      RuleCase{"Upsample", {{{1, 2, 5, 7}}, {{4}, {}, {1, 1, 2, 3}}}, {}, 1, 9}));

constexpr int64_t kEnd = INT64_MAX, kFront = INT64_MIN;
INSTANTIATE_TEST_SUITE_P(
    Indices, RuleTest,
    ::testing::Values(
        RuleCase{"Slice", {{{10, 8}}, {{1}, {2}}, {{1}, {kEnd}}, {{1}, {1}}, {{1}, {3}}}},
        RuleCase{"Slice", {{{10, 8}}, {{2}, {-3, 1}}, {{2}, {-1, 100}}}},
        RuleCase{"Slice", {{{10}}, {{1}, {-1}}, {{1}, {kFront}}, {{1}, {0}}, {{1}, {-1}}}},
        RuleCase{"Slice", {{{10}}, {{1}, {8}}, {{1}, {2}}, {{1}, {0}}, {{1}, {-2}}}},
        RuleCase{"Slice",
                 {{{10, 8}}},
                 {{"starts", Ints{1}}, {"ends", Ints{7}}, {"axes", Ints{1}}},
                 1,
                 9},
        RuleCase{"Gather", {{{9, 5}}, {{2, 3}}}, {{"axis", int64_t{1}}}},
        RuleCase{"GatherElements", {{{9, 5}}, {{2, 5}}}},
        RuleCase{"GatherND", {{{9, 5, 4}}, {{7, 2}}}},
        RuleCase{"ScatterND", {{{9, 5}}, {{7, 1}}, {{7, 5}}}},
        RuleCase{"RoiAlign",
                 {{{1, 4, 20, 20}}, {{6, 4}}, {{6}}},
                 {{"output_height", int64_t{7}}, {"output_width", int64_t{5}}}}));

INSTANTIATE_TEST_SUITE_P(Sources, RuleTest,
                         ::testing::Values(RuleCase{"Shape", {{{2, 3, 4}}}},
                                           RuleCase{
                                               "Shape", {{{2, 3, 4}}}, {{"start", int64_t{-2}}}},
                                           RuleCase{"Size", {{{2, 3, 4}}}},
                                           RuleCase{"ConstantOfShape", {{{3}, {2, 3, 4}}}},
                                           RuleCase{"Range", {{{}, {2}}, {{}, {11}}, {{}, {3}}}},
                                           RuleCase{"RandomNormalLike", {{{2, 3}}}}));

// The library does not look at the depth.
TEST(OneHotRule, AddsTheDepth) {
  const ModelNode node{"n", "", "OneHot", {"i", "d", "v"}, {"o"}, {}};
  const KnownValue indices{Shape{2, 3}, {}, false}, depth{Shape{1}, Elements{true, {10}}, true};
  Call call(node, 17, {&indices, &depth});
  FindRule(node)->rule(&call);
  EXPECT_EQ(call.output(0).shape, (Shape{2, 3, 10}));
}

}  // namespace
}  // namespace inlay::io::onnx
