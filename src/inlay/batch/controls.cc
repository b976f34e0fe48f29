#include <algorithm>

#include "inlay/base/checked.h"
#include "inlay/batch/policies/policies.h"
#include "inlay/batch/policy.h"

namespace inlay::batch {
namespace {

// Σ of all requests, each whole.
struct Totals {
  int64_t cycles = 0;
  int64_t fetch_cycles = 0;
};

int64_t FetchCycles(const Task& task, int64_t bytes) {
  return static_cast<int64_t>(static_cast<double>(bytes) / task.accelerator.bytes_per_cycle);
}

Totals TotalsOf(const Task& task) {
  Totals totals;
  int64_t bytes = 0;
  for (const TaskWorkload& w : task.workloads) {
    for (const Request& request : w.requests) {
      const PlanCost cost = CostOf(*w.profile, task.accelerator, request.inferences, {});
      totals.cycles += cost.cycles;
      bytes += cost.bytes;
    }
  }
  totals.fetch_cycles = FetchCycles(task, bytes);
  return totals;
}

int64_t BestOrder(const Task& task, Rules rules) {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (const Order order : {Order::kLongestPath, Order::kAiMt, Order::kRoundRobin}) {
    rules.order = order;
    best = std::min(best, Simulate(task, rules).makespan);
  }
  return best;
}

}  // namespace

Controls ControlsOf(const Task& task, const PolicyOptions& options) {
  const Totals totals = TotalsOf(task);
  Controls controls;
  controls.lb = std::max(totals.cycles, totals.fetch_cycles);
  for (const TaskWorkload& w : task.workloads) {
    for (const Request& request : w.requests) {
      const PlanCost cost = CostOf(*w.profile, task.accelerator, request.inferences, {});
      controls.lb = std::max(controls.lb, request.arrival + cost.cycles);
    }
  }
  Rules rules = RulesOf(Advance::kStatic, options);
  rules.memory = MemoryModel::kPool;
  rules.bypass = true;
  rules.unlimited_maps = true;
  controls.pw = BestOrder(task, rules);
  rules.unlimited_window = true;
  controls.pu = std::min(controls.pw, BestOrder(task, rules));
  return controls;
}

Idle IdleOf(const PolicyRun& run) {
  const int64_t idle = run.outcome.makespan - run.outcome.busy;
  Rules rules = run.rules;
  rules.unlimited_maps = true;
  rules.memory = MemoryModel::kPool;
  const int64_t unlimited = Simulate(run.task, rules).makespan;
  const Totals totals = TotalsOf(run.task);
  Idle causes;
  causes.capacity = std::clamp<int64_t>(run.outcome.makespan - unlimited, 0, idle);
  causes.bandwidth =
      std::clamp<int64_t>(totals.fetch_cycles - totals.cycles, 0, idle - causes.capacity);
  causes.dependency = idle - causes.capacity - causes.bandwidth;
  return causes;
}

}  // namespace inlay::batch
