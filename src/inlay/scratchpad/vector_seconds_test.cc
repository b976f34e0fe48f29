#include "inlay/scratchpad/vector_seconds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/problem_from_graph.h"
#include "inlay/scratchpad/unit_assignment.h"

namespace inlay {
namespace {

using ::testing::HasSubstr;

// A product of 4 × 6 × 10, a softmax over rows of 10, and its sum with the product.
Graph SmallGraph() {
  Graph graph;
  const auto value = [&](const char* name, Shape shape, ValueRole role) {
    graph.values.push_back({name, std::move(shape), role, {}});
    return ValueId(graph.values.size() - 1);
  };
  const ValueId x = value("x", {4, 6}, ValueRole::kInput);
  const ValueId w = value("w", {6, 10}, ValueRole::kWeight);
  const auto node = [&](const char* name, Op op, NodeFunction function,
                        std::vector<ValueId> inputs) {
    OpAttributes attributes;
    attributes.function = function;
    EXPECT_TRUE(AddNode({name, op, attributes, std::move(inputs), {{name, {}}}}, &graph));
    return graph.nodes.back().outputs.front();
  };
  const ValueId a = node("a", Op::kGemm, NodeFunction::kAny, {x, w});
  const ValueId b = node("b", Op::kSoftmax, NodeFunction::kAny, {a});
  graph.outputs = {node("c", Op::kElementwise, NodeFunction::kAdd, {a, b})};
  return graph;
}

Machine OneUnit(std::optional<double> vector) {
  Machine machine;
  machine.name = "m";
  machine.units.push_back({"core", 60, {}, vector});
  machine.pads.push_back({"pad", 4096, 1, {}, 0, {UnitId(0)}});
  return machine;
}

double LatencyOn(const Machine& machine, const Graph& graph) {
  EXPECT_TRUE(Validate(machine).empty());
  const StopFlag stop;
  const auto problem = MakePlanProblem(graph, machine, {}, stop);
  EXPECT_TRUE(problem);
  PlanOptions options;
  options.strategy = PlanStrategy::kNone;
  const PlanAnswer answer = MakePlan(*problem, options, Deadline(stop));
  EXPECT_TRUE(answer.plan);
  return answer.figures.latency_seconds;
}

// Bytes take no time here. The product takes 240 / 60 s; the softmax max, add, exp, add, div of 40
// words, so 200 operations; the sum 40.
TEST(VectorSeconds, OperationsOverTheRate) {
  const Graph graph = SmallGraph();
  EXPECT_DOUBLE_EQ(LatencyOn(OneUnit({}), graph), 4);
  EXPECT_DOUBLE_EQ(LatencyOn(OneUnit(20), graph), 4 + 10 + 2);
  EXPECT_FALSE(CountsVectorNodes(OneUnit({})));
  EXPECT_TRUE(CountsVectorNodes(OneUnit(20)));
}

TEST(VectorSeconds, NodesThatDoNotMultiplyGoToTheHighestRate) {
  Machine machine = OneUnit(20);
  machine.units.push_back({"slow", 1, {}});
  machine.units.push_back({"fast", 90, {}, 40});
  EXPECT_EQ(UnitFor(machine, true), UnitId(2));
  EXPECT_EQ(UnitFor(machine, false), UnitId(2));
  for (ComputeUnit& unit : machine.units) unit.vector_ops_per_second.reset();
  EXPECT_EQ(UnitFor(machine, false), UnitId(1)) << "without rates the slowest";
}

// By rule 8 of docs/reference/vector-units.md, and the clock: a softmax of 4 rows of 50 operations
// and a sum of 40 rows of one, on one unit of 16 a cycle.
TEST(VectorSeconds, AnArchitectureHasVectorUnits) {
  io::LoadRecord record;
  auto machine = io::LoadMachine("edge-npu", &record);
  ASSERT_TRUE(machine);
  VectorUnit all;
  all.ops.all = true;
  all.ops_per_cycle = 16;
  machine->units[UnitId(0)].architecture->vector_units = {{all}, LevelId(0)};
  ASSERT_EQ(VectorInstances(*machine->units[UnitId(0)].architecture), 1);
  const Graph graph = SmallGraph();
  const auto cycles = [&](size_t node) {
    return VectorSeconds(graph, graph.nodes[NodeId(node)], *machine, UnitId(0)).value_or(-1) *
           machine->clock_hz;
  };
  EXPECT_DOUBLE_EQ(cycles(1), 13) << "200 / 16, rounded up";
  EXPECT_DOUBLE_EQ(cycles(2), 3) << "40 / 16, rounded up";
}

TEST(VectorSeconds, WhatIsNotCountedSaysWhy) {
  Machine machine = OneUnit({});
  const Graph graph = SmallGraph();
  const auto none = VectorSeconds(graph, graph.nodes[NodeId(1)], machine, UnitId(0));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("'core'"));
  const WhyNotCounted why_not = WhyNotCountedOn(machine, graph);
  EXPECT_EQ(why_not[NodeId(0)], "") << "it multiplies";
  EXPECT_NE(why_not[NodeId(1)], "");
}

TEST(VectorSeconds, ARateIsOfAPeakAndPositive) {
  Machine machine = OneUnit(0);
  EXPECT_EQ(Validate(machine).front().where, "units.core.vector");
  io::LoadRecord record;
  auto of_architecture = io::LoadMachine("edge-npu", &record);
  ASSERT_TRUE(of_architecture);
  of_architecture->units[UnitId(0)].vector_ops_per_second = 5;
  EXPECT_THAT(Validate(*of_architecture).front().message, HasSubstr("a unit with a peak"));
}

}  // namespace
}  // namespace inlay
