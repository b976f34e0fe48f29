#include "inlay/batch/policy.h"

#include <algorithm>
#include <ctime>

#include "inlay/base/checked.h"
#include "inlay/batch/policies/addressed.h"
#include "inlay/batch/policies/policies.h"

namespace inlay::batch {

const std::vector<PolicyRecord>& Policies() {
  static const std::vector<PolicyRecord> records = {
      {"serial", "one workload after the other, each batch whole", RunSerial},
      {"interleave", "layer by layer, whichever balances fetching and computing", RunInterleave},
      {"static", "all workloads at once, every batch whole", RunStatic},
      {"batch-dnn", "splits a batch where memory is short and merges it again", RunBatchDnn},
      {"lazy", "the same, but splits only where the arrays would idle", RunLazy},
      {"sliced", "batches cut beforehand into equal slices that fit together", RunSliced},
      {"stall-free", "slices planned per layer for all workloads, the best of some simulations",
       RunStallFree},
      {"stall-free-online", "the same plans by one fixed rule, without simulating",
       RunStallFreeOnline},
  };
  return records;
}

std::vector<std::string_view> ChosenPolicies(const std::vector<std::string>& names) {
  const auto chosen = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string_view> policies;
  for (const PolicyRecord& policy : Policies()) {
    if (chosen("all") || chosen(policy.name)) policies.push_back(policy.name);
  }
  return policies;
}

const PolicyRecord* FindPolicy(std::string_view name) {
  const auto found = std::find_if(Policies().begin(), Policies().end(),
                                  [&](const PolicyRecord& record) { return record.name == name; });
  return found == Policies().end() ? nullptr : &*found;
}

Rules RulesOf(Advance advance, const PolicyOptions& options) {
  Rules rules;
  rules.advance = advance;
  rules.order = options.order.value_or(Order::kLongestPath);
  rules.on_deadlock = options.on_deadlock;
  rules.memory = options.memory;
  rules.bypass = options.bypass;
  rules.merge = options.merge;
  rules.cascade_depth = options.cascade_depth;
  rules.free_spills = options.free_spills;
  return rules;
}

PolicyRun RunPlain(const Task& task, const Rules& rules, const RunOptions& run) {
  if (rules.memory == MemoryModel::kAddressed) return RunAddressed(task, rules, run);
  PolicyRun result;
  result.task = task;
  result.rules = rules;
  result.outcome = Simulate(task, rules, run);
  return result;
}

int64_t MostMaps(const Task& task) { return task.accelerator.memory_bytes - ReservesOf(task); }

int64_t LargestBatch(const TaskWorkload& workload) {
  int64_t most = 1;
  for (const Request& request : workload.requests) most = std::max(most, request.inferences);
  return most;
}

int64_t LargestBatch(const Task& task) {
  int64_t most = 1;
  for (const TaskWorkload& workload : task.workloads) most = std::max(most, LargestBatch(workload));
  return most;
}

double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace inlay::batch
