#include "inlay/batch/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace inlay::batch {
namespace {

// One array of one element: a product of n pixels, one filter and a window of T takes n steps of T
// cycles. One byte per cycle comes in, blocks of 10 bytes.
Accelerator Tiny(int64_t memory) {
  Accelerator accelerator;
  accelerator.arrays = 1;
  accelerator.array = {1, 1, Dataflow::kOutputStationary};
  accelerator.memory_bytes = memory;
  accelerator.bytes_per_cycle = 1;
  accelerator.block_bytes = 10;
  accelerator.window_bytes = 100;
  return accelerator;
}

struct Layer {
  int64_t weights, live, out, cycles;  // cycles: of one inference
};

TaskWorkload Workload(const std::vector<Layer>& layers, int64_t batch) {
  NetworkProfile profile;
  for (const Layer& layer : layers) {
    LayerProfile l;
    l.name = "l" + std::to_string(profile.layers.size());
    l.weight_bytes = layer.weights;
    l.live_bytes = layer.live;
    l.output_bytes = layer.out;
    l.products = {{1, 1, 1, layer.cycles, 1, true}};
    profile.layers.push_back(l);
  }
  return {std::make_shared<const NetworkProfile>(profile), {{0, batch}}, {}};
}

Outcome Played(const Task& task, Advance advance, OnDeadlock on_deadlock = OnDeadlock::kAvoid,
               Observer* observer = nullptr) {
  Rules rules;
  rules.advance = advance;
  rules.on_deadlock = on_deadlock;
  return Simulate(task, rules, {observer, true, nullptr});
}

TEST(SimulateTest, OneLayer) {
  // 10 bytes of weights after 3 of inputs, then 7 cycles.
  const Task task{Tiny(1000), {Workload({{10, 3, 2, 7}}, 1)}};
  const Outcome outcome = Played(task, Advance::kStatic);
  EXPECT_EQ(outcome.makespan, 3 + 10 + 7);
  EXPECT_EQ(outcome.busy, 7);
  EXPECT_EQ(outcome.fetched_bytes, 13);
  EXPECT_EQ(outcome.peak_bytes, 3 + 2 + 10);
  EXPECT_EQ(outcome.inferences, 1);
  EXPECT_EQ(outcome.finished.front().front(), 20);
}

TEST(SimulateTest, TwoBlocksOverlap) {
  // Two blocks of 10 bytes, 4 inferences of 6 cycles: two steps with each block.
  const Task task{Tiny(1000), {Workload({{20, 0, 1, 6}}, 4)}};
  // 10 for the first block; its 12 cycles hide the second.
  EXPECT_EQ(Played(task, Advance::kStatic).makespan, 10 + 12 + 12);
  const Task slow{Tiny(1000), {Workload({{20, 0, 1, 2}}, 4)}};
  EXPECT_EQ(Played(slow, Advance::kStatic).makespan, 20 + 4);
}

TEST(SimulateTest, TwoLayersPrefetch) {
  // The second layer's weights come while the first computes.
  const Task task{Tiny(1000), {Workload({{10, 5, 5, 30}, {10, 5, 5, 7}}, 1)}};
  EXPECT_EQ(Played(task, Advance::kStatic).makespan, 5 + 10 + 30 + 7);
  Task narrow = task;
  narrow.accelerator.look_ahead_layers = 0;  // nothing ahead
  EXPECT_EQ(Played(narrow, Advance::kStatic).makespan, 5 + 10 + 30 + 10 + 7);
}

TEST(SimulateTest, TwoWorkloadsShareTheEngines) {
  // Each fetches 10 and computes 10; the second fetch hides behind the first compute.
  const Task task{Tiny(1000), {Workload({{10, 0, 1, 10}}, 1), Workload({{10, 0, 1, 10}}, 1)}};
  EXPECT_EQ(Played(task, Advance::kStatic).makespan, 30);
  EXPECT_EQ(Played(task, Advance::kSerial).makespan, 40);  // no fetch ahead for the next workload
}

TEST(SimulateTest, ArrivalsWait) {
  Task task{Tiny(1000), {Workload({{10, 0, 1, 10}}, 1)}};
  task.workloads.front().requests = {{100, 1}, {105, 2}};
  const Outcome outcome = Played(task, Advance::kStatic);
  // Each batch fetches its weights.
  EXPECT_EQ(outcome.finished.front(), (std::vector<int64_t>{120, 120 + 10 + 20}));
}

// Records "12 split 1 2": cycle, what, layer, inferences.
class Events : public Observer {
 public:
  void SubBatch(int64_t at, size_t, std::string_view what, size_t layer, int64_t n) override {
    if (!text.empty()) text += ", ";
    text += std::to_string(at) + " " + std::string(what) + " " + std::to_string(layer) + " " +
            std::to_string(n);
  }
  std::string text;
};

TEST(SimulateTest, SplitsAndMerges) {
  // Two inferences hold 20 before the second layer, which takes 25 more for each; beside the blocks
  // of this layer and the next there is room for one.
  const std::vector<Layer> layers = {{10, 0, 10, 10}, {10, 10, 25, 10}, {10, 1, 1, 10}};
  const Task task{Tiny(70), {Workload(layers, 2)}};
  Events events;
  const Outcome outcome = Played(task, Advance::kSplit, OnDeadlock::kAvoid, &events);
  // Weights of layer 0 at 10, both computed at 30. One through layer 1 at 40, then it waits before
  // layer 2 and the other comes after: 50. Together through layer 2: 70.
  EXPECT_EQ(events.text, "0 begin 0 2, 30 split 1 1, 40 resume 1 1, 50 merge 2 2, 70 end 3 2");
  EXPECT_EQ(outcome.makespan, 70);
  EXPECT_EQ(outcome.splits, 1);
  EXPECT_EQ(outcome.merges, 1);
  EXPECT_EQ(outcome.deepest_stack, 1);
  EXPECT_EQ(outcome.refetched_bytes, 0);  // layer 1's weights were kept
  // Static batching cannot hold both at all and goes in slices of one.
  const Outcome whole = Played(task, Advance::kStatic);
  EXPECT_EQ(whole.splits, 0);
  EXPECT_EQ(whole.makespan, 10 + 6 * 10);
}

TEST(SimulateTest, PlannedSlicesFuseAtTheGate) {
  const std::vector<Layer> layers = {{10, 0, 10, 10}, {10, 10, 25, 10}, {10, 1, 1, 10}};
  Task task{Tiny(70), {Workload(layers, 2)}};
  task.workloads.front().plan = {1, 0, 2, 2};
  Events events;
  const Outcome outcome = Played(task, Advance::kPlanned, OnDeadlock::kAvoid, &events);
  EXPECT_EQ(events.text, "0 begin 0 1, 30 wait 2 1, 50 wait 2 1, 50 merge 2 2, 70 end 3 2");
  EXPECT_EQ(outcome.makespan, 70);
}

// The classic: each holds what the other wants. Maps: 100 - 2 × 10. Each inference holds 30 before
// its second layer and wants 40 more.
Task HoldAndWait() {
  const std::vector<Layer> layers = {{10, 0, 30, 10}, {10, 30, 40, 10}};
  return {Tiny(100), {Workload(layers, 1), Workload(layers, 1)}};
}

TEST(SimulateTest, HoldAndWaitIsExplained) {
  const Outcome outcome = Played(HoldAndWait(), Advance::kStatic, OnDeadlock::kReport);
  EXPECT_EQ(outcome.ending, Ending::kDeadlock);
  ASSERT_EQ(outcome.deadlock.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outcome.deadlock[i].workload, i);
    EXPECT_EQ(outcome.deadlock[i].layer, 1U);
    EXPECT_EQ(outcome.deadlock[i].inferences, 1);
    EXPECT_EQ(outcome.deadlock[i].held_bytes, 30);
    EXPECT_EQ(outcome.deadlock[i].wanted_bytes, 40 - (80 - 60));
  }
}

TEST(SimulateTest, HoldAndWaitIsAvoided) {
  // The second starts when the first has ended its second layer: 10 + 10 + 10, then 20.
  const Outcome outcome = Played(HoldAndWait(), Advance::kStatic);
  EXPECT_EQ(outcome.ending, Ending::kDone);
  EXPECT_EQ(outcome.makespan, 50);
  EXPECT_EQ(outcome.spilled_bytes, 0);
}

TEST(SimulateTest, HoldAndWaitIsSpilled) {
  // Weights of both first layers at 20; the second ends its layer at 30. Both are stuck: the first
  // is written out until 60 while the second runs (its weights are there) until 40; then the first
  // comes back in three blocks until 90 and computes until 100.
  const Outcome outcome = Played(HoldAndWait(), Advance::kStatic, OnDeadlock::kSpill);
  EXPECT_EQ(outcome.ending, Ending::kDone);
  EXPECT_EQ(outcome.spills, 1);
  EXPECT_EQ(outcome.spilled_bytes, 30);
  EXPECT_GT(outcome.makespan, 50);
  Rules rules;
  rules.on_deadlock = OnDeadlock::kSpill;
  rules.free_spills = true;
  EXPECT_LT(Simulate(HoldAndWait(), rules).makespan, outcome.makespan);
}

// Two workloads whose slices wait at gates until there are four: three of each take all the room.
TEST(SimulateTest, WhoWaitsAtAGateIsSpilled) {
  Task task{Tiny(80), {}};
  for (int i = 0; i < 2; ++i) {
    TaskWorkload w = Workload({{10, 0, 10, 10}, {10, 10, 0, 10}}, 4);
    w.plan = {1, 4, 1, 1};
    task.workloads.push_back(w);
  }
  Rules rules;
  rules.advance = Advance::kPlanned;
  rules.order = Order::kRoundRobin;
  rules.on_deadlock = OnDeadlock::kReport;
  ASSERT_EQ(Simulate(task, rules, {nullptr, true, nullptr}).ending, Ending::kDeadlock);
  rules.on_deadlock = OnDeadlock::kSpill;
  const Outcome spilled = Simulate(task, rules, {nullptr, true, nullptr});
  EXPECT_EQ(spilled.ending, Ending::kDone);
  EXPECT_GT(spilled.spills, 0);
  EXPECT_EQ(spilled.spilled_bytes, 30);  // all three of one
  EXPECT_EQ(spilled.inferences, 8);
  rules.free_spills = true;
  const Outcome free = Simulate(task, rules, {nullptr, true, nullptr});
  EXPECT_EQ(free.spilled_bytes, 30);
  EXPECT_LT(free.makespan, spilled.makespan);
}

TEST(SimulateTest, LargeBatchesAreSliced) {
  const Task task{Tiny(60), {Workload({{10, 0, 10, 3}, {10, 10, 5, 4}}, 1000)}};
  for (const Advance advance : {Advance::kSerial, Advance::kInterleave, Advance::kStatic,
                                Advance::kSplit, Advance::kSplitLazy, Advance::kPlanned}) {
    const Outcome outcome = Played(task, advance);
    EXPECT_EQ(outcome.ending, Ending::kDone);
    EXPECT_EQ(outcome.inferences, 1000);
    EXPECT_EQ(outcome.busy, 7000);
    EXPECT_LE(outcome.peak_bytes, 60);
  }
}

TEST(SimulateTest, LeastMemoryIsEnough) {
  Task task = HoldAndWait();
  EXPECT_EQ(LeastMemory(task, 0), 70 + 2 * 10);
  task.accelerator.memory_bytes = 90;
  EXPECT_EQ(Played(task, Advance::kStatic).ending, Ending::kDone);
}

}  // namespace
}  // namespace inlay::batch
