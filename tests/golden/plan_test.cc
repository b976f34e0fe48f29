// Plans of real networks: what they cost without management, by the specification's figures and by
// hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/io/load.h"
#include "inlay/scratchpad/problem_from_graph.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/paths.h"
#include "tests/support/plans.h"

namespace inlay::io {
namespace {

struct Unmanaged {
  std::string network;
  double microseconds;
};

class UnmanagedTest : public ::testing::TestWithParam<Unmanaged> {};

TEST_P(UnmanagedTest, TakesWhatTheSpecificationSays) {
  LoadRecord record;
  const auto graph = LoadGraph(GetParam().network, &record);
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  const auto machine = LoadMachine("onsram", &record);
  ASSERT_TRUE(machine.has_value()) << Format(machine.error());
  const StopFlag stop;
  const auto problem = MakePlanProblem(*graph, *machine, {}, stop);
  ASSERT_TRUE(problem.has_value()) << problem.error().front().message;
  const auto figures = Replay(*problem, testing::StreamedPlan(*problem));
  ASSERT_TRUE(figures.has_value()) << figures.error().front().message;
  EXPECT_NEAR(figures->latency_seconds * 1e6, GetParam().microseconds, 0.5);
}

INSTANTIATE_TEST_SUITE_P(OnSram, UnmanagedTest,
                         ::testing::Values(Unmanaged{"resnet18", 2027},
                                           Unmanaged{"mobilenetv2", 1866}),
                         [](const auto& test) { return test.param.network; });

// With an architecture, every tiling reads what the roofline reads at least once, and the one with
// the most room reads it no more often than those with less.
TEST(PlanTables, ReadEveryOperandAndLessWithMoreRoom) {
  LoadRecord record;
  const auto graph = LoadGraph("alexnet", &record);
  ASSERT_TRUE(graph.has_value()) << Format(graph.error());
  const auto machine = LoadMachine("npu-eyeriss", &record);
  ASSERT_TRUE(machine.has_value()) << Format(machine.error());
  const StopFlag stop;
  const auto problem = MakePlanProblem(*graph, *machine, {}, stop);
  ASSERT_TRUE(problem.has_value()) << problem.error().front().message;
  size_t most = 0;
  for (const PlanNode& node : problem->nodes) {
    SCOPED_TRACE(node.name);
    most = std::max(most, node.tilings.size());
    std::vector<std::pair<int64_t, int64_t>> points;
    for (const Tiling& tiling : node.tilings) {
      int64_t room = 0, bytes = 0;
      for (size_t i = 0; i < node.operands.size(); ++i) {
        room += tiling.operands[i].workspace_bytes;
        bytes += tiling.operands[i].bytes;
        // Outputs and weights are whole; strides may skip words of an input.
        const PlanTensor& tensor = problem->tensors[node.operands[i].tensor];
        if (node.operands[i].written || tensor.weight) {
          EXPECT_GE(tiling.operands[i].bytes, tensor.bytes) << tensor.name;
        }
      }
      EXPECT_LE(room, machine->pads[PadId(0)].bytes);
      points.emplace_back(room, bytes);
    }
    const auto [least, largest] = std::minmax_element(points.begin(), points.end());
    EXPECT_LE(largest->second, least->second);
  }
  EXPECT_GT(most, 4U);
  EXPECT_TRUE(Replay(*problem, testing::StreamedPlan(*problem)).has_value());
}

// A stop cuts them short: every layer keeps a tiling, so that there is still a plan.
TEST(PlanTables, AStopCutsThemShort) {
  LoadRecord record;
  const auto graph = LoadGraph("resnet50", &record);
  const auto machine = LoadMachine("npu-simba", &record);
  StopFlag stop;
  stop.Request();
  const auto problem = MakePlanProblem(*graph, *machine, {}, stop);
  ASSERT_TRUE(problem.has_value());
  EXPECT_GT(problem->cut_tables, 0U);
  for (const PlanNode& node : problem->nodes) EXPECT_FALSE(node.tilings.empty()) << node.name;
}

}  // namespace
}  // namespace inlay::io
