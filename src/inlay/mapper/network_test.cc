#include "inlay/mapper/network.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "inlay/core/shapes.h"

namespace inlay {
namespace {

Architecture SmallArchitecture() {
  Architecture architecture;
  architecture.name = "small";
  Level dram, buffer;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.energy = AccessEnergy{100, 100, 100};
  buffer.name = "buffer";
  buffer.capacity_words = 24;
  buffer.energy = AccessEnergy{3, 4, 5};
  buffer.fanout.name = "array";
  buffer.fanout.x = 3;
  architecture.levels = {dram, buffer};
  architecture.compute.energy_pj = 1;
  return architecture;
}

Layer MakeLayer(const char* name, int64_t p, int64_t repeat = 1) {
  return {name, "gemm", MakeGemm(name, {.p = p, .k = 4, .c = 3}), repeat};
}

NetworkTask SmallTask() {
  NetworkTask task;
  task.network = {"net",
                  {MakeLayer("a", 5), MakeLayer("b", 7, 3), MakeLayer("c", 5), MakeLayer("d", 6)}};
  task.architecture = SmallArchitecture();
  task.options.strategy = Strategy::kRandom;
  task.options.random.victory_condition = 200;
  return task;
}

TEST(MapNetworkTest, EveryLayerAsIfAlone) {
  const NetworkTask task = SmallTask();
  const auto answer = MapNetwork(task, StopFlag());
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->layers.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    const auto space = MakeSpace(task.network.layers[i].problem, task.architecture, task.mapspace);
    const LayerAnswer alone = MapLayer(*space, task.options, StopFlag());
    EXPECT_EQ(answer->layers[i].best->mapping, alone.best->mapping) << i;
    EXPECT_EQ(answer->layers[i].best->problem, alone.best->problem) << i;
    EXPECT_EQ(answer->layers[i].certificate, alone.certificate) << i;
  }
}

TEST(MapNetworkTest, SameProblemsAreSearchedOnce) {
  const auto answer = MapNetwork(SmallTask(), StopFlag());
  EXPECT_EQ(answer->same_as, (std::vector<size_t>{0, 1, 0, 3}));
  EXPECT_GT(answer->layers[0].effort.evaluations, 0);
  EXPECT_EQ(answer->layers[2].effort.evaluations, 0);
  EXPECT_EQ(answer->layers[2].effort.seconds, 0);
  EXPECT_EQ(answer->layers[2].best->problem.name, "c");
}

TEST(MapNetworkTest, TotalsCountRepeats) {
  const auto answer = MapNetwork(SmallTask(), StopFlag());
  ASSERT_TRUE(answer->totals.has_value());
  double energy_pj = 0;
  int64_t cycles = 0;
  for (size_t i = 0; i < 4; ++i) {
    energy_pj += (i == 1 ? 3 : 1) * answer->layers[i].best->cost.energy_pj;
    cycles += (i == 1 ? 3 : 1) * answer->layers[i].best->cost.cycles;
  }
  EXPECT_DOUBLE_EQ(answer->totals->energy_pj, energy_pj);
  EXPECT_EQ(answer->totals->cycles, cycles);
  EXPECT_DOUBLE_EQ(answer->totals->edp, energy_pj * static_cast<double>(cycles));
}

TEST(MapNetworkTest, TotalsThatDoNotFitAreNone) {
  NetworkTask task = SmallTask();
  task.network.layers[0].repeat = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(MapNetwork(task, StopFlag())->totals.has_value());
}

TEST(MapNetworkTest, TheSameAtAnyNumberOfThreads) {
  NetworkTask task = SmallTask();
  const auto one = MapNetwork(task, StopFlag());
  for (const int threads : {2, 3, 8}) {
    task.options.threads = threads;
    const auto many = MapNetwork(task, StopFlag());
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(many->layers[i].best->mapping, one->layers[i].best->mapping);
    }
    EXPECT_EQ(many->totals, one->totals);
  }
}

// DRAM, SRAM, lanes and registers: what the search under thistle semantics takes.
Architecture ThistleArchitecture() {
  Architecture architecture = SmallArchitecture();
  architecture.levels[LevelId(1)].capacity_words = 60;
  Level registers;
  registers.name = "registers";
  registers.capacity_words = 9;
  registers.energy = AccessEnergy{1, 1, 1};
  architecture.levels.push_back(registers);
  return architecture;
}

// The search of one layer runs on one thread, those of several side by side.
TEST(MapNetworkTest, UnderThistleSemanticsTheSameAtAnyNumberOfThreads) {
  NetworkTask task = SmallTask();
  task.architecture = ThistleArchitecture();
  task.mapspace = Mapspace::kAny;
  task.options = {};
  task.options.semantics = Semantics::kThistle;
  const auto one = MapNetwork(task, StopFlag());
  ASSERT_TRUE(one->totals.has_value());
  for (const int threads : {2, 3, 8}) {
    task.options.threads = threads;
    const auto many = MapNetwork(task, StopFlag());
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(many->layers[i].best->mapping, one->layers[i].best->mapping);
      EXPECT_EQ(many->layers[i].certificate, one->layers[i].certificate);
    }
    EXPECT_EQ(many->totals, one->totals);
  }
}

TEST(MapNetworkTest, FrontsAreTheSameAtAnyNumberOfThreads) {
  NetworkTask task = SmallTask();
  task.options = {};
  task.options.front = FrontOptions();
  const auto one = MapNetwork(task, StopFlag());
  for (const int threads : {2, 3, 8}) {
    task.options.threads = threads;
    const auto many = MapNetwork(task, StopFlag());
    for (size_t i = 0; i < 4; ++i) {
      const std::vector<FrontPoint>& front = one->layers[i].front;
      ASSERT_GT(front.size(), 1U);
      ASSERT_EQ(many->layers[i].front.size(), front.size());
      for (size_t p = 0; p < front.size(); ++p) {
        EXPECT_EQ(many->layers[i].front[p].footprint_words, front[p].footprint_words);
        EXPECT_EQ(many->layers[i].front[p].solution.mapping, front[p].solution.mapping);
      }
    }
  }
}

TEST(MapNetworkTest, AfterAStopLayersStayWithoutAnswer) {
  NetworkTask task = SmallTask();
  StopFlag stop;
  const auto answer = MapNetwork(task, stop, [&](const MapProgress& state) {
    if (state.done) stop.Request();
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->layers[1].best.has_value()) << "the largest layer goes first";
  EXPECT_FALSE(answer->layers[1].interrupted);
  for (const size_t i : {0U, 2U, 3U}) {
    EXPECT_FALSE(answer->layers[i].best.has_value());
    EXPECT_TRUE(answer->layers[i].interrupted);
    EXPECT_FALSE(answer->layers[i].begun);
  }
  EXPECT_FALSE(answer->totals.has_value());
}

TEST(MapNetworkTest, WithoutTimeForAllNoLayerBegins) {
  NetworkTask task = SmallTask();
  task.seconds = 0;
  const auto answer = MapNetwork(task, StopFlag());
  ASSERT_TRUE(answer.has_value());
  for (const LayerAnswer& layer : answer->layers) {
    EXPECT_FALSE(layer.begun);
    EXPECT_FALSE(layer.best.has_value());
  }
}

TEST(MapNetworkTest, LayersShareTheTimeForAll) {
  NetworkTask task = SmallTask();
  task.options.random.victory_condition = 0;  // each would go on for ever
  task.seconds = 0.3;
  const auto answer = MapNetwork(task, StopFlag());
  ASSERT_TRUE(answer.has_value());
  double seconds = 0;
  for (const LayerAnswer& layer : answer->layers) {
    EXPECT_TRUE(layer.interrupted);
    seconds += layer.effort.seconds;
  }
  // The largest goes first. A busy machine delays the end of a share, but not its beginning.
  EXPECT_GE(answer->layers[1].effort.seconds, 0.05);
  EXPECT_LT(seconds, 30 * *task.seconds);
}

TEST(MapNetworkTest, TheLimitOfALayerHoldsBesideThatOfAll) {
  NetworkTask task = SmallTask();
  task.options.random.victory_condition = 0;
  task.options.time_limit_seconds = 0.01;
  task.seconds = 1e6;
  const auto answer = MapNetwork(task, StopFlag());
  ASSERT_TRUE(answer.has_value());
  for (const LayerAnswer& layer : answer->layers) EXPECT_TRUE(layer.interrupted);
}

TEST(MapNetworkTest, ProgressNamesTheLayerAndItsEnd) {
  std::vector<int> ends(4, 0);
  MapNetwork(SmallTask(), StopFlag(), [&](const MapProgress& state) {
    ASSERT_LT(state.layer, 4U);
    if (state.done) ++ends[state.layer];
  });
  EXPECT_EQ(ends, (std::vector<int>{1, 1, 0, 1}));
}

TEST(MapNetworkTest, AFaultOfTheConstraintsIsToldOnce) {
  NetworkTask task = SmallTask();
  Constraint nowhere;
  nowhere.at = "bufer";
  task.constraints = {nowhere};
  const auto answer = MapNetwork(task, StopFlag());
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().size(), 1U);
}

}  // namespace
}  // namespace inlay
