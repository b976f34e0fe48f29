#include "inlay/scratchpad/layer_tilings.h"

#include <gtest/gtest.h>

#include <ctime>
#include <optional>

#include "inlay/core/shapes.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/problem_from_graph.h"
#include "inlay/scratchpad/validator.h"

namespace inlay {
namespace {

Machine NpuOf(const std::string& name) {
  io::LoadRecord record;
  auto machine = io::LoadMachine(name, &record);
  EXPECT_TRUE(machine);
  return *std::move(machine);
}

Graph NetworkOf(const std::string& name) {
  io::LoadRecord record;
  auto graph = io::LoadGraph(name, &record);
  EXPECT_TRUE(graph);
  return *std::move(graph);
}

struct Timed {
  PlanProblem problem;
  double seconds = 0;  // of the processor
};

Timed ProblemOf(const std::string& machine, std::optional<double> table_seconds,
                const StopFlag& stop) {
  PlanSettings settings;
  settings.table_seconds = table_seconds;
  const Graph graph = NetworkOf("resnet18");
  const Machine npu = NpuOf(machine);
  const std::clock_t start = std::clock();
  auto problem = MakePlanProblem(graph, npu, settings, stop);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!problem) {
    ADD_FAILURE() << problem.error().front().message;
    return {};
  }
  return {*std::move(problem), seconds};
}

// Of tables that were cut at once: every layer still has a tiling, and the network a plan that can
// be replayed.
void ExpectCut(const Timed& cut, double whole_seconds, const StopFlag& stop) {
  EXPECT_GT(cut.problem.tables, 5U);
  EXPECT_EQ(cut.problem.cut_tables, cut.problem.tables);
  EXPECT_LT(cut.seconds, whole_seconds / 4);
  PlanOptions options;
  options.strategy = PlanStrategy::kGreedy;
  const PlanAnswer answer = MakePlan(cut.problem, options, Deadline(stop));
  ASSERT_TRUE(answer.plan);
  EXPECT_TRUE(Replay(cut.problem, *answer.plan));
}

TEST(LayerTilings, CutShortAtOnce) {
  for (const char* name : {"npu-eyeriss", "npu-simba"}) {
    SCOPED_TRACE(name);
    StopFlag stop;
    const Timed whole = ProblemOf(name, std::nullopt, stop);
    EXPECT_EQ(whole.problem.cut_tables, 0U);
    ExpectCut(ProblemOf(name, 0.0, stop), whole.seconds, stop);
    stop.Request();
    ExpectCut(ProblemOf(name, std::nullopt, stop), whole.seconds, stop);
  }
}

// Time that is not needed changes nothing.
TEST(LayerTilings, EnoughTimeIsAsGoodAsNoLimit) {
  const StopFlag stop;
  const auto architecture = io::LoadBuiltin(io::BuiltinKind::kArchitecture, "eyeriss");
  ASSERT_TRUE(architecture);
  const Problem problem = MakeGemm("g", {.p = 196, .k = 256, .c = 128});
  const auto free = TilingsOf(problem, *architecture->architecture, stop);
  const auto timed = TilingsOf(problem, *architecture->architecture, stop, 1000.0);
  ASSERT_TRUE(free && timed);
  EXPECT_FALSE(free->cut);
  EXPECT_FALSE(timed->cut);
  EXPECT_EQ(free->tilings, timed->tilings);
  EXPECT_GT(free->tilings.size(), 1U);
}

}  // namespace
}  // namespace inlay
