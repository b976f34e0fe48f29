// The rules of docs/reference/time.md on a nest small enough to count by hand.
#include "inlay/cost/time.h"

#include <gtest/gtest.h>

#include "inlay/cost/evaluate.h"

namespace inlay {
namespace {

// A matrix times a vector, two outputs and two inputs at a time: the first example of the page on
// exact semantics. DRAM sends 16 weights, 4 inputs and 4 sums, gets 8 sums; 16 steps.
struct Timed {
  Problem problem;
  Architecture architecture;
  Mapping mapping;

  Timed() {
    problem.name = "matvec";
    problem.dims.push_back({"K", 4});
    problem.dims.push_back({"C", 4});
    const DimId k(0), c(1);
    problem.tensors.push_back({"Weights", {{{{k, 1}}}, {{{c, 1}}}}, false});
    problem.tensors.push_back({"Inputs", {{{{c, 1}}}}, false});
    problem.tensors.push_back({"Outputs", {{{{k, 1}}}}, true});
    Level dram, buffer;
    dram.name = "DRAM";
    dram.kind = MemoryKind::kDram;
    dram.shared_bandwidth = 2;
    dram.energy = AccessEnergy{0, 0, 0};
    dram.latency_cycles = 10;
    buffer.name = "buffer";
    buffer.energy = AccessEnergy{0, 0, 0};
    buffer.transfer_cycles = 3;
    architecture.levels.push_back(dram);
    architecture.levels.push_back(buffer);
    architecture.compute.energy_pj = 1;
    architecture.launch_cycles = 5;
    mapping.levels.resize(2);
    const auto all = TensorSet::FirstN(3);
    mapping.levels[LevelId(0)] = {all, {{c, 2, Axis::kTime}, {k, 2, Axis::kTime}}, {}};
    mapping.levels[LevelId(1)] = {all, {{k, 1, Axis::kTime}, {c, 1, Axis::kTime}}, {}};
  }

  Level& buffer() { return architecture.levels[LevelId(1)]; }
  Cost Run() const {
    auto cost = Evaluate(problem, architecture, mapping);
    EXPECT_TRUE(cost.has_value());
    return *cost;
  }
};

// Weights and outputs move in each of four steps of the loop over K, inputs in two of the loop over
// C: 10 tiles, asked for 4 times. Loads take (16 + 4 + 4) / 2 cycles, stores 8 / 2.
constexpr double kWords = 12 + 4, kTiles = 10 * 3, kWaits = 4 * 10;

TEST(Time, WithoutOverlapWorkWaits) {
  Timed t;
  t.buffer().overlap = Overlap::kNone;
  const Cost cost = t.Run();
  EXPECT_EQ(cost.levels[LevelId(1)].engine_cycles, kWords + kTiles + kWaits);
  EXPECT_EQ(cost.cycles, 5 + kWords + kTiles + kWaits + 16);
  EXPECT_EQ(cost.start_cycles, 5);
}

TEST(Time, ASecondBufferHidesTheShorterOfTheTwo) {
  Timed t;
  t.buffer().overlap = Overlap::kDouble;
  EXPECT_EQ(t.Run().cycles, 5 + kWords + kTiles + kWaits);
  // A faster engine is hidden behind the array, but for the first load: the latency, two tiles'
  // transfers, and six words.
  t.architecture.levels[LevelId(0)].latency_cycles = 0;
  t.architecture.levels[LevelId(0)].shared_bandwidth = 8;
  t.buffer().transfer_cycles = 0.25;
  EXPECT_EQ(t.Run().cycles, 5 + 2 + 16);  // 0.5 + 0.75 are 2 whole cycles
}

TEST(Time, StreamsWaitOnce) {
  Timed t;
  const Cost cost = t.Run();
  EXPECT_EQ(cost.start_cycles, 5 + 10);
  EXPECT_EQ(cost.cycles, 5 + 10 + kWords + kTiles);
  t.buffer().transfer_cycles = 0;
  EXPECT_EQ(t.Run().cycles, 5 + 10 + 16);
}

TEST(Time, SkewsAndLatenciesAddUpOnTheWay) {
  Timed t;
  t.buffer().transfer_cycles = 0;
  t.buffer().latency_cycles = 2;      // to the array
  t.buffer().fanout.skew_cycles = 7;  // to its last lane
  t.architecture.levels[LevelId(0)].fanout.skew_cycles = 1;
  EXPECT_EQ(t.Run().start_cycles, 5 + (10 + 1) + (2 + 7));
}

TEST(Time, EnergyIsDrawnNoFasterThanTheLimit) {
  Timed t;
  t.buffer().transfer_cycles = 0;
  t.architecture.clock_hz = 1e9;  // so that 1 mW is 1 pJ per cycle
  t.architecture.idle_w = 0.25e-3;
  t.architecture.power_limit_w = 0.5e-3;
  const Cost cost = t.Run();  // 16 operations of 1 pJ
  EXPECT_TRUE(cost.limited_by_power);
  EXPECT_EQ(cost.cycles, 5 + 64);
  EXPECT_EQ(cost.idle_pj, 0.25 * 69);
  EXPECT_EQ(cost.energy_pj, 16 + 0.25 * 69);
  ASSERT_TRUE(cost.seconds && cost.watts);
  EXPECT_DOUBLE_EQ(*cost.seconds, 69e-9);
  EXPECT_DOUBLE_EQ(*cost.watts, cost.energy_pj * 1e-12 / 69e-9);
}

TEST(Time, AClockAloneChangesNoCycle) {
  Timed t;
  t.architecture.launch_cycles = 0;
  for (Level& level : t.architecture.levels) level.latency_cycles = level.transfer_cycles = 0;
  const int64_t cycles = t.Run().cycles;
  t.architecture.clock_hz = 2e9;
  EXPECT_FALSE(HasTimeKeys(t.architecture));
  const Cost cost = t.Run();
  EXPECT_EQ(cost.cycles, cycles);
  EXPECT_EQ(cost.seconds, static_cast<double>(cycles) / 2e9);
}

TEST(Time, OtherSemanticsRefuse) {
  Timed t;
  EvaluateOptions options;
  for (const Semantics semantics : {Semantics::kTimeloop, Semantics::kThistle}) {
    options.semantics = semantics;
    const auto cost = Evaluate(t.problem, t.architecture, t.mapping, options);
    ASSERT_FALSE(cost.has_value());
    EXPECT_NE(cost.error().message.find(Name(semantics)), std::string::npos);
  }
  options = {};
  options.add_fill_and_drain = true;
  EXPECT_FALSE(Evaluate(t.problem, t.architecture, t.mapping, options).has_value());
}

TEST(Time, WholeCyclesForgiveRounding) {
  EXPECT_EQ(WholeCycles(10 * 0.3 * 10 / 3), 10);
  EXPECT_EQ(WholeCycles(10.001), 11);
  EXPECT_EQ(WholeCycles(0), 0);
}

}  // namespace
}  // namespace inlay
