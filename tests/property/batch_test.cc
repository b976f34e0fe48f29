#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "inlay/batch/policies/addressed_memory.h"
#include "inlay/batch/simulate.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "tests/support/random_profile.h"

namespace inlay::batch {
namespace {

constexpr Advance kEveryAdvance[] = {Advance::kSerial, Advance::kInterleave, Advance::kStatic,
                                     Advance::kSplit,  Advance::kSplitLazy,  Advance::kPlanned};

// Cycles and bytes that no run can do without.
struct Least {
  int64_t cycles = 0;
  int64_t bytes = 0;
};

Least LeastOf(const Task& task) {
  Least least;
  for (const TaskWorkload& w : task.workloads) {
    for (const Request& request : w.requests) {
      const SlicePlanCost cost = CostOf(*w.profile, task.accelerator, request.inferences, {});
      least.cycles += cost.cycles;
      least.bytes += cost.bytes;
    }
  }
  return least;
}

// Counts everything again from what is observed.
class Recounter : public Observer {
 public:
  void Fetch(int64_t from, int64_t to, size_t, size_t, int64_t bytes) override {
    EXPECT_GE(from, fetch_end);
    fetch_end = to;
    fetched += bytes;
  }
  void Compute(int64_t from, int64_t to, size_t, size_t, int64_t) override {
    EXPECT_GE(from, compute_end);
    compute_end = to;
    busy += to - from;
  }
  void Occupancy(int64_t at, int64_t maps, int64_t weights) override {
    EXPECT_GE(at, last);
    last = at;
    peak = std::max(peak, maps + weights);
  }
  int64_t fetched = 0, busy = 0, fetch_end = 0, compute_end = 0, last = 0, peak = 0;
};

TEST(BatchProperty, EverythingIsComputedOnceWithinTheMemory) {
  testing::Random random(11);
  int64_t deadlocks = 0;
  for (int64_t i = 0; i < testing::CaseCount(500, 10000); ++i) {
    const Task task = testing::RandomTask(random, {});
    const Rules rules = testing::RandomRules(random);
    SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
    Recounter recounter;
    Outcome outcome;
    ASSERT_NO_THROW(outcome = Simulate(task, rules, {&recounter, true, nullptr}));
    EXPECT_EQ(recounter.fetched, outcome.fetched_bytes);
    EXPECT_EQ(recounter.busy, outcome.busy);
    EXPECT_LE(recounter.peak, outcome.peak_bytes);
    EXPECT_LE(outcome.peak_bytes, task.accelerator.memory_bytes);
    if (outcome.ending == Ending::kDeadlock) {
      ++deadlocks;
      ASSERT_EQ(rules.on_deadlock, OnDeadlock::kReport);
      EXPECT_FALSE(outcome.deadlock.empty());
      continue;
    }
    const Least least = LeastOf(task);
    EXPECT_GE(outcome.busy, least.cycles);
    EXPECT_GE(outcome.fetched_bytes, least.bytes);
    EXPECT_GE(outcome.makespan, least.cycles);
    EXPECT_GE(static_cast<double>(outcome.makespan) * task.accelerator.bytes_per_cycle,
              static_cast<double>(least.bytes));
    EXPECT_EQ(outcome.fetched_bytes - outcome.refetched_bytes - 2 * outcome.spilled_bytes,
              least.bytes);
    for (size_t w = 0; w < task.workloads.size(); ++w) {
      for (size_t r = 0; r < task.workloads[w].requests.size(); ++r) {
        EXPECT_GT(outcome.finished[w][r], task.workloads[w].requests[r].arrival);
        EXPECT_LE(outcome.finished[w][r], outcome.makespan);
      }
    }
  }
  EXPECT_GT(deadlocks, 0);  // else the rest proves nothing about them
}

TEST(BatchProperty, UnlimitedMapsNeedNoSplit) {
  testing::Random random(12);
  for (int64_t i = 0; i < testing::CaseCount(200, 5000); ++i) {
    Task task = testing::RandomTask(random, {});
    for (TaskWorkload& w : task.workloads) w.plan = {};
    Rules rules = testing::RandomRules(random);
    rules.unlimited_feature_maps = true;
    rules.cascade_depth = 64;
    rules.bypass = true;
    std::vector<int64_t> makespans;
    for (const Advance advance :
         {Advance::kStatic, Advance::kSplit, Advance::kSplitLazy, Advance::kPlanned}) {
      rules.advance = advance;
      SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
      const Outcome outcome = Simulate(task, rules, {nullptr, true, nullptr});
      EXPECT_EQ(outcome.splits, 0);
      EXPECT_EQ(outcome.refetched_bytes, 0);
      makespans.push_back(outcome.makespan);
      EXPECT_EQ(outcome.makespan, makespans.front());
    }
  }
}

TEST(BatchProperty, SingleInferencesAreNeverSplit) {
  testing::Random random(13);
  for (int64_t i = 0; i < testing::CaseCount(200, 5000); ++i) {
    Task task = testing::RandomTask(random, {});
    for (TaskWorkload& w : task.workloads) {
      for (Request& request : w.requests) request.inferences = 1;
    }
    Rules rules = testing::RandomRules(random);
    rules.on_deadlock = OnDeadlock::kAvoid;
    rules.advance = Advance::kStatic;
    SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
    const Outcome whole = Simulate(task, rules, {nullptr, true, nullptr});
    rules.advance = Advance::kSplit;
    const Outcome split = Simulate(task, rules, {nullptr, true, nullptr});
    EXPECT_EQ(split.splits, 0);
    EXPECT_EQ(split.makespan, whole.makespan);
    EXPECT_EQ(split.finished, whole.finished);
  }
}

class MostFeatureMapBytes : public Observer {
 public:
  void Occupancy(int64_t, int64_t maps, int64_t) override { most = std::max(most, maps); }
  int64_t most = 0;
};

TEST(BatchProperty, PlansCostWhatTheyTakeAlone) {
  testing::Random random(15);
  for (int64_t i = 0; i < testing::CaseCount(300, 10000); ++i) {
    Task task = testing::RandomTask(random, {});
    task.workloads.resize(1);
    task.workloads.front().requests = {{0, testing::Pick(random, 1, 6)}};
    task.accelerator.memory_bytes = 1 << 20;
    task.accelerator.window_bytes = 1 << 10;
    Rules rules;
    rules.advance = Advance::kPlanned;
    SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
    const TaskWorkload& w = task.workloads.front();
    const SlicePlanCost cost =
        CostOf(*w.profile, task.accelerator, w.requests.front().inferences, w.plan);
    MostFeatureMapBytes maps;
    const Outcome outcome = Simulate(task, rules, {&maps, true, nullptr});
    EXPECT_EQ(outcome.busy, cost.cycles);
    EXPECT_EQ(maps.most, cost.peak_bytes);
    EXPECT_LE(outcome.fetched_bytes, cost.bytes);  // blocks may be kept for the next slice
  }
}

// What lies in memory for some time; several samples at one time: the last.
class MostForSomeTime : public Observer {
 public:
  void Occupancy(int64_t at, int64_t maps, int64_t weights) override {
    if (at > last) most = std::max(most, now);
    last = at;
    now = maps + weights;
  }
  int64_t most = 0, now = 0, last = 0;
};

TEST(BatchProperty, BuffersAreWhatLiesInMemory) {
  testing::Random random(16);
  for (int64_t i = 0; i < testing::CaseCount(300, 5000); ++i) {
    const Task task = testing::RandomTask(random, {});
    Rules rules = testing::RandomRules(random);
    rules.on_deadlock = OnDeadlock::kAvoid;
    SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
    MostForSomeTime most;
    Simulate(task, rules, {&most, true, nullptr});
    const std::vector<Buffer> buffers = BuffersOf(task, rules);
    EXPECT_TRUE(Validate(buffers).empty());
    EXPECT_EQ(dsa::FindPeakLoad(buffers).bytes, most.most);
  }
}

TEST(BatchProperty, AddressesAreFoundInASmallerPool) {
  testing::Random random(17);
  int64_t tried = 0, placed = 0;
  for (int64_t i = 0; i < testing::CaseCount(100, 2000); ++i) {
    const Task task = testing::RandomTask(random, {});
    Rules rules = testing::RandomRules(random);
    rules.on_deadlock = OnDeadlock::kAvoid;
    rules.memory = MemoryModel::kAddressed;
    SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
    const PolicyRun run = RunAddressed(task, rules, {});
    EXPECT_EQ(run.outcome.ending, Ending::kDone);
    EXPECT_LE(run.task.accelerator.memory_bytes, task.accelerator.memory_bytes);
    ++tried;
    if (run.outcome.peak_bytes <= task.accelerator.memory_bytes) ++placed;
  }
  EXPECT_GT(2 * placed, tried);  // memories at the limit leave no room for gaps
}

// 100,000 with INLAY_LONG. Memories that hold the largest network alone and little more.
TEST(BatchProperty, AvoidNeverDeadlocks) {
  testing::Random random(14);
  int64_t with_report = 0;
  for (int64_t i = 0; i < testing::CaseCount(2000, 100000); ++i) {
    testing::ProfileLimits limits;
    limits.residual = i % 2 == 0;
    Task task = testing::RandomTask(random, limits);
    Rules rules = testing::RandomRules(random);
    rules.advance = kEveryAdvance[static_cast<size_t>(testing::Pick(random, 0, 5))];
    rules.on_deadlock = OnDeadlock::kAvoid;
    SCOPED_TRACE(std::to_string(i) + ": " + testing::Describe(task, rules));
    Outcome outcome;
    ASSERT_NO_THROW(outcome = Simulate(task, rules, {nullptr, i % 10 == 0, nullptr}));
    ASSERT_EQ(outcome.ending, Ending::kDone);
    rules.on_deadlock = OnDeadlock::kReport;
    if (i % 4 == 0) with_report += Simulate(task, rules).ending == Ending::kDeadlock ? 1 : 0;
  }
  EXPECT_GT(with_report, 10);  // the cases are such that there is something to avoid
}

}  // namespace
}  // namespace inlay::batch
