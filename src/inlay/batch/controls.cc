#include <algorithm>
#include <map>

#include "inlay/base/checked.h"
#include "inlay/batch/policies/policies.h"
#include "inlay/batch/policy.h"
#include "inlay/batch/remap.h"

namespace inlay::batch {
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
    std::map<int64_t, PlanCost> costs;  // by inferences
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
  rules.unlimited_maps = true;
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
  rules.unlimited_maps = true;
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
