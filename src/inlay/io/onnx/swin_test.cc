// A stage of a Swin transformer as TorchScript exports it: shapes, borders and masks are computed
// by chains of nodes, all of which are known beforehand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/io/onnx/onnx.h"
#include "tests/support/onnx_writer.h"

namespace inlay::io {
namespace {

using inlay::testing::OnnxWriter;
using Shape = OnnxWriter::Shape;
using ::testing::HasSubstr;

constexpr int64_t kSide = 14, kWindow = 4, kPadded = 16, kWidth = 8, kHeads = 2;
constexpr int64_t kTokens = kWindow * kWindow, kWindows = kPadded * kPadded / kTokens;
constexpr int64_t kEnd = INT64_MAX, kFront = INT64_MIN + 1;

// Writes nodes with names of their own; functions return the name of what they write.
class Exporter {
 public:
  std::string Node(const std::string& type, const std::vector<std::string>& inputs,
                   const OnnxWriter::Attributes& attributes = {}) {
    std::string output = type + "_" + std::to_string(nodes_++);
    writer_.Node(type, inputs, {output}, attributes, output);
    return output;
  }
  std::string Constant(const Shape& values) {
    return Whole({static_cast<int64_t>(values.size())}, values);
  }
  std::string Scalar(int64_t value) { return Whole({}, {value}); }
  std::string Weight(const Shape& shape) {
    const std::string name = "w" + std::to_string(constants_++);
    writer_.Weight(name, shape);
    return name;
  }

  // x.shape[i]
  std::string Extent(const std::string& x, int64_t i) {
    return Node("Gather", {Node("Shape", {x}), Scalar(i)}, {{"axis", int64_t{0}}});
  }
  // a // b, of whole numbers
  std::string Quotient(const std::string& a, int64_t b) {
    return Node("Cast", {Node("Floor", {Node("Div", {a, Scalar(b)})})}, {{"to", int64_t{7}}});
  }
  std::string Join(const std::vector<std::string>& scalars) {
    std::vector<std::string> parts;
    const std::string axis = Constant({0});
    for (const std::string& scalar : scalars) parts.push_back(Node("Unsqueeze", {scalar, axis}));
    return Node("Concat", parts, {{"axis", int64_t{0}}});
  }
  std::string Slice(const std::string& x, int64_t axis, int64_t from, int64_t to,
                    int64_t step = 1) {
    return Node("Slice", {x, Constant({from}), Constant({to}), Constant({axis}), Constant({step})});
  }
  std::string Permute(const std::string& x, const Shape& order) {
    return Node("Transpose", {x}, {{"perm", order}});
  }
  std::string Reshape(const std::string& x, const Shape& shape) {
    return Node("Reshape", {x, Constant(shape)});
  }

  // F.pad(x, (0, 0, 0, 2, 0, 2)): its order is that of the last dimension first.
  std::string Border(const std::string& x) {
    const std::string pads = Constant({0, 0, 0, kPadded - kSide, 0, kPadded - kSide});
    const std::string rank = Node("Size", {Node("Shape", {x})});
    const std::string given = Extent(pads, 0);
    const std::string missing = Node("Sub", {Node("Mul", {rank, Scalar(2)}), given});
    const std::string zeros =
        Node("Cast", {Node("ConstantOfShape", {Join({missing})})}, {{"to", int64_t{7}}});
    const std::string all = Node("Concat", {pads, zeros}, {{"axis", int64_t{0}}});
    const std::string pairs = Slice(Reshape(all, {-1, 2}), 0, -1, kFront, -1);
    const std::string flat = Reshape(Permute(pairs, {1, 0}), {-1});
    return Node("Pad", {x, Node("Cast", {flat}, {{"to", int64_t{7}}})});
  }
  // torch.roll(x, (by, by), (1, 2))
  std::string Roll(const std::string& x, int64_t by) {
    std::string rolled = x;
    for (const int64_t axis : {1, 2}) {
      rolled = Node("Concat", {Slice(rolled, axis, by, kEnd), Slice(rolled, axis, 0, by)},
                    {{"axis", axis}});
    }
    return rolled;
  }
  // [1, 16, 16, 8] → [16, 16, 8], by the extents of x
  std::string Partition(const std::string& x) {
    const std::string batch = Extent(x, 0), width = Extent(x, 3);
    const std::string down = Quotient(Extent(x, 1), kWindow),
                      across = Quotient(Extent(x, 2), kWindow);
    const std::string grid =
        Node("Reshape", {x, Join({batch, down, Scalar(kWindow), across, Scalar(kWindow), width})});
    const std::string count = Node("Mul", {Node("Mul", {batch, down}), across});
    return Node("Reshape", {Permute(grid, {0, 1, 3, 2, 4, 5}),
                            Join({count, Scalar(kWindow * kWindow), width})});
  }
  // mask[from_h:to_h, from_w:to_w] = region, as index_put writes it.
  std::string Paint(const std::string& mask, const Shape& h, const Shape& w, int64_t region) {
    const auto places = [&](int64_t axis, const Shape& range, const Shape& shape) {
      const std::string all = Node("Range", {Scalar(0), Extent(mask, axis), Scalar(1)});
      return Reshape(Slice(all, 0, range[0], range[1]), shape);
    };
    const std::string rows = places(0, h, {-1, 1}), columns = places(1, w, {-1});
    const std::string shape = Node("Shape", {Node("Add", {rows, columns})});
    const std::string last = Constant({-1});
    const auto stretched = [&](const std::string& x) {
      return Node("Unsqueeze", {Node("Expand", {x, shape}), last});
    };
    const std::string indices =
        Node("Concat", {stretched(rows), stretched(columns)}, {{"axis", int64_t{-1}}});
    return Node("ScatterND", {mask, indices, Node("Expand", {Scalar(region), shape})});
  }
  // What tokens of a shifted window may not attend to: [windows, 16, 16]
  std::string Mask(const std::string& x) {
    std::string mask = Node("ConstantOfShape", {Join({Extent(x, 1), Extent(x, 2)})});
    const std::vector<Shape> ranges = {{0, -kWindow}, {-kWindow, -2}, {-2, kEnd}};
    int64_t region = 0;
    for (const Shape& h : ranges) {
      for (const Shape& w : ranges) mask = Paint(mask, h, w, region++);
    }
    const std::string grid = Permute(
        Reshape(mask, {kPadded / kWindow, kWindow, kPadded / kWindow, kWindow}), {0, 2, 1, 3});
    const std::string regions = Reshape(grid, {kWindows, kTokens});
    const std::string difference = Node("Sub", {Node("Unsqueeze", {regions, Constant({1})}),
                                                Node("Unsqueeze", {regions, Constant({2})})});
    const std::string same = Node("Equal", {difference, Scalar(0)});
    return Node("Where", {Node("Not", {same}), Scalar(-100), difference});
  }

  std::string Block(const std::string& x, bool shifted) {
    std::string y = Border(x);
    const std::string mask = shifted ? Mask(y) : "";
    if (shifted) y = Roll(y, 2);
    const std::string windows = Partition(y);
    std::vector<std::string> parts;
    for (int i = 0; i < 3; ++i) {
      const std::string projected = Node("MatMul", {windows, Weight({kWidth, kWidth})});
      const std::string heads = Reshape(projected, {kWindows, kTokens, kHeads, kWidth / kHeads});
      parts.push_back(Permute(heads, i == 1 ? Shape{0, 2, 3, 1} : Shape{0, 2, 1, 3}));
    }
    std::string scores = Node("MatMul", {parts[0], parts[1]});
    if (shifted) scores = Node("Add", {scores, Node("Unsqueeze", {mask, Constant({1})})});
    const std::string attended =
        Node("MatMul", {Node("Softmax", {scores}, {{"axis", int64_t{-1}}}), parts[2]});
    const std::string joined =
        Reshape(Permute(attended, {0, 2, 1, 3}), {kWindows, kTokens, kWidth});
    const std::string projected = Node("MatMul", {joined, Weight({kWidth, kWidth})});
    const std::string grid = Permute(
        Reshape(projected, {1, kPadded / kWindow, kPadded / kWindow, kWindow, kWindow, kWidth}),
        {0, 1, 3, 2, 4, 5});
    std::string image = Reshape(grid, {1, kPadded, kPadded, kWidth});
    if (shifted) image = Roll(image, -2);
    return Slice(Slice(image, 1, 0, kSide), 2, 0, kSide);
  }

  OnnxWriter& writer() { return writer_; }
  int64_t nodes() const { return nodes_; }

 private:
  std::string Whole(const Shape& shape, const Shape& values) {
    const std::string name = "c" + std::to_string(constants_++);
    writer_.Whole(name, shape, values);
    return name;
  }

  OnnxWriter writer_{17};
  int64_t nodes_ = 0, constants_ = 0;
};

int64_t Products(const Graph& graph) {
  int64_t products = 0;
  for (const GraphNode& node : graph.nodes) {
    for (const Work& work : node.works) products += work.repeat * Operations(work.problem);
  }
  return products;
}

TEST(Swin, IsImportedWithAllItsShapes) {
  Exporter swin;
  swin.writer().Input("image", {1, kSide, kSide, kWidth});
  const std::string output = swin.Block(swin.Block("image", false), true);
  swin.writer().Output(output);
  const auto graph = ReadOnnx("swin.onnx", swin.writer().Bytes(), {});
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  EXPECT_TRUE(graph->warnings.empty());
  EXPECT_EQ(graph->value.values[graph->value.outputs[0]].shape, (Shape{1, kSide, kSide, kWidth}));
  // Per block four projections, and per window and head two products of all tokens with all.
  const int64_t rows = kWindows * kTokens;
  EXPECT_EQ(Products(graph->value),
            2 * (4 * rows * kWidth * kWidth + 2 * kWindows * kTokens * kTokens * kWidth));
  // Every node of the model is a node of the graph or was folded.
  EXPECT_EQ(static_cast<int64_t>(graph->value.nodes.size()) + graph->value.folded_nodes,
            swin.nodes());
  EXPECT_GT(graph->value.folded_nodes, 100);
}

// The border is not known, and with it no shape behind it: one cause, one error.
TEST(Swin, WithoutTheSizeOfItsBorderIsOneError) {
  Exporter swin;
  swin.writer().Input("image", {1, kSide, kSide, kWidth});
  const std::string found = swin.Node("NonZero", {"image"});
  const std::string border = swin.Node(
      "Pad", {"image", swin.Node("Reshape", {swin.Slice(found, 1, 0, 2), swin.Constant({-1})})});
  swin.writer().Output(swin.Block(border, true));
  const auto graph = ReadOnnx("swin.onnx", swin.writer().Bytes(), {});
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().size(), 1U) << Format(graph.error());
  EXPECT_THAT(graph.error()[0].message,
              HasSubstr("the shape of 'NonZero_0', which node 'NonZero_0' (NonZero) writes"));
}

}  // namespace
}  // namespace inlay::io
