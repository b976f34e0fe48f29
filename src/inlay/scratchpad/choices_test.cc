#include "inlay/scratchpad/choices.h"

#include <gtest/gtest.h>

#include "inlay/scratchpad/step_cost.h"

namespace inlay {
namespace {

constexpr PadId kPad{0};
constexpr ValueId kIn{0}, kWeight{1}, kA{2}, kB{3};

// in (100 bytes), weight (50) → node 0 → a (100) → node 1, element by element → b (100), the
// output. Off chip 1 byte per second; a pad of 256 bytes, 10 per second, aligned to 32.
PlanProblem TwoSteps() {
  PlanProblem problem;
  problem.machine.units.push_back({"unit", 1, {}});
  problem.machine.pads.push_back({"pad", 256, 32, 10.0, 2, {UnitId(0)}});
  problem.machine.offchip = {1.0, 100};
  problem.tensors = {{"in", 100, false, false, false},
                     {"weight", 50, false, true, false},
                     {"a", 100, true, false, false},
                     {"b", 100, true, false, true}};
  problem.nodes = {
      {"n0",
       NodeId(0),
       UnitId(0),
       {{kIn, false}, {kWeight, false}, {kA, true}},
       {{20, {{100, 7}, {150, 8}, {100, 9}}}},
       {}},
      {"n1", NodeId(1), UnitId(0), {{kA, false}, {kB, true}}, {{5, {{100, 0}, {100, 0}}}}, {kA}}};
  problem.workspace_pad = {kPad};
  return problem;
}

TEST(Choices, NothingKeptStreamsEverything) {
  const PlanProblem problem = TwoSteps();
  const Choices choices = NothingKept(problem, PlanObjective::kLatency);
  const std::vector<StepLoad> loads = LoadsOf(problem, choices);
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].offchip_bytes, 350);
  EXPECT_EQ(loads[0].seconds, 350);
  EXPECT_EQ(loads[0].held_bytes[kPad], 32);  // 7 + 8 + 9, rounded up
  EXPECT_EQ(loads[1].offchip_bytes, 200);
  EXPECT_EQ(FiguresOf(problem, choices), (PlanFigures{550, 550, 55000}));
  EXPECT_TRUE(Fits(problem, choices));
}

TEST(Choices, WhatIsKeptIsUsedFromItsPad) {
  const PlanProblem problem = TwoSteps();
  Choices choices = NothingKept(problem, PlanObjective::kLatency);
  choices.tensors[kA].written_into = kPad;
  choices.tensors[kA].written_back_at.reset();
  choices.tensors[kA].reads[0] = {ReadChoice::Way::kKept, kPad, 0};
  std::vector<StepLoad> loads = LoadsOf(problem, choices);
  EXPECT_EQ(loads[0].offchip_bytes, 250);
  EXPECT_EQ(loads[0].pad_bytes[kPad], 100);
  EXPECT_EQ(loads[0].held_bytes[kPad], 128 + 32);
  EXPECT_EQ(loads[1].seconds, 100);
  EXPECT_EQ(loads[1].held_bytes[kPad], 128);
  EXPECT_EQ(FiguresOf(problem, choices).energy_pj, 350 * 100 + 200 * 2);

  // The output beside it, then over it; written back in either case.
  choices.tensors[kB].written_into = kPad;
  loads = LoadsOf(problem, choices);
  EXPECT_EQ(loads[1].held_bytes[kPad], 256);
  EXPECT_EQ(loads[1].offchip_bytes, 100);
  EXPECT_EQ(loads[1].pad_bytes[kPad], 300);
  choices.in_place[1] = kA;
  EXPECT_EQ(LoadsOf(problem, choices)[1].held_bytes[kPad], 128);
}

TEST(Choices, CopiesCountAtBothEnds) {
  const PlanProblem problem = TwoSteps();
  Choices choices = NothingKept(problem, PlanObjective::kLatency);
  choices.tensors[kWeight].reads[0] = {ReadChoice::Way::kFetched, kPad, 0};
  std::vector<StepLoad> loads = LoadsOf(problem, choices);
  EXPECT_EQ(loads[0].offchip_bytes, 100 + 50 + 100);
  EXPECT_EQ(loads[0].pad_bytes[kPad], 50 + 150);
  EXPECT_EQ(loads[0].held_bytes[kPad], 64 + 32);

  choices.tensors[kWeight] = {{}, false, kPad, {{ReadChoice::Way::kKept, kPad, 0}}};
  loads = LoadsOf(problem, choices);
  EXPECT_EQ(loads[0].offchip_bytes, 200);
  EXPECT_EQ(loads[0].pad_bytes[kPad], 150);
  EXPECT_EQ(loads[1].held_bytes[kPad], 64);
  EXPECT_TRUE(Fits(problem, choices));
}

TEST(StepCost, ACopyTakenBackLeavesNothing) {
  const PlanProblem problem = TwoSteps();
  StepState once = EmptyStep(problem, problem.nodes[0]);
  AddCopy(problem.machine, TransferKind::kPrefetch, {}, kPad, 50, &once);
  EXPECT_EQ(once.dma_seconds, 50);  // at the rate of the slower end
  StepState state = once;
  for (const int64_t bytes : {100, -100}) {
    AddCopy(problem.machine, TransferKind::kPrefetch, {}, kPad, bytes, &state);
  }
  EXPECT_EQ(state, once);
}

}  // namespace
}  // namespace inlay
