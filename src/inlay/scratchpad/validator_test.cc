#include "inlay/scratchpad/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plans.h"

namespace inlay {
namespace {

using ::testing::HasSubstr;

constexpr PadId kNear{0U}, kFar{1U};
constexpr ValueId kX{0U}, kW{1U}, kA{2U}, kB{3U}, kY{4U};

// x, w → a → b → y, where y also reads w; b may take a's place. Both pads are of 100 bytes,
// addresses by 10; the unit reaches only the first.
PlanProblem Chain() {
  PlanProblem problem;
  Machine& machine = problem.machine;
  machine.clock_hz = 1e9;
  machine.units.push_back({"core", 1, {}});
  machine.units.push_back({"other", 1, {}});
  machine.pads.push_back({"near", 100, 10, 20.0, 1, {UnitId(0)}});
  machine.pads.push_back({"far", 100, 10, 10.0, 2, {UnitId(1)}});
  machine.offchip = {2.0, 5};
  problem.workspace_pad = {kNear, kFar};
  problem.tensors = {{"x", 20, false, false, false},
                     {"w", 10, false, true, false},
                     {"a", 35, true, false, false},
                     {"b", 35, true, false, false},
                     {"y", 8, true, false, true}};
  const auto node = [](const char* name, size_t id, std::vector<Operand> operands,
                       std::vector<OperandTraffic> traffic, std::vector<ValueId> in_place) {
    return PlanNode{name,
                    NodeId(id),
                    UnitId(0),
                    std::move(operands),
                    {{3, std::move(traffic)}},
                    std::move(in_place)};
  };
  problem.nodes = {
      node("first", 0, {{kX, false}, {kW, false}, {kA, true}}, {{20, 0}, {10, 0}, {35, 0}}, {}),
      node("second", 1, {{kA, false}, {kB, true}}, {{35, 0}, {35, 0}}, {kA}),
      node("third", 2, {{kB, false}, {kW, false}, {kY, true}}, {{35, 0}, {10, 0}, {8, 0}}, {}),
  };
  return problem;
}

std::string FaultsOf(const PlanProblem& problem, const Plan& plan) {
  const auto figures = Replay(problem, plan);
  std::string text;
  if (figures) return "none";
  for (const Fault& fault : figures.error()) text += fault.where + ": " + fault.message + "\n";
  return text;
}

Transfer Copy(ValueId tensor, TransferKind kind, std::optional<PadId> from, std::optional<PadId> to,
              int64_t bytes, int64_t step) {
  return {tensor, kind, from, to, bytes, step};
}

// a and b kept in one place, w kept from its first use.
Plan Kept() {
  Plan plan = {testing::StreamedPlan(Chain()).steps, {}, {}};
  plan.residencies = {
      {kW, kNear, 40, 10, 0, 3}, {kA, kNear, 0, 40, 0, 2}, {kB, kNear, 0, 40, 1, 3}};
  plan.transfers = {Copy(kX, TransferKind::kFetch, {}, {}, 20, 0),
                    Copy(kW, TransferKind::kFetch, {}, kNear, 10, 0),
                    Copy(kY, TransferKind::kWriteBack, {}, {}, 8, 2)};
  return plan;
}

TEST(Validator, AddsUpWhatIsStreamed) {
  const PlanProblem problem = Chain();
  const auto figures = Replay(problem, testing::StreamedPlan(problem));
  ASSERT_TRUE(figures.has_value());
  EXPECT_EQ(figures->offchip_bytes, 65 + 70 + 53);
  EXPECT_DOUBLE_EQ(figures->latency_seconds, (65 + 70 + 53) / 2.0);
  EXPECT_DOUBLE_EQ(figures->energy_pj, 5 * (65 + 70 + 53));
}

TEST(Validator, AddsUpWhatIsKept) {
  const auto figures = Replay(Chain(), Kept());
  ASSERT_TRUE(figures.has_value()) << FaultsOf(Chain(), Kept());
  EXPECT_EQ(figures->offchip_bytes, 30 + 0 + 8);
  // Off chip, then the pad (70 bytes at 20 a second), then off chip.
  EXPECT_DOUBLE_EQ(figures->latency_seconds, 15 + 3.5 + 4);
  EXPECT_DOUBLE_EQ(figures->energy_pj, 5 * 38 + (10 + 10 + 35) + 70 + 45);
}

TEST(Validator, CountsPrefetchesForTheEngine) {
  Plan plan = Kept();
  // w is read from off chip first, and prefetched while the second node runs.
  plan.residencies[0].from = 1;
  plan.transfers[1] = Copy(kW, TransferKind::kFetch, {}, {}, 10, 0);
  plan.transfers.push_back(Copy(kW, TransferKind::kPrefetch, {}, kNear, 10, 1));
  const auto figures = Replay(Chain(), plan);
  ASSERT_TRUE(figures.has_value()) << FaultsOf(Chain(), plan);
  EXPECT_DOUBLE_EQ(figures->latency_seconds, 15 + 5 + 4);
}

TEST(Validator, AWeightThatStaysIsNotFetched) {
  PlanProblem problem = Chain();
  Plan plan = Kept();
  plan.transfers.erase(plan.transfers.begin() + 1);
  EXPECT_THAT(FaultsOf(problem, plan), HasSubstr("nothing brings 'w' into 'near' in step 0"));
  problem.weights_stay = true;
  const auto figures = Replay(problem, plan);
  ASSERT_TRUE(figures.has_value());
  EXPECT_EQ(figures->offchip_bytes, 28);
  plan.residencies[0].to = 2;
  EXPECT_THAT(FaultsOf(problem, plan), HasSubstr("nothing brings 'w'"));
}

TEST(Validator, AWorkspaceTakesSpace) {
  PlanProblem problem = Chain();
  problem.nodes[0].tilings[0].operands[0].workspace_bytes = 41;
  Plan plan = Kept();
  EXPECT_THAT(FaultsOf(problem, plan), HasSubstr("its tiles take 50 bytes in 'near', not 0"));
  plan.steps[0].workspace_bytes = 50;
  EXPECT_THAT(FaultsOf(problem, plan), HasSubstr("the workspace of node 'first'"));
  plan.steps[0].workspace_address = 50;
  EXPECT_EQ(FaultsOf(problem, plan), "none");
  plan.steps[0].workspace_address = 60;
  EXPECT_THAT(FaultsOf(problem, plan), HasSubstr("ends outside 'near'"));
}

TEST(Validator, MovesOnlyBetweenUsesAndLinkedPads) {
  PlanProblem problem = Chain();
  Plan plan = Kept();
  problem.nodes[2].unit = UnitId(1);
  plan.steps[2].unit = UnitId(1);
  plan.residencies[0].to = 2;
  plan.residencies.push_back({kW, kFar, 0, 10, 1, 3});
  plan.transfers.push_back(Copy(kW, TransferKind::kMove, kNear, kFar, 10, 1));
  EXPECT_THAT(FaultsOf(problem, plan), HasSubstr("no moves between 'near' and 'far'"));
  problem.machine.dma.moves = {{kFar, kNear}};
  // b still lies where the other unit does not reach.
  EXPECT_EQ(FaultsOf(problem, plan),
            "steps[2]: node 'third' reads 'b' in 'near', which its unit does not reach\n");
  problem.machine.pads[kNear].reached_by = {UnitId(0), UnitId(1)};
  EXPECT_EQ(FaultsOf(problem, plan), "none");
  plan.transfers.back().step = 0;
  EXPECT_NE(FaultsOf(problem, plan), "none");
}

struct Broken {
  const char* name;
  void (*how)(Plan*);
  const char* message;
};

class BrokenTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenTest, IsRefused) {
  Plan plan = Kept();
  GetParam().how(&plan);
  EXPECT_THAT(FaultsOf(Chain(), plan), HasSubstr(GetParam().message));
}

const Broken kBroken[] = {
    {"Order", [](Plan* p) { std::swap(p->steps[0], p->steps[1]); }, "read before a node has"},
    {"Missing", [](Plan* p) { p->steps.pop_back(); }, "node 'third' does not run"},
    {"Twice", [](Plan* p) { p->steps[2] = p->steps[1]; }, "its node has run before"},
    {"NoNode", [](Plan* p) { p->steps[2].node = NodeId(7); }, "there is no such node"},
    {"Unit", [](Plan* p) { p->steps[1].unit = UnitId(1); }, "runs on another unit"},
    {"Tiling", [](Plan* p) { p->steps[1].tiling = 4; }, "has no tiling 4"},
    {"NoTensor", [](Plan* p) { p->residencies[0].tensor = ValueId(9); }, "there is no such tensor"},
    {"NoPad", [](Plan* p) { p->residencies[0].pad = PadId(9); }, "there is no such memory"},
    {"Unreached", [](Plan* p) { p->residencies[2].pad = kFar; }, "does not reach 'far'"},
    {"Size", [](Plan* p) { p->residencies[1].bytes = 35; }, "takes 40 bytes there, not 35"},
    {"Alignment", [](Plan* p) { p->residencies[0].address = 45; }, "address 45"},
    {"Outside", [](Plan* p) { p->residencies[0].address = 100; }, "ends outside 'near'"},
    {"Huge", [](Plan* p) { p->residencies[0].address = INT64_MAX / 10 * 10; },
     "ends outside 'near'"},
    {"Overlap", [](Plan* p) { p->residencies[0].address = 30; }, "lie at the same addresses"},
    {"NotInPlace", [](Plan* p) { p->residencies[1].to = 3; }, "lie at the same addresses"},
    {"Shifted", [](Plan* p) { p->residencies[2].address = 10; }, "lie at the same addresses"},
    {"Empty", [](Plan* p) { p->residencies[0].to = 0; }, "from step 0 to 0"},
    {"TooLong", [](Plan* p) { p->residencies[0].to = 4; }, "from step 0 to 4"},
    {"Early", [](Plan* p) { p->residencies[2].from = 0; }, "nothing brings 'b'"},
    {"Dropped", [](Plan* p) { p->residencies[1].to = 1; }, "neither in a memory nor off chip"},
    {"NotWritten", [](Plan* p) { p->residencies.pop_back(); }, "not listed as a transfer"},
    {"NotFetched", [](Plan* p) { p->transfers.erase(p->transfers.begin()); },
     "'x' is read, but lies in no memory"},
    {"Output", [](Plan* p) { p->transfers.pop_back(); }, "'y' is written, but lies in no memory"},
    {"OutputKept",
     [](Plan* p) {
       p->transfers.pop_back();
       p->residencies.push_back({kY, kNear, 50, 10, 2, 3});
     },
     "the output 'y' is not off chip in the end"},
    {"Bytes", [](Plan* p) { p->transfers[0].bytes = 19; }, "moves 20 bytes of 'x', not 19"},
    {"Whole", [](Plan* p) { p->transfers[1].bytes = 9; }, "'w' has 10 bytes, not 9"},
    {"Again", [](Plan* p) { p->transfers.push_back(p->transfers[0]); }, "listed twice"},
    {"Late", [](Plan* p) { p->transfers[1].step = 1; }, "step 1 does not read 'w'"},
    {"NoStep", [](Plan* p) { p->transfers[1].step = 3; }, "there is no step 3"},
    {"Idle", [](Plan* p) { p->transfers.push_back(Copy(kB, TransferKind::kFetch, {}, {}, 35, 2)); },
     "does not use 'b' off chip"},
    {"Kind", [](Plan* p) { p->transfers[0].kind = TransferKind::kMove; }, "does not go from there"},
    {"WeightBack",
     [](Plan* p) { p->transfers.push_back(Copy(kW, TransferKind::kWriteBack, kNear, {}, 10, 1)); },
     "lies off chip from the start"},
    {"Overwritten",
     [](Plan* p) { p->transfers.push_back(Copy(kA, TransferKind::kWriteBack, kNear, {}, 35, 1)); },
     "overwritten in place"},
    {"NotThere",
     [](Plan* p) { p->transfers.push_back(Copy(kA, TransferKind::kWriteBack, kFar, {}, 35, 0)); },
     "does not lie in 'far'"},
    {"TwoPlaces",
     [](Plan* p) {
       p->residencies.push_back({kA, kFar, 0, 40, 1, 2});
     },
     "in two places"},
};

INSTANTIATE_TEST_SUITE_P(All, BrokenTest, ::testing::ValuesIn(kBroken),
                         [](const auto& test) { return test.param.name; });

TEST(Validator, ReadsBackOnlyInALaterStep) {
  Plan plan = Kept();
  // b is written back while it is computed, and read from off chip in the next step: allowed.
  plan.residencies.pop_back();
  plan.transfers.push_back(Copy(kB, TransferKind::kWriteBack, {}, {}, 35, 1));
  plan.transfers.push_back(Copy(kB, TransferKind::kFetch, {}, {}, 35, 2));
  EXPECT_EQ(FaultsOf(Chain(), plan), "none");
  // A write-back in the step of the read is too late for it.
  plan.transfers.erase(plan.transfers.end() - 2);
  EXPECT_THAT(FaultsOf(Chain(), plan), HasSubstr("'b' is written, but"));
}

}  // namespace
}  // namespace inlay
