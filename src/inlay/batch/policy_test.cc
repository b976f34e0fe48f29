#include "inlay/batch/policy.h"

#include <gtest/gtest.h>

#include "tests/support/random_profile.h"

namespace inlay::batch {
namespace {

TEST(PolicyTest, EveryPolicyEndsWithinTheMemory) {
  testing::Random random(21);
  for (int64_t i = 0; i < testing::CaseCount(40, 2000); ++i) {
    const Task task = testing::RandomTask(random, {});
    const Controls controls = *ControlsOf(task, {});
    EXPECT_LE(controls.lb, controls.pu);
    EXPECT_LE(controls.pu, controls.pw);
    int64_t whole = 0, planned = 0;
    for (const PolicyRecord& policy : Policies()) {
      SCOPED_TRACE(std::to_string(i) + " " + std::string(policy.name) + ": " +
                   testing::Describe(task, {}));
      const PolicyRun run = policy.run(task, {}, {});
      EXPECT_EQ(run.outcome.ending, Ending::kDone);
      EXPECT_GE(run.outcome.makespan, controls.lb);
      EXPECT_LE(run.outcome.peak_bytes, task.accelerator.memory_bytes);
      const Idle idle = *IdleOf(run);
      EXPECT_GE(std::min({idle.capacity, idle.bandwidth, idle.dependency}), 0);
      EXPECT_EQ(idle.capacity + idle.bandwidth + idle.dependency,
                run.outcome.makespan - run.outcome.busy);
      // The task and rules that are reported give the same makespan again.
      EXPECT_EQ(Simulate(run.task, run.rules).makespan, run.outcome.makespan);
      if (policy.name == "static") whole = run.outcome.makespan;
      if (policy.name == "stall-free") {
        planned = run.outcome.makespan;
        EXPECT_LE(planned, whole);
      }
      if (policy.name == "stall-free-online") {
        EXPECT_LE(planned, run.outcome.makespan);
      }
    }
  }
}

TEST(PolicyTest, LargeBatchesAndManyRequestsArePlannedFromAPart) {
  testing::Random random(22);
  Task task = testing::RandomTask(random, {});
  for (TaskWorkload& w : task.workloads) w.requests = {{0, 700}};
  task.workloads.front().requests.assign(30, {0, 2});
  const PolicyRun whole = FindPolicy("static")->run(task, {}, {});
  const PolicyRun planned = FindPolicy("stall-free")->run(task, {}, {});
  EXPECT_EQ(planned.outcome.inferences, whole.outcome.inferences);
  EXPECT_LE(planned.outcome.makespan, whole.outcome.makespan);
}

// Every split leaves another number of inferences; the rows of the table come and go.
TEST(PolicyTest, LargeBatchesAreSplitAgainAndAgain) {
  testing::Random random(23);
  Task task = testing::RandomTask(random, {});
  task.workloads.resize(1);
  task.workloads.front().requests = {{0, 4000}};
  task.accelerator.memory_bytes = 2 * LeastMemory(task, 0);
  for (const char* policy : {"batch-dnn", "lazy"}) {
    const PolicyRun run = FindPolicy(policy)->run(task, {}, {nullptr, true, nullptr});
    EXPECT_EQ(run.outcome.ending, Ending::kDone);
    EXPECT_GT(run.outcome.splits, 1024);
    EXPECT_LE(run.outcome.peak_bytes, task.accelerator.memory_bytes);
  }
}

TEST(PolicyTest, TimeLimitsHold) {
  testing::Random random(24);
  Task task = testing::RandomTask(random, {});
  for (TaskWorkload& w : task.workloads) w.requests = {{0, 1'000'000}};
  const StopFlag stop;
  const Deadline passed(stop, 0.0);
  for (const PolicyRecord& policy : Policies()) {
    for (const MemoryModel memory : {MemoryModel::kPool, MemoryModel::kAddressed}) {
      PolicyOptions options;
      options.memory = memory;
      EXPECT_EQ(policy.run(task, options, {nullptr, false, &passed}).outcome.ending,
                Ending::kStopped)
          << policy.name;
    }
  }
  EXPECT_FALSE(ControlsOf(task, {}, &passed));
  EXPECT_FALSE(IdleOf({task, {}, {}, 0}, &passed));
}

TEST(PolicyTest, NamesAreFound) {
  for (const PolicyRecord& policy : Policies()) EXPECT_EQ(FindPolicy(policy.name), &policy);
  EXPECT_EQ(FindPolicy("dynamic"), nullptr);
}

}  // namespace
}  // namespace inlay::batch
