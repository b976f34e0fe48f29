#include "inlay/batch/policy.h"

#include <algorithm>
#include <ctime>
#include <map>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/batch/policies/addressed_memory.h"
#include "inlay/batch/policies/policies.h"
#include "inlay/batch/remap_table.h"

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

int64_t MostFeatureMapBytes(const Task& task) {
  return task.accelerator.memory_bytes - ReservesOf(task);
}

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

namespace {

// Σ of all requests, each whole.
struct Totals {
  int64_t cycles = 0;
  int64_t fetch_cycles = 0;
  int64_t latest = 0;  // the soonest that a request can end that comes late
};

Totals TotalsOf(const Task& task) {
  Totals totals;
  int64_t bytes = 0;
  for (const TaskWorkload& w : task.workloads) {
    std::map<int64_t, SlicePlanCost> costs;  // by inferences
    for (const Request& request : w.requests) {
      const auto [cost, fresh] = costs.try_emplace(request.inferences);
      if (fresh) cost->second = CostOf(*w.profile, task.accelerator, request.inferences, {});
      totals.cycles = SaturatingAdd(totals.cycles, cost->second.cycles);
      totals.latest = std::max(totals.latest, SaturatingAdd(request.arrival, cost->second.cycles));
      bytes = SaturatingAdd(bytes, cost->second.bytes);
    }
  }
  totals.fetch_cycles =
      static_cast<int64_t>(static_cast<double>(bytes) / task.accelerator.bytes_per_cycle);
  return totals;
}

// None if the deadline passed.
std::optional<int64_t> MakespanOf(const Task& task, const Rules& rules, const Deadline* deadline) {
  const Outcome outcome = Simulate(task, rules, {nullptr, false, deadline});
  if (outcome.ending == Ending::kStopped) return std::nullopt;
  return outcome.makespan;
}

std::optional<int64_t> BestOrder(const Task& task, Rules rules, const Deadline* deadline) {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (const Order order : {Order::kLongestPath, Order::kAiMt, Order::kRoundRobin}) {
    rules.order = order;
    const auto makespan = MakespanOf(task, rules, deadline);
    if (!makespan) return std::nullopt;
    best = std::min(best, *makespan);
  }
  return best;
}

}  // namespace

std::optional<Controls> ControlsOf(const Task& task, const PolicyOptions& options,
                                   const Deadline* deadline) {
  const Task whole = Whole(task);
  const Totals totals = TotalsOf(whole);
  Rules rules = RulesOf(Advance::kStatic, options);
  rules.memory = MemoryModel::kPool;
  rules.bypass = true;
  rules.unlimited_feature_maps = true;
  const auto pw = BestOrder(whole, rules, deadline);
  rules.unlimited_window = true;
  const auto pu = pw ? BestOrder(whole, rules, deadline) : std::nullopt;
  if (!pu) return std::nullopt;
  return Controls{std::max({totals.cycles, totals.fetch_cycles, totals.latest}), std::min(*pw, *pu),
                  *pw};
}

std::optional<Idle> IdleOf(const PolicyRun& run, const Deadline* deadline) {
  const int64_t idle = run.outcome.makespan - run.outcome.busy;
  const Task whole = Whole(run.task);
  Rules rules = run.rules;
  rules.unlimited_feature_maps = true;
  rules.memory = MemoryModel::kPool;
  const auto unlimited = MakespanOf(whole, rules, deadline);
  if (!unlimited) return std::nullopt;
  const Totals totals = TotalsOf(whole);
  Idle causes;
  causes.capacity = std::clamp<int64_t>(run.outcome.makespan - *unlimited, 0, idle);
  causes.bandwidth =
      std::clamp<int64_t>(totals.fetch_cycles - totals.cycles, 0, idle - causes.capacity);
  causes.dependency = idle - causes.capacity - causes.bandwidth;
  return causes;
}

}  // namespace inlay::batch
