#include "inlay/core/vector_work.h"

#include <gtest/gtest.h>

namespace inlay {
namespace {

struct Node {
  Graph graph;

  ValueId Value(Shape shape, ValueRole role = ValueRole::kInput) {
    const ValueId id(graph.values.size());
    graph.values.push_back({"v" + std::to_string(id.value()), std::move(shape), role, {}});
    return id;
  }
  VectorWork Work(Op op, NodeFunction function, std::vector<ValueId> inputs,
                  const std::optional<Shape>& shape = {}, std::vector<int64_t> window = {}) {
    OpAttributes attributes;
    attributes.function = function;
    attributes.window = std::move(window);
    EXPECT_TRUE(AddNode({"node", op, attributes, std::move(inputs), {{"out", shape}}}, &graph));
    const auto work = VectorWorkOf(graph, graph.nodes.back());
    EXPECT_TRUE(work.has_value());
    return *work;
  }
};

int64_t Times(const VectorWork& work, VectorOp op) {
  return work.row_operations[static_cast<size_t>(op)];
}

TEST(VectorWork, AStretchedInputIsAskedForLessOftenThanItIsUsed) {
  Node n;
  // A word for each of two rows; a word for each of three columns; one word.
  const VectorWork work =
      n.Work(Op::kElementwise, NodeFunction::kAdd,
             {n.Value({2, 3}), n.Value({2, 1}), n.Value({3}, ValueRole::kWeight), n.Value({})});
  EXPECT_EQ(work.rows, 6);
  EXPECT_EQ(Times(work, VectorOp::kAdd), 3) << "three sums of four inputs";
  EXPECT_EQ(work.written, 6);
  const std::array<int64_t, 4> words = {6, 2, 3, 1}, steps = {6, 2, 6, 1};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(work.inputs[i].words, words[i]) << i;
    EXPECT_EQ(work.inputs[i].steps, steps[i]) << i;
    EXPECT_EQ(work.inputs[i].uses, 6) << i;
    EXPECT_EQ(work.inputs[i].is_weight, i == 2) << i;
  }
}

TEST(VectorWork, RowsMayLieAlongOtherDimensions) {
  Node n;
  const ValueId x = n.Value({4, 5, 10});
  OpAttributes along;
  along.axes = {0, 1};
  ASSERT_TRUE(AddNode({"across", Op::kSoftmax, along, {x}, {{"y", {}}}}, &n.graph));
  const auto softmax = VectorWorkOf(n.graph, n.graph.nodes.back());
  ASSERT_TRUE(softmax);
  EXPECT_EQ(softmax->rows, 10);
  EXPECT_EQ(softmax->row_words, 20);
  EXPECT_EQ(Times(*softmax, VectorOp::kExp), 20);

  // A norm without a function is one of rows where these are named, however many dimensions it has.
  along.axes = {1};
  const ValueId image = n.Value({1, 8, 3, 3});
  ASSERT_TRUE(AddNode({"norm", Op::kNorm, along, {image}, {{"z", {}}}}, &n.graph));
  const auto norm = VectorWorkOf(n.graph, n.graph.nodes.back());
  ASSERT_TRUE(norm);
  EXPECT_EQ(norm->rows, 9);
  EXPECT_EQ(norm->row_words, 8);
}

TEST(VectorWork, ASoftmaxGoesThroughItsRowsThreeTimes) {
  Node n;
  const VectorWork work = n.Work(Op::kSoftmax, NodeFunction::kAny, {n.Value({4, 5, 10})});
  EXPECT_EQ(work.rows, 20);
  EXPECT_EQ(work.row_words, 10);
  EXPECT_EQ(work.passes, 3);
  EXPECT_EQ(work.rewrites, 1);
  EXPECT_EQ(Times(work, VectorOp::kMax), 10);
  EXPECT_EQ(Times(work, VectorOp::kAdd), 20);
  EXPECT_EQ(Times(work, VectorOp::kExp), 10);
  EXPECT_EQ(Times(work, VectorOp::kDiv), 10);
}

TEST(VectorWork, ANormWithoutAFunctionHasRowsWhereItHasNoPlanes) {
  Node n;
  const VectorWork layer =
      n.Work(Op::kNorm, NodeFunction::kAny,
             {n.Value({6, 8}), n.Value({8}, ValueRole::kWeight), n.Value({8}, ValueRole::kWeight)});
  EXPECT_EQ(layer.rows, 6);
  EXPECT_EQ(layer.passes, 2);
  EXPECT_EQ(Times(layer, VectorOp::kAdd), 4 * 8 + 2);
  EXPECT_EQ(Times(layer, VectorOp::kMul), 3 * 8 + 3);
  EXPECT_EQ(Times(layer, VectorOp::kSqrt), 1);
  EXPECT_EQ(layer.inputs[1].steps, 48);
  Node m;
  const VectorWork batch = m.Work(Op::kNorm, NodeFunction::kAny,
                                  {m.Value({2, 3, 4, 4}), m.Value({3}, ValueRole::kWeight)});
  EXPECT_EQ(batch.rows, 96);
  EXPECT_EQ(batch.passes, 1);
  EXPECT_EQ(Times(batch, VectorOp::kMul), 1);
  EXPECT_EQ(batch.inputs[1].steps, 6) << "a channel of a sample after the other";
  EXPECT_EQ(batch.inputs[1].uses, 96);
}

TEST(VectorWork, AWindowSaysHowManyWordsAPoolReads) {
  Node n;
  const VectorWork known =
      n.Work(Op::kPool, NodeFunction::kMean, {n.Value({1, 2, 7, 7})}, Shape{1, 2, 3, 3}, {3, 3});
  EXPECT_EQ(known.rows, 18);
  EXPECT_EQ(Times(known, VectorOp::kAdd), 9);
  EXPECT_EQ(Times(known, VectorOp::kMul), 1);
  EXPECT_EQ(known.inputs[0].uses, 162);
  EXPECT_EQ(known.inputs[0].words, 98);
  EXPECT_EQ(known.inputs[0].steps, 98) << "what windows share comes once";
  Node m;
  const VectorWork guessed =
      m.Work(Op::kPool, NodeFunction::kMax, {m.Value({1, 2, 7, 7})}, Shape{1, 2, 3, 3});
  EXPECT_EQ(Times(guessed, VectorOp::kMax), 6) << "98 words for 18 places, rounded up";
}

TEST(VectorWork, WhatOnlyMovesWordsComputesNothing) {
  Node n;
  const VectorWork work = n.Work(Op::kSlice, NodeFunction::kAny, {n.Value({10, 10})}, Shape{3, 10});
  for (const int64_t times : work.row_operations) EXPECT_EQ(times, 0);
  EXPECT_EQ(work.inputs[0].words, 30);
  EXPECT_EQ(work.written, 30);
}

}  // namespace
}  // namespace inlay
