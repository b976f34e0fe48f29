#include "inlay/scratchpad/layer_tilings.h"

#include <gtest/gtest.h>

#include <chrono>

#include "inlay/core/shapes.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/scratchpad/make_problem.h"
#include "inlay/scratchpad/planner.h"
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

// Without time every layer still has a tiling, and the network a plan that can be replayed.
TEST(LayerTilings, CutShortAtOnce) {
  for (const char* name : {"npu-eyeriss", "npu-simba"}) {
    SCOPED_TRACE(name);
    PlanSettings settings;
    settings.table_seconds = 0;
    const StopFlag stop;
    const auto start = std::chrono::steady_clock::now();
    const auto problem = MakePlanProblem(NetworkOf("resnet18"), NpuOf(name), settings, stop);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(problem) << problem.error().front().message;
    EXPECT_GT(problem->tables, 5U);
    EXPECT_EQ(problem->cut_tables, problem->tables);
    EXPECT_LT(spent.count(), 10);  // minutes without a limit; a busy machine
    PlanOptions options;
    options.strategy = PlanStrategy::kGreedy;
    const PlanAnswer answer = MakePlan(*problem, options, Deadline(stop));
    ASSERT_TRUE(answer.plan);
    EXPECT_TRUE(Replay(*problem, *answer.plan));
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
