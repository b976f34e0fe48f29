#include "inlay/scratchpad/problem_from_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Machine OnePad() {
  Machine machine;
  machine.clock_hz = 1e9;
  machine.units.push_back({"core", 1e9, {}});
  machine.pads.push_back({"pad", 1 << 16, 1, {}, 0, {UnitId(0)}});
  return machine;
}

// x → (relu) → a → (relu) → b
Graph Chain() {
  Graph graph;
  graph.values.push_back({"x", {4, 8}, ValueRole::kInput, {}});
  EXPECT_TRUE(AddNode({"first", Op::kElementwise, {}, {ValueId(0)}, {{"a", {}}}}, &graph));
  EXPECT_TRUE(AddNode({"second", Op::kElementwise, {}, {ValueId(1)}, {{"b", {}}}}, &graph));
  graph.outputs = {ValueId(2)};
  return graph;
}

PlanProblem ProblemOf(const Graph& graph, const PlanSettings& settings) {
  const StopFlag stop;
  auto problem = MakePlanProblem(graph, OnePad(), settings, stop);
  EXPECT_TRUE(problem.has_value());
  return *std::move(problem);
}

TEST(MakeProblem, ElementsOfOneWidth) {
  PlanSettings settings;
  settings.bits = 12;  // 32 words
  const PlanProblem problem = ProblemOf(Chain(), settings);
  for (const PlanTensor& tensor : problem.tensors) EXPECT_EQ(tensor.bytes, 48);
  EXPECT_THAT(problem.nodes[1].in_place, ElementsAre(ValueId(1)));
}

TEST(MakeProblem, ElementsOfSeveralWidths) {
  PlanSettings settings;
  settings.bits = 32;
  settings.value_bits = {8, 32, 16};
  const PlanProblem problem = ProblemOf(Chain(), settings);
  EXPECT_EQ(problem.tensors[ValueId(0)].bytes, 32);
  EXPECT_EQ(problem.tensors[ValueId(1)].bytes, 128);
  EXPECT_EQ(problem.tensors[ValueId(2)].bytes, 64);
  const std::vector<OperandTraffic> first = {{32, 0}, {128, 0}}, second = {{128, 0}, {64, 0}};
  EXPECT_EQ(problem.nodes[0].tilings.front().operands, first);
  EXPECT_EQ(problem.nodes[1].tilings.front().operands, second);
  EXPECT_THAT(problem.nodes[1].in_place, IsEmpty());  // as many words, but not as many bytes
}

TEST(MakeProblem, EqualWidthsOneByOne) {
  PlanSettings all, each;
  all.bits = each.bits = 8;
  each.value_bits = {8, 8, 8};
  const PlanProblem expected = ProblemOf(Chain(), all), found = ProblemOf(Chain(), each);
  for (size_t n = 0; n < expected.nodes.size(); ++n) {
    EXPECT_EQ(found.nodes[n].tilings, expected.nodes[n].tilings);
    EXPECT_EQ(found.nodes[n].in_place, expected.nodes[n].in_place);
  }
}

// A view of a part counts as many bytes as the part has.
TEST(MakeProblem, PartsAreReadInPart) {
  Graph graph = Chain();
  ASSERT_TRUE(AddNode({"part", Op::kView, {}, {ValueId(1)}, {{"p", Shape{2, 8}}}}, &graph));
  ASSERT_TRUE(AddNode({"third", Op::kElementwise, {}, {ValueId(3)}, {{"c", {}}}}, &graph));
  graph.outputs.emplace_back(4);
  PlanSettings settings;
  settings.bits = 8;
  const PlanProblem problem = ProblemOf(graph, settings);
  const PlanNode& third = problem.nodes[2];
  EXPECT_EQ(third.operands.front().tensor, ValueId(1));
  EXPECT_EQ(third.tilings.front().operands.front().bytes, 16);
  EXPECT_THAT(third.in_place, IsEmpty());
}

}  // namespace
}  // namespace inlay
