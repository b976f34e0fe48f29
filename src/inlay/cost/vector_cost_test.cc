// The rules of docs/reference/vector-units.md on nodes small enough to count by hand.
#include "inlay/cost/vector_cost.h"

#include <gtest/gtest.h>

namespace inlay {
namespace {

constexpr TensorId kInputs{1}, kOutputs{2};

// A memory off chip, a buffer, and two units below the buffer's fan-out.
Architecture Machine(int64_t buffer_words) {
  Architecture architecture;
  Level dram, buffer;
  dram.name = "DRAM";
  dram.energy = AccessEnergy{100, 100, 100};
  dram.shared_bandwidth = 2;
  buffer.name = "buffer";
  buffer.energy = AccessEnergy{1, 2, 3};
  buffer.capacity_words = buffer_words;
  buffer.fanout.name = "lanes";
  buffer.fanout.x = 2;
  architecture.levels = {dram, buffer};
  architecture.compute.energy_pj = 1000;  // of no matter
  architecture.vector_units = {
      {{"alu", {false, {VectorOp::kAdd, VectorOp::kMul, VectorOp::kMax}}, 4, 0.5},
       {"sfu", {true, {}}, 1, 10}},
      LevelId(1),
      true};
  return architecture;
}

// Three rows of ten words.
VectorWork Softmax() {
  Graph graph;
  graph.values.push_back({"x", {3, 10}, ValueRole::kInput, {}});
  EXPECT_TRUE(AddNode({"node", Op::kSoftmax, {}, {ValueId(0)}, {{"y", {}}}}, &graph));
  return *VectorWorkOf(graph, graph.nodes.back());
}

TEST(VectorCost, RowsThatFitComeOnce) {
  const auto found = CostOfVectorWork(Softmax(), Machine(20));  // a row for each of two units
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->held_in, LevelId(1));
  const Cost& cost = found->cost;
  const auto& dram = cost.levels[LevelId(0)].tensors;
  const auto& buffer = cost.levels[LevelId(1)].tensors;
  EXPECT_EQ(dram[kInputs].total, (Counts{30, 0, 0, 0}));
  EXPECT_EQ(dram[kOutputs].total, (Counts{0, 0, 30, 0}));
  EXPECT_EQ(buffer[kInputs].total, (Counts{90, 30, 30, 0})) << "three passes, the exponentials";
  EXPECT_EQ(buffer[kOutputs].total, (Counts{0, 0, 30, 30}));
  // Two of the rows on one unit: 2 · 30 of the alu at 4 a cycle, 2 · 20 of the sfu at 1. The
  // memory off chip moves 60 words at 2 a cycle.
  EXPECT_EQ(cost.operations, 150);
  EXPECT_EQ(cost.compute_cycles, 40);
  EXPECT_EQ(cost.cycles, 40);
  EXPECT_EQ(cost.offchip_words, 60);
  const double operations = 90 * 0.5 + 60 * 10, off_chip = 60 * 100;
  const double on_chip = 90 * 1 + 30 * 2 + 30 * 3 + 30 * 3 + 30 * 1;
  EXPECT_NEAR(cost.energy_pj, operations + off_chip + on_chip, 1e-9);
}

TEST(VectorCost, RowsThatDoNotFitComeForEveryPass) {
  const auto found = CostOfVectorWork(Softmax(), Machine(19));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->held_in, LevelId(0));
  const auto& dram = found->cost.levels[LevelId(0)].tensors;
  EXPECT_EQ(dram[kInputs].total, (Counts{90, 0, 30, 0})) << "the exponentials lie off chip, too";
  EXPECT_EQ(found->cost.offchip_words, 150);
  EXPECT_EQ(found->cost.cycles, 75) << "the memory off chip is the slowest now";
}

TEST(VectorCost, LaunchAndLatencyAreOfEveryNode) {
  Architecture architecture = Machine(20);
  architecture.launch_cycles = 7;
  architecture.levels[LevelId(0)].latency_cycles = 100;
  const auto found = CostOfVectorWork(Softmax(), architecture);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->cost.cycles, 40 + 7 + 100);
}

TEST(VectorCost, WhatNoUnitHasIsNotCounted) {
  Architecture architecture = Machine(20);
  architecture.vector_units.units.pop_back();
  const auto found = CostOfVectorWork(Softmax(), architecture);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error(), "no vector unit has 'div'");
}

TEST(VectorCost, CountsThat64BitsDoNotHoldAreNoCost) {
  VectorWork work = Softmax();
  work.rows = int64_t{1} << 60;
  work.inputs.front().words = work.inputs.front().steps = work.inputs.front().uses = work.rows * 7;
  const auto found = CostOfVectorWork(work, Machine(20));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error(), "64 bits do not hold its counts");
}

}  // namespace
}  // namespace inlay
