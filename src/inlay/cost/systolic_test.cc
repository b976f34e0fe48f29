#include "inlay/cost/systolic.h"

#include <gtest/gtest.h>

#include <limits>

#include "inlay/core/shapes.h"

namespace inlay {
namespace {

constexpr SystolicArray Array(int64_t rows, int64_t columns, Dataflow dataflow) {
  return {rows, columns, dataflow};
}

TEST(SystolicShape, ConvolutionPutsTheBatchIntoThePixels) {
  const Problem conv =
      MakeConv("conv", {.n = 2, .k = 8, .c = 3, .p = 5, .q = 7, .r = 3, .s = 2, .stride_h = 2});
  const auto shape = SystolicShapeOf(conv);
  ASSERT_TRUE(shape);
  EXPECT_EQ(*shape, (SystolicShape{.groups = 1, .pixels = 70, .filters = 8, .reduction = 18}));
}

TEST(SystolicShape, GroupsOfConvolutionsAndMatrices) {
  EXPECT_EQ(*SystolicShapeOf(MakeConv("dw", {.g = 32, .p = 4, .q = 4, .r = 3, .s = 3})),
            (SystolicShape{.groups = 32, .pixels = 16, .filters = 1, .reduction = 9}));
  EXPECT_EQ(*SystolicShapeOf(MakeGemm("bmm", {.g = 12, .p = 128, .k = 64, .c = 32})),
            (SystolicShape{.groups = 12, .pixels = 128, .filters = 64, .reduction = 32}));
}

TEST(SystolicShape, TheTensorNamedWeightsPlaysTheWeights) {
  Problem gemm = MakeGemm("gemm", {.p = 2, .k = 3, .c = 5});
  std::swap(gemm.tensors[TensorId(0)], gemm.tensors[TensorId(1)]);
  EXPECT_EQ(SystolicShapeOf(gemm)->pixels, 2);
  gemm.tensors[TensorId(1)].name = "B";  // no tensor has the name now: the first input is taken
  EXPECT_EQ(SystolicShapeOf(gemm)->pixels, 3);
}

TEST(SystolicShape, RefusesWhatIsNoProductOfTwoTensors) {
  Problem three = MakeGemm("three", {.p = 2, .k = 3, .c = 5});
  three.tensors.push_back({"Scales", {{{{DimId(0), 1}}}}, false});
  ASSERT_TRUE(Validate(three).empty());
  EXPECT_FALSE(SystolicShapeOf(three));
  Problem spread = MakeGemm("spread", {.p = 2, .k = 3, .c = 5});
  spread.dims.push_back({"X", 4});
  spread.tensors[TensorId(2)].ranks.push_back({{{DimId(3), 1}}});
  ASSERT_TRUE(Validate(spread).empty());
  const auto refused = SystolicShapeOf(spread);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "dims.X");
}

// 5 pixels, 7 filters and a reduction of 9 on 2 × 4 elements, counted by hand.
TEST(Systolic, CountsByHand) {
  const SystolicShape shape{.pixels = 5, .filters = 7, .reduction = 9};
  const auto os = EvaluateSystolic(shape, Array(2, 4, Dataflow::kOutputStationary));
  ASSERT_TRUE(os);
  EXPECT_EQ(os->folds, 3 * 2);
  EXPECT_EQ(os->cycles_per_fold, 9 + 2 + 4 - 2);
  EXPECT_EQ(os->cycles, 6 * 13 - 1);
  EXPECT_EQ(os->input_reads, 2 * 5 * 9);
  EXPECT_EQ(os->weight_reads, 3 * 7 * 9);
  EXPECT_EQ(os->output_writes, 5 * 7);
  EXPECT_DOUBLE_EQ(os->mapping_efficiency, 35.0 / 48);
  EXPECT_DOUBLE_EQ(os->utilization, 315.0 / (8 * 77));

  const auto ws = EvaluateSystolic(shape, Array(2, 4, Dataflow::kWeightStationary));
  EXPECT_EQ(ws->folds, 5 * 2);
  EXPECT_EQ(ws->cycles, 10 * (5 + 2 * 2 + 4 - 2) - 1);
  EXPECT_EQ(ws->input_reads, 2 * 5 * 9);
  EXPECT_EQ(ws->weight_reads, 7 * 9);
  EXPECT_EQ(ws->output_writes, 5 * 5 * 7);

  const auto is = EvaluateSystolic(shape, Array(2, 4, Dataflow::kInputStationary));
  EXPECT_EQ(is->folds, 5 * 2);
  EXPECT_EQ(is->cycles, 10 * (7 + 2 * 2 + 4 - 2) - 1);
  EXPECT_EQ(is->input_reads, 5 * 9);
  EXPECT_EQ(is->weight_reads, 2 * 7 * 9);
  EXPECT_EQ(is->output_writes, 5 * 5 * 7);
}

TEST(Systolic, GroupsAreRunsOfTheirOwn) {
  for (Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    const SystolicShape one{.pixels = 49, .filters = 1, .reduction = 9};
    SystolicShape many = one;
    many.groups = 32;
    const auto a = EvaluateSystolic(one, Array(8, 8, dataflow));
    const auto b = EvaluateSystolic(many, Array(8, 8, dataflow));
    EXPECT_EQ(b->cycles, 32 * a->cycles);
    EXPECT_EQ(b->folds, 32 * a->folds);
    EXPECT_EQ(b->input_reads, 32 * a->input_reads);
    EXPECT_EQ(b->weight_reads, 32 * a->weight_reads);
    EXPECT_EQ(b->output_writes, 32 * a->output_writes);
    EXPECT_DOUBLE_EQ(b->utilization, a->utilization);
    EXPECT_DOUBLE_EQ(b->mapping_efficiency, a->mapping_efficiency);
  }
}

TEST(Systolic, UtilizationNeverExceedsOne) {
  const auto cost = EvaluateSystolic({.pixels = 1, .filters = 1, .reduction = 1},
                                     Array(1, 1, Dataflow::kOutputStationary));
  EXPECT_EQ(cost->cycles, 0);
  EXPECT_EQ(cost->utilization, 1);
}

TEST(Systolic, RefusesEmptyArraysAndOverflow) {
  const SystolicShape shape{.pixels = 1, .filters = 1, .reduction = 1};
  EXPECT_FALSE(EvaluateSystolic(shape, Array(0, 4, Dataflow::kOutputStationary)));
  EXPECT_FALSE(EvaluateSystolic(shape, Array(4, -1, Dataflow::kOutputStationary)));
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    EXPECT_FALSE(EvaluateSystolic(shape, Array(kHuge, kHuge, dataflow)));
    EXPECT_FALSE(
        EvaluateSystolic({.pixels = kHuge, .filters = 2, .reduction = 1}, Array(1, 1, dataflow)));
  }
}

TEST(Systolic, DataflowNames) {
  EXPECT_EQ(DataflowFromShortName("WS"), Dataflow::kWeightStationary);
  EXPECT_EQ(DataflowFromShortName("rs"), std::nullopt);
  for (Dataflow dataflow :
       {Dataflow::kOutputStationary, Dataflow::kWeightStationary, Dataflow::kInputStationary}) {
    EXPECT_EQ(DataflowFromShortName(Name(dataflow)), dataflow);
  }
}

}  // namespace
}  // namespace inlay
