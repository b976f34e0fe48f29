#include "inlay/core/op_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape OutputOf(Op op, const OpAttributes& attributes, const std::vector<Shape>& inputs) {
  const auto output = OutputShape(op, attributes, inputs);
  EXPECT_TRUE(output.has_value()) << output.error().message;
  return output && *output ? **output : Shape();
}

int64_t MacsOf(Op op, const OpAttributes& attributes, const std::vector<Shape>& inputs,
               const Shape& output) {
  const auto works = WorksOf(op, attributes, inputs, output);
  EXPECT_TRUE(works.has_value()) << works.error().message;
  int64_t macs = 0;
  for (const OpWork& work : works.value_or(std::vector<OpWork>())) {
    EXPECT_TRUE(Validate(work.problem).empty());
    macs += Operations(work.problem) * work.repeat;
  }
  return macs;
}

TEST(OpWork, ConvolutionsInOneTwoAndThreeDimensions) {
  OpAttributes attributes;
  attributes.stride = {2};
  attributes.pads_before = attributes.pads_after = {1};
  EXPECT_EQ(OutputOf(Op::kConv, attributes, {{1, 3, 16}, {8, 3, 3}}), (Shape{1, 8, 8}));
  EXPECT_EQ(MacsOf(Op::kConv, attributes, {{1, 3, 16}, {8, 3, 3}}, {1, 8, 8}), 8 * 8 * 3 * 3);

  attributes.stride = {2, 1};
  attributes.pads_before = {1, 0};
  attributes.pads_after = {0, 2};
  attributes.groups = 2;
  const std::vector<Shape> planes = {{4, 6, 9, 10}, {8, 3, 3, 5}};
  EXPECT_EQ(OutputOf(Op::kConv, attributes, planes), (Shape{4, 8, 4, 8}));
  EXPECT_EQ(MacsOf(Op::kConv, attributes, planes, {4, 8, 4, 8}), 4 * 8 * 4 * 8 * 3 * 3 * 5);

  OpAttributes plain;
  const std::vector<Shape> volumes = {{1, 2, 5, 6, 7}, {4, 2, 3, 3, 3}};
  EXPECT_EQ(OutputOf(Op::kConv, plain, volumes), (Shape{1, 4, 3, 4, 5}));
  EXPECT_EQ(MacsOf(Op::kConv, plain, volumes, {1, 4, 3, 4, 5}), 4 * 60 * 2 * 27);
  const auto works = WorksOf(Op::kConv, plain, volumes, {1, 4, 3, 4, 5});
  EXPECT_EQ(TensorWords(works->front().problem, TensorId(1)), 2 * 5 * 6 * 7);
}

TEST(OpWork, DepthwiseIsAKindOfItsOwn) {
  OpAttributes attributes;
  attributes.groups = 8;
  const auto works = WorksOf(Op::kConv, attributes, {{1, 8, 5, 5}, {8, 1, 3, 3}}, {1, 8, 3, 3});
  EXPECT_EQ(works->front().kind, "depthwise");
}

// Every word of the input meets every weight of its channel once, whatever form the problem takes.
TEST(OpWork, TransposedConvolutionsMultiplyEveryInputByEveryWeight) {
  const auto macs = [](int64_t stride, int64_t kernel, int64_t pad, int64_t in) {
    OpAttributes attributes;
    attributes.stride = {stride, stride};
    attributes.pads_before = attributes.pads_after = {pad, pad};
    const std::vector<Shape> inputs = {{1, 6, in, in}, {6, 4, kernel, kernel}};
    return MacsOf(Op::kConvTranspose, attributes, inputs,
                  OutputOf(Op::kConvTranspose, attributes, inputs));
  };
  EXPECT_EQ(macs(2, 4, 1, 8), 6 * 4 * 64 * 16);  // by phases
  EXPECT_EQ(macs(2, 2, 0, 8), 6 * 4 * 64 * 4);
  EXPECT_EQ(macs(2, 3, 1, 8), 6 * 4 * 64 * 9);  // by products
  EXPECT_EQ(macs(1, 4, 0, 1), 6 * 4 * 16);      // a generator's first layer
}

TEST(OpWork, WhatOnlyOneOperandHasIsMoreRowsOrColumns) {
  const std::vector<Shape> shared = {{2, 5, 3, 7}, {7, 4}};
  EXPECT_EQ(OutputOf(Op::kMatmul, {}, shared), (Shape{2, 5, 3, 4}));
  EXPECT_EQ(MacsOf(Op::kMatmul, {}, shared, {2, 5, 3, 4}), 2 * 5 * 3 * 7 * 4);
  EXPECT_EQ(WorksOf(Op::kMatmul, {}, shared, {2, 5, 3, 4})->front().kind, "gemm");
  const std::vector<Shape> mixed = {{2, 1, 3, 7}, {2, 6, 7, 4}};
  EXPECT_EQ(OutputOf(Op::kMatmul, {}, mixed), (Shape{2, 6, 3, 4}));
  EXPECT_EQ(MacsOf(Op::kMatmul, {}, mixed, {2, 6, 3, 4}), 2 * 6 * 3 * 7 * 4);
  EXPECT_EQ(OutputOf(Op::kMatmul, {}, {{7}, {7, 4}}), (Shape{4}));
  EXPECT_EQ(OutputOf(Op::kMatmul, {}, {{3, 7}, {7}}), (Shape{3}));
}

TEST(OpWork, EinsumsOfTwoAndMoreOperands) {
  OpAttributes attributes;
  attributes.equation = "bhid, bhjd -> bhij";
  const std::vector<Shape> scores = {{2, 3, 5, 7}, {2, 3, 4, 7}};
  EXPECT_EQ(OutputOf(Op::kEinsum, attributes, scores), (Shape{2, 3, 5, 4}));
  EXPECT_EQ(MacsOf(Op::kEinsum, attributes, scores, {2, 3, 5, 4}), 6 * 5 * 4 * 7);
  attributes.equation = "...ij,jk";
  EXPECT_EQ(OutputOf(Op::kEinsum, attributes, {{2, 3, 5, 7}, {7, 4}}), (Shape{2, 3, 5, 4}));
  attributes.equation = "ij,jk,kl->il";
  const std::vector<Shape> chain = {{2, 3}, {3, 5}, {5, 7}};
  EXPECT_EQ(MacsOf(Op::kEinsum, attributes, chain, {2, 7}), 2 * 3 * 5 + 2 * 5 * 7);
}

TEST(OpWork, RecurrentLayersRunTheirRecurrenceStepByStep) {
  const std::vector<Shape> inputs = {{50, 2, 12}, {2, 32, 12}, {2, 32, 8}};
  EXPECT_EQ(OutputOf(Op::kLstm, {}, inputs), (Shape{50, 2, 2, 8}));
  const auto works = WorksOf(Op::kLstm, {}, inputs, {50, 2, 2, 8});
  ASSERT_EQ(works->size(), 2U);
  EXPECT_EQ((*works)[1].repeat, 50);
  EXPECT_EQ(MacsOf(Op::kLstm, {}, inputs, {50, 2, 2, 8}), 2 * 50 * 2 * 32 * (12 + 8));
}

// An LSTM written out: sums of the products, functions of them, and products with the cell.
TEST(OpWork, GatesAreAsManyOperationsAsElementwiseNodesThatDoTheSame) {
  constexpr int64_t kSteps = 50, kBatch = 2, kDirections = 2, kHidden = 8;
  const auto gates = [&](Op op, int64_t rows, bool batch_first = false) {
    OpAttributes attributes;
    attributes.batch_first = batch_first;
    const Shape x = batch_first ? Shape{kBatch, kSteps, 12} : Shape{kSteps, kBatch, 12};
    return *GatesOf(op, attributes, {x, {kDirections, rows, 12}, {kDirections, rows, kHidden}});
  };
  const int64_t states = kSteps * kBatch * kDirections * kHidden;
  int64_t lstm = 0;
  lstm += 4 * states;           // W x + R h
  lstm += 3 * states + states;  // three sigmoids, one tanh
  lstm += 2 * states + states;  // f * c, i * g, their sum
  lstm += states + states;      // tanh(c), o * that
  EXPECT_EQ(gates(Op::kLstm, 4 * kHidden).operations, lstm);
  EXPECT_EQ(gates(Op::kLstm, 4 * kHidden, true).operations, lstm);
  // Both products of four gates and c are read, c and h are written.
  EXPECT_EQ(gates(Op::kLstm, 4 * kHidden).words, (4 + 4 + 1 + 1 + 1) * states);
  int64_t gru = 0;
  gru += 3 * states;                // W x + R h
  gru += 2 * states + states;       // two sigmoids, one tanh
  gru += states;                    // r * h
  gru += states + states + states;  // 1 - z, (1 - z) * n, z * h
  gru += states;                    // their sum
  EXPECT_EQ(gates(Op::kGru, 3 * kHidden).operations, gru);
  EXPECT_EQ(gates(Op::kGru, 3 * kHidden).words, (3 + 3 + 1 + 1) * states);
  EXPECT_EQ(gates(Op::kRnn, kHidden).operations, 2 * states);
  EXPECT_EQ(gates(Op::kRnn, kHidden).words, (1 + 1 + 1) * states);
  EXPECT_FALSE(GatesOf(Op::kGemm, {}, {{2, 3}, {3, 4}}).has_value());
}

TEST(OpWork, WhatDoesNotFitIsAFault) {
  const auto fault = [](Op op, const std::vector<Shape>& inputs, const std::string& equation = "") {
    OpAttributes attributes;
    attributes.equation = equation;
    const auto output = OutputShape(op, attributes, inputs);
    return output ? std::string() : output.error().message;
  };
  EXPECT_THAT(fault(Op::kConv, {{1, 4, 5, 5}, {8, 3, 3, 3}}), HasSubstr("channels"));
  EXPECT_THAT(fault(Op::kConv, {{1, 3, 2, 2}, {8, 3, 3, 3}}), HasSubstr("larger than the input"));
  EXPECT_THAT(fault(Op::kConv, {{1, 3}, {8, 3}}), HasSubstr("a convolution of [1, 3]"));
  EXPECT_THAT(fault(Op::kConv, {{1, 3, 0, 4}, {8, 3, 1, 1}}), HasSubstr("empty"));
  EXPECT_THAT(fault(Op::kGemm, {{2, 3}, {4, 5}}), HasSubstr("3 is not 4"));
  EXPECT_THAT(fault(Op::kMatmul, {{2, 3, 4}, {3, 4, 5}}), HasSubstr("do not fit"));
  EXPECT_THAT(fault(Op::kEinsum, {{2, 2}}, "ii->i"), HasSubstr("twice"));
  EXPECT_THAT(fault(Op::kEinsum, {{2, 3}, {4, 5}}, "ij,jk->ik"), HasSubstr("both 3 and 4"));
  EXPECT_THAT(fault(Op::kEinsum, {{2, 3}, {3, 5}}, "ij,jk->iz"), HasSubstr("'z'"));
  EXPECT_THAT(fault(Op::kLstm, {{5, 1, 3}, {1, 8, 3}, {1, 8, 3}}), HasSubstr("do not fit"));
  EXPECT_THAT(fault(Op::kElementwise, {{2, 3}, {2, 4}}), HasSubstr("do not fit"));
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_THAT(fault(Op::kMatmul, {{0, kHuge, kHuge}, {kHuge, kHuge}}), HasSubstr("64 bits"));
}

TEST(OpWork, ProductsOfEmptyTensorsAreFaults) {
  EXPECT_FALSE(WorksOf(Op::kGemm, {}, {{0, 3}, {3, 4}}, {0, 4}).has_value());
}

TEST(OpWork, AttributesAreWrittenInOneWay) {
  OpAttributes attributes;
  attributes.stride = {2};
  attributes.dilation = {1, 1};
  attributes.pads_before = {0};
  const auto canonical = Canonical(attributes, 2);
  ASSERT_TRUE(canonical.has_value());
  EXPECT_THAT(canonical->stride, ElementsAre(2, 2));
  EXPECT_TRUE(canonical->dilation.empty());
  EXPECT_TRUE(canonical->pads_before.empty());
  attributes.stride = {1, 2, 3};
  EXPECT_FALSE(Canonical(attributes, 2).has_value());
  attributes.stride = {0};
  EXPECT_FALSE(Canonical(attributes, 2).has_value());
}

TEST(OpWork, BroadcastStretchesOnes) {
  EXPECT_EQ(Broadcast({{3, 1}, {1, 4}, {}}), (Shape{3, 4}));
  EXPECT_EQ(Broadcast({{2, 0}, {2, 1}}), (Shape{2, 0}));
  EXPECT_EQ(Broadcast({{2}, {3}}), std::nullopt);
}

}  // namespace
}  // namespace inlay
