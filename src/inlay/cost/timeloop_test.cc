#include "inlay/cost/timeloop.h"

#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/cost/timeloop/boundary.h"
#include "inlay/cost/timeloop/nest.h"

namespace inlay {
namespace {

constexpr LevelId kDram(0), kBuffer(1);

// DRAM and a buffer, with x lanes between them and y below the buffer; 1 pJ for everything.
Architecture TwoLevels(int64_t lanes = 1, int64_t vector = 1) {
  Architecture architecture;
  for (const char* name : {"DRAM", "Buffer"}) {
    Level level;
    level.name = name;
    level.energy = AccessEnergy{1, 1, 1};
    architecture.levels.push_back(level);
  }
  architecture.levels[kDram].fanout.x = lanes;
  architecture.levels[kBuffer].fanout.x = vector;
  architecture.compute.energy_pj = 1;
  return architecture;
}

// Outputs[p] += Inputs[p + r] * Weights[r].
Problem Conv1d(int64_t p, int64_t r) {
  Problem problem;
  const DimId kP(0), kR(1);
  problem.dims = {{"P", p}, {"R", r}};
  problem.tensors = {{"Weights", {{{{kR, 1}}}}, false},
                     {"Inputs", {{{{kP, 1}, {kR, 1}}}}, false},
                     {"Outputs", {{{{kP, 1}}}}, true}};
  return problem;
}

Mapping KeepAll(const Problem& problem, size_t levels) {
  Mapping mapping;
  mapping.levels.resize(levels);
  for (LevelMapping& level : mapping.levels) {
    level.keep = TensorSet::FirstN(problem.tensors.size());
  }
  return mapping;
}

Cost Evaluated(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
               const TimeloopRules& rules = {}) {
  EXPECT_TRUE(Validate(problem, architecture, mapping).empty());
  const auto cost = EvaluateTimeloop(problem, architecture, mapping, rules);
  EXPECT_TRUE(cost.has_value());
  return cost.value_or(Cost{});
}

int64_t InputFills(const Cost& cost) {
  return cost.levels[kBuffer].tensors[TensorId(1)].total.fills;
}

TEST(Timeloop, ExtrapolationTakesTheSecondStepForTheLast) {
  // R inside P: the word at (p + 1, r = 0) is the one at (p, r = 1), which is not the last one
  // held.
  const Problem problem = Conv1d(8, 3);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{DimId(0), 1}, {DimId(1), 1}};
  EXPECT_EQ(InputFills(Evaluated(problem, TwoLevels(), mapping)), 17);
  TimeloopRules rules;
  rules.extrapolation = false;
  EXPECT_EQ(InputFills(Evaluated(problem, TwoLevels(), mapping, rules)), 24);
}

TEST(Timeloop, SlidingWindowIsReused) {
  const Problem problem = Conv1d(8, 3);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{DimId(0), 1}};
  mapping.levels[kBuffer].temporal = {{DimId(1), 1}};
  EXPECT_EQ(InputFills(Evaluated(problem, TwoLevels(), mapping)), 3 + 7);
}

TEST(Timeloop, OverlapIsLostWhenTheTileTurnsRound) {
  // K outside two tiles of P: there and back. The way back is another displacement.
  Problem problem = Conv1d(4, 3);
  problem.dims.push_back({"K", 2});
  problem.tensors[TensorId(0)].ranks.push_back({{{DimId(2), 1}}});
  problem.tensors[TensorId(2)].ranks.push_back({{{DimId(2), 1}}});
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{DimId(2), 1}, {DimId(0), 2}};
  mapping.levels[kBuffer].temporal = {{DimId(0), 1}, {DimId(1), 1}};
  TimeloopRules rules;
  EXPECT_EQ(InputFills(Evaluated(problem, TwoLevels(), mapping, rules)), 4 + 2 + 4 + 2);
  rules.same_displacement = false;
  EXPECT_EQ(InputFills(Evaluated(problem, TwoLevels(), mapping, rules)), 4 + 2 + 2 + 2);
}

TEST(Timeloop, LanesPassWordsToTheirNeighbours) {
  // Three lanes hold R; when P advances, lane r needs what lane r + 1 had.
  const Problem problem = Conv1d(8, 3);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{DimId(0), 1}};
  mapping.levels[kDram].spatial = {{DimId(1), 1, Axis::kX}};
  TimeloopRules rules;
  const Cost linked = Evaluated(problem, TwoLevels(3), mapping, rules);
  EXPECT_EQ(linked.levels[kDram].tensors[TensorId(1)].total.reads, 3 + 7);
  EXPECT_EQ(InputFills(linked), 24);
  rules.link_transfers = false;
  const Cost direct = Evaluated(problem, TwoLevels(3), mapping, rules);
  EXPECT_EQ(direct.levels[kDram].tensors[TensorId(1)].total.reads, 24);
  EXPECT_EQ(InputFills(direct), 24);
}

TEST(Timeloop, PartialSumsGoToEveryLaneOfAGroup) {
  // Two lanes reduce C; P inside the outer C brings every sum back once.
  const Problem problem = MakeGemm("gemm", {.p = 4, .k = 1, .c = 4});
  const DimId p = FindDim(problem, "P").value();
  const DimId c = FindDim(problem, "C").value();
  const TensorId outputs = OutputTensor(problem);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{c, 2}, {p, 1}};
  mapping.levels[kDram].spatial = {{c, 1, Axis::kX}};
  TimeloopRules rules;
  rules.no_drains = false;
  const Cost all = Evaluated(problem, TwoLevels(2), mapping, rules);
  EXPECT_EQ(all.levels[kDram].tensors[outputs].total, (Counts{4, 0, 8, 0}));
  EXPECT_EQ(all.levels[kBuffer].tensors[outputs].total.fills, 8);
  EXPECT_EQ(all.levels[kBuffer].tensors[outputs].total.drains, 16);
  rules.partial_sum_multicast = false;
  const Cost one = Evaluated(problem, TwoLevels(2), mapping, rules);
  EXPECT_EQ(one.levels[kBuffer].tensors[outputs].total.fills, 4);
}

TEST(Timeloop, ATilingBeyondFactorsIsAFault) {
  const Problem problem = Conv1d(7, 1);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{DimId(0), 5}, {DimId(0), 3}};
  mapping.levels[kBuffer].temporal = {{DimId(0), 1}};
  const auto cost = EvaluateTimeloop(problem, TwoLevels(), mapping);
  ASSERT_FALSE(cost.has_value());
  EXPECT_EQ(cost.error().message, "timeloop cannot express this tiling");
}

TEST(Timeloop, AFanoutThatCannotMulticastIsAFault) {
  const Problem problem = Conv1d(4, 1);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kBuffer].temporal = {{DimId(0), 1}};
  Architecture architecture = TwoLevels(2);
  EXPECT_TRUE(EvaluateTimeloop(problem, architecture, mapping).has_value());
  architecture.levels[kDram].fanout.multicast = Multicast::kNone;
  EXPECT_FALSE(EvaluateTimeloop(problem, architecture, mapping).has_value());
}

TEST(Timeloop, CountsBeyondDoublesAreAFault) {
  const Problem problem = Conv1d(int64_t{1} << 60, 1);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kBuffer].temporal = {{DimId(0), 1}};
  const auto cost = EvaluateTimeloop(problem, TwoLevels(), mapping);
  ASSERT_FALSE(cost.has_value());
  EXPECT_EQ(cost.error().where, "tensors.Inputs");
}

TEST(Timeloop, BypassScalingStaysOnWithRemainders) {
  const Problem problem = Conv1d(5, 1);
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {{DimId(0), 2}};
  mapping.levels[kBuffer].temporal = {{DimId(0), 1}};
  TimeloopRules rules;
  rules.bypass_scaling = false;
  EXPECT_FALSE(EvaluateTimeloop(problem, TwoLevels(), mapping, rules).has_value());
  rules.bypass_scaling = true;
  EXPECT_EQ(Evaluated(problem, TwoLevels(), mapping, rules).operations, 5);
}

// On perfect nests the walk of lane 0, with its lookups, is the literal walk of all lanes.
TEST(Timeloop, LaneZeroStandsForAllLanesOfAPerfectNest) {
  const Problem problem = MakeConv("conv", {.k = 4, .c = 4, .p = 6, .q = 4, .r = 3, .s = 2});
  const auto dim = [&problem](const char* name) { return FindDim(problem, name).value(); };
  Mapping mapping = KeepAll(problem, 2);
  mapping.levels[kDram].temporal = {
      {dim("K"), 2}, {dim("P"), 2}, {dim("C"), 2}, {dim("R"), 1}, {dim("Q"), 2}};
  mapping.levels[kDram].spatial = {
      {dim("C"), 1, Axis::kY}, {dim("Q"), 1, Axis::kX}, {dim("S"), 1, Axis::kX}};
  mapping.levels[kBuffer].temporal = {{dim("P"), 1}, {dim("K"), 1}};
  Architecture architecture = TwoLevels(4);
  architecture.levels[kDram].fanout.y = 2;
  ASSERT_TRUE(Validate(problem, architecture, mapping).empty());
  const auto nest = timeloop::BuildNest(problem, mapping);
  ASSERT_TRUE(nest.has_value());
  const timeloop::Boundary boundary = timeloop::AdjacentBoundary(*nest, architecture, kDram);
  for (int bits = 0; bits < 4; ++bits) {
    const timeloop::WalkRules rules{(bits & 1) != 0, false, (bits & 2) != 0};
    for (const Tensor& tensor : problem.tensors) {
      SCOPED_TRACE(tensor.name);
      const timeloop::Projection projection(*nest, tensor);
      const auto zero = timeloop::AnalyseLaneZero(*nest, projection, boundary, rules);
      const auto all = timeloop::AnalyseAllLanes(*nest, projection, boundary, rules);
      ASSERT_TRUE(all.has_value());
      EXPECT_EQ(zero.link_words, all->link_words);
      EXPECT_EQ(zero.delivered_words, all->delivered_words);
      EXPECT_EQ(zero.tile_words, all->tile_words);
      EXPECT_EQ(zero.spatial_tile_words, all->spatial_tile_words);
      EXPECT_EQ(zero.records.size(), all->records.size());
    }
  }
}

}  // namespace
}  // namespace inlay
