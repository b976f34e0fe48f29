#include "inlay/scratchpad/side_by_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inlay/base/stop.h"
#include "inlay/scratchpad/named_plan.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/problem_from_graph.h"
#include "inlay/scratchpad/validator.h"

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Units of so many multiplications per second, in the order given, and one pad that all reach.
Machine MachineOf(const std::vector<double>& rates) {
  Machine machine;
  machine.name = "m";
  Scratchpad pad{"pad", 1 << 20, 1, 1e9, 1, {}};
  for (size_t i = 0; i < rates.size(); ++i) {
    machine.units.push_back({"u" + std::to_string(i), rates[i], {}});
    pad.reached_by.emplace_back(i);
  }
  machine.pads.push_back(pad);
  machine.offchip = {1e6, 1};
  return machine;
}

// Products of 8 × 8 matrices: a and b of the inputs, c of a, d of the sum of b and c.
Graph Diamond() {
  Graph graph;
  graph.name = "diamond";
  graph.values.push_back({"x", {8, 8}, ValueRole::kInput, {}});
  graph.values.push_back({"w", {8, 8}, ValueRole::kWeight, {}});
  const ValueId x(0), w(1);
  const auto add = [&](const std::string& name, Op op, const std::vector<ValueId>& inputs) {
    EXPECT_TRUE(AddNode({name, op, {}, inputs, {{name + ":0", {}}}}, &graph));
    return graph.nodes.back().outputs.front();
  };
  const ValueId a = add("a", Op::kGemm, {x, w});
  const ValueId r = add("r", Op::kElementwise, {a});
  const ValueId b = add("b", Op::kGemm, {x, w});
  const ValueId c = add("c", Op::kGemm, {r, w});
  const ValueId s = add("s", Op::kElementwise, {b, c});
  graph.outputs = {add("d", Op::kGemm, {s, w})};
  return graph;
}

PlanProblem ProblemOf(const Graph& graph, const Machine& machine, bool side_by_side = true) {
  PlanSettings settings;
  settings.side_by_side = side_by_side;
  const StopFlag stop;
  return MakePlanProblem(graph, machine, settings, stop).value();
}

// "r", "a|b": the nodes of each step.
std::vector<std::string> StepsOf(const PlanProblem& problem) {
  std::vector<std::string> steps;
  for (const PlanNode& node : problem.nodes) {
    steps.push_back(node.name);
    for (const auto& beside : node.beside) steps.back() += "|" + beside.name;
  }
  return steps;
}

TEST(SideBySide, IndependentNodesShareAStepOfEqualUnits) {
  const PlanProblem problem = ProblemOf(Diamond(), MachineOf({100, 100}));
  EXPECT_THAT(StepsOf(problem), ElementsAre("a|b", "r", "c", "s", "d"));
  const PlanNode& both = problem.nodes.front();
  EXPECT_EQ(both.beside[0].unit, UnitId(1));
  ASSERT_EQ(both.operands.size(), 4U);  // x, w, and what each writes
  EXPECT_DOUBLE_EQ(both.tilings[0].compute_seconds, 8 * 8 * 8 / 100.0);
  EXPECT_EQ(both.tilings[0].operands[0].bytes, 2 * 8 * 8 * 2);  // x, read by both
  EXPECT_EQ(both.tilings[0].operands[3].bytes, 8 * 8 * 2);
}

TEST(SideBySide, UnitsThatDifferRunOneNodeAfterTheOther) {
  EXPECT_EQ(StepsOf(ProblemOf(Diamond(), MachineOf({100, 99}))).size(), 6U);
  EXPECT_EQ(StepsOf(ProblemOf(Diamond(), MachineOf({100, 100}), false)).size(), 6U);
  Machine apart = MachineOf({100, 100});
  apart.pads.push_back({"own", 64, 1, {}, 1, {UnitId(1)}});
  EXPECT_EQ(StepsOf(ProblemOf(Diamond(), apart)).size(), 6U);
}

TEST(SideBySide, UnitsThatNoNodeUsesAreNamed) {
  EXPECT_THAT(UnusedUnits(ProblemOf(Diamond(), MachineOf({100, 100}))), IsEmpty());
  EXPECT_THAT(UnusedUnits(ProblemOf(Diamond(), MachineOf({100, 100, 100}))), ElementsAre("u2"));
  EXPECT_THAT(UnusedUnits(ProblemOf(Diamond(), MachineOf({10, 100, 50}))), ElementsAre("u2"));
}

TEST(SideBySide, WorkspacesThatDoNotFitBesideEachOtherRunLater) {
  PlanProblem problem = ProblemOf(Diamond(), MachineOf({100, 100}), false);
  for (PlanNode& node : problem.nodes) node.tilings[0].operands[0].workspace_bytes = 600'000;
  MergeIndependentNodes(&problem);
  EXPECT_EQ(StepsOf(problem).size(), 6U);
}

// A plan with two nodes in a step says so by names, and is read back and replayed.
TEST(SideBySide, PlansNameWhatRunsBeside) {
  const PlanProblem problem = ProblemOf(Diamond(), MachineOf({100, 100}));
  const StopFlag stop;
  const PlanAnswer answer = MakePlan(problem, PlanOptions{}, Deadline(stop));
  ASSERT_TRUE(answer.plan);
  NamedPlan named = NamedPlanOf(problem, *answer.plan);
  EXPECT_THAT(named.order, ElementsAre("a", "b", "r", "c", "s", "d"));
  ASSERT_EQ(named.steps.front().beside.size(), 1U);
  EXPECT_EQ(named.steps.front().beside[0].unit, "u1");
  const auto again = PlanOf(problem, named);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *answer.plan);
  EXPECT_TRUE(Replay(problem, *again));
  named.steps.front().beside.clear();
  const auto refused = PlanOf(problem, named);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().message, "beside 'a' the step runs 'b' on 'u1'");
}

// What goes straight between off chip and a unit is said of the unit whose node reads or writes it;
// of what several read, the first.
TEST(SideBySide, TransfersNameTheUnitOfTheNode) {
  const PlanProblem problem = ProblemOf(Diamond(), MachineOf({100, 100}));
  const StopFlag stop;
  PlanOptions nothing_kept;
  nothing_kept.strategy = PlanStrategy::kNone;
  const PlanAnswer answer = MakePlan(problem, nothing_kept, Deadline(stop));
  ASSERT_TRUE(answer.plan);
  const NamedPlan named = NamedPlanOf(problem, *answer.plan);
  std::vector<std::string> lines;
  for (const NamedPlan::Copy& copy : named.transfers) {
    if (copy.start == 0) lines.push_back(copy.tensor + ": " + copy.from + " to " + copy.to);
  }
  EXPECT_THAT(lines, ElementsAre("x: offchip to u0", "w: offchip to u0", "a:0: u0 to offchip",
                                 "b:0: u1 to offchip"));
  const auto again = PlanOf(problem, named);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *answer.plan);
}

// With nothing kept, steps of several nodes are never slower, and faster where nodes compute long.
TEST(SideBySide, TakesNoLongerThanOneAfterTheOther) {
  const StopFlag stop;
  const PlanOptions none{PlanStrategy::kNone, PlanObjective::kLatency, false, 1, 1};
  for (const double rate : {1.0, 1e5, 1e9}) {
    const Machine machine = MachineOf({rate, rate});
    const PlanFigures merged =
        MakePlan(ProblemOf(Diamond(), machine), none, Deadline(stop)).figures;
    const PlanFigures apart =
        MakePlan(ProblemOf(Diamond(), machine, false), none, Deadline(stop)).figures;
    EXPECT_LE(merged.latency_seconds, apart.latency_seconds * (1 + 1e-12)) << rate;
    EXPECT_EQ(merged.offchip_bytes, apart.offchip_bytes);
    if (rate > 1) continue;
    EXPECT_NEAR(merged.latency_seconds, apart.latency_seconds * 3 / 4, 1e-2);  // 3 of 4 products
  }
}

}  // namespace
}  // namespace inlay
