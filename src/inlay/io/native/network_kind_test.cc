#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/graph.h"
#include "tests/support/native.h"

namespace inlay::io {
namespace {

using inlay::testing::ErrorsOf;
using inlay::testing::ReadText;
using ::testing::ElementsAre;

constexpr const char* kTwoLayers = R"(format: inlay/1
network:
  name: two-layers
  inputs: {image: [1, 3, 32, 32]}
  weights: {w1: [16, 3, 3, 3], w2: [16, 16, 3, 3]}
  nodes:
  - {name: conv1, op: conv, inputs: [image, w1], output: a, pads: 1}
  - {name: relu1, op: elementwise, inputs: [a], output: b}
  - {name: conv2, op: conv, inputs: [b, w2], output: c, pads: 1, stride: 2}
  outputs: [c]
)";

Graph Read(const std::string& text) {
  const auto inputs = ReadText(text);
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs ? inputs->graph.value() : Graph();
}

TEST(NetworkKind, ReadsTheExampleOfTheFormat) {
  const Graph graph = Read(kTwoLayers);
  EXPECT_EQ(graph.name, "two-layers");
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.values[graph.outputs.front()].shape, (Shape{1, 16, 16, 16}));
  EXPECT_EQ(Operations(graph.nodes[NodeId(2)].works.front().problem), 16 * 16 * 16 * 16 * 9);
}

TEST(NetworkKind, NodesMayStandInAnyOrder) {
  const Graph graph = Read(R"(format: inlay/1
network:
  inputs: {x: [2, 4]}
  nodes:
  - {name: second, op: softmax, inputs: [a], output: b}
  - {name: first, op: elementwise, inputs: [x], output: a}
  outputs: [b]
)");
  EXPECT_EQ(graph.nodes[NodeId(0)].name, "first");
}

TEST(NetworkKind, EveryAttributeComesBack) {
  const Graph graph = Read(R"(format: inlay/1
network:
  name: all
  inputs: {x: [1, 4, 9, 10], s: [7, 2, 6], q: [2, 3, 5], "a b, c": [3, 2]}
  weights: {w: [8, 2, 3, 3], t: [8, 3, 2, 2], r: [1, 20, 6], h: [1, 20, 5], m: [3, 4]}
  nodes:
  - {name: c, op: conv, inputs: [x, w], output: c, pads: [1, 0, 2, 1], stride: [2, 1], dilation: 2, groups: 2}
  - {name: d, op: conv_transpose, inputs: [c, t], output: d, stride: 2, pads: [1, 0]}
  - {name: l, op: lstm, inputs: [s, r, h], outputs: [y, yh], shapes: [[7, 1, 2, 5], [1, 2, 5]]}
  - {name: g, op: gemm, inputs: ["a b, c", m], output: g, transpose_a: true}
  - {name: e, op: einsum, inputs: [q, q], output: e, equation: "bij,bkj->bik"}
  - {name: v, op: view, inputs: [e], output: v, shape: [18]}
  - {name: p, op: pool, inputs: [d], output: p, shape: [1, 3, 1, 1]}
  - {name: n, op: norm, inputs: [q], output: n, function: rms, axes: [1, 2]}
  - {name: o, op: softmax, inputs: [q], output: o, axes: [1]}
  outputs: [p, y, yh, g, v, n, o]
)");
  EXPECT_EQ(Read(WriteNative(graph)), graph);
  EXPECT_EQ(graph.values[graph.nodes[NodeId(5)].outputs[0]].alias_of,
            graph.nodes[NodeId(4)].outputs[0]);
}

TEST(NetworkKind, ErrorsStandAtTheirPlaces) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
network:
  inputs: {x: [1, 4], x2: [-1]}
  nodes:
  - {name: a, op: relu, inputs: [x], output: y}
  - {name: b, op: elementwise, inputs: [z], output: q, stride: 2}
  outputs: [nothing]
)"),
              ElementsAre("3:28: an entry of 'x2' must be at least 0, found -1",
                          ::testing::StartsWith("5:19: 'op' must be conv, conv_transpose"),
                          "6:41: nothing is or writes a tensor 'z' (expected one of q, x, x2, y)",
                          ::testing::StartsWith("7:13: nothing writes the output 'nothing'")));
}

TEST(NetworkKind, WhatDoesNotFitIsToldAtTheNode) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
network:
  inputs: {x: [1, 4, 8, 8]}
  weights: {w: [8, 3, 3, 3]}
  nodes:
  - {name: a, op: conv, inputs: [x, w], output: y}
  - {name: b, op: elementwise, inputs: [y], output: z}
  outputs: [z]
)"),
              ElementsAre("6:5: node 'a': the input has 4 channels, the weights [8, 3, 3, 3] are "
                          "for 3"));
}

TEST(NetworkKind, AttributesOfOtherOperatorsAreErrors) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
network:
  inputs: {x: [1, 4, 8, 8]}
  nodes:
  - {name: a, op: pool, inputs: [x], output: y, stride: 2, shape: [1, 4, 4, 4]}
  outputs: [y]
)"),
              ElementsAre("5:57: 'stride' means nothing to 'pool' (its output is given by "
                          "'shape')"));
}

TEST(NetworkKind, AxesAreThoseOfTheFirstInputEachOnce) {
  const auto network = [](const char* axes) {
    return fmt::format(R"(format: inlay/1
network:
  inputs: {{x: [2, 3, 4]}}
  nodes:
  - {{name: a, op: softmax, inputs: [x], output: y, axes: {}}}
  outputs: [y]
)",
                       axes);
  };
  EXPECT_THAT(ErrorsOf(network("[0, 3]")),
              ElementsAre("5:58: there is no dimension 3 of 3 (dimensions of the first input are "
                          "counted from 0)"));
  EXPECT_THAT(ErrorsOf(network("[1, 1]")),
              ElementsAre("5:58: a dimension is listed twice (list each once)"));
  const auto axes = [&](const char* text) {
    return Read(network(text)).nodes[NodeId(0)].attributes.axes;
  };
  EXPECT_THAT(axes("[1, 0]"), ElementsAre(0, 1));
  EXPECT_THAT(axes("[2]"), ElementsAre()) << "as without the key";
}

TEST(NetworkKind, CyclesAndNamesUsedTwiceAreErrors) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
network:
  inputs: {x: [4]}
  nodes:
  - {name: a, op: elementwise, inputs: [x, c], output: b}
  - {name: d, op: elementwise, inputs: [b], output: c}
  outputs: [c]
)"),
              ElementsAre("5:5: the network has a cycle: 'a' needs 'd' needs 'a'"));
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
network:
  inputs: {x: [4]}
  nodes:
  - {name: a, op: elementwise, inputs: [x], output: b}
  - {name: a, op: elementwise, inputs: [x], output: b}
  outputs: [b]
)"),
              ::testing::Contains("6:53: there are two tensors 'b'"));
}

TEST(NetworkKind, WhatCannotBeInferredIsAskedFor) {
  EXPECT_THAT(ErrorsOf(R"(format: inlay/1
network:
  inputs: {x: [4, 4]}
  nodes:
  - {name: a, op: transpose, inputs: [x], output: b}
  outputs: [b]
)"),
              ElementsAre("5:5: node 'a': the shape of 'b' is missing (write 'shape: [...]')"));
}

}  // namespace
}  // namespace inlay::io
