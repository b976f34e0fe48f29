#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/batch/simulate.h"

namespace inlay::batch {

// What a user can change of every policy.
struct PolicyOptions {
  std::optional<Order> order;  // none: the policy's own, kLongestPath
  OnDeadlock on_deadlock = OnDeadlock::kAvoid;
  MemoryModel memory = MemoryModel::kPool;
  bool bypass = true;
  bool merge = true;
  int64_t cascade_depth = 64;
  int threads = 1;
  bool free_spills = false;  // see Rules
};

// A policy's choice for a task, and how it came out.
struct PolicyRun {
  Task task;  // with the window and the slice plans that were chosen
  Rules rules;
  Outcome outcome;
  double plan_seconds = 0;  // measured: what choosing took
};

// One row per policy: "serial", "interleave", "static", "batch-dnn", "lazy", "sliced",
// "stall-free", "stall-free-online". A new one is a function and a row.
struct PolicyRecord {
  std::string_view name;
  std::string_view sentence;
  PolicyRun (*run)(const Task& task, const PolicyOptions& options, const RunOptions& run);
};
const std::vector<PolicyRecord>& Policies();
const PolicyRecord* FindPolicy(std::string_view name);
// The policies of a list, "all" being every one, in the order of the table.
std::vector<std::string_view> ChosenPolicies(const std::vector<std::string>& names);

// What no policy beats, or could reach. LB: max(Σ cycles, Σ bytes / bandwidth). PU: unlimited
// memory and window, the best order. PW: unlimited feature maps, the task's own window, the best
// order. All have everything on chip.
struct Controls {
  int64_t lb = 0, pu = 0, pw = 0;  // cycles
};
// None if the deadline passed.
std::optional<Controls> ControlsOf(const Task& task, const PolicyOptions& options,
                                   const Deadline* deadline = nullptr);

// The cycles in which the arrays idle, by what would have to go for them to work. Found by running
// again without it: capacity, the same rules with unlimited feature maps, all on chip; bandwidth,
// what Σ bytes / bandwidth takes beyond Σ cycles; dependency, the rest: order, window, arrivals,
// waiting for weights. They add up to makespan − busy.
struct Idle {
  int64_t capacity = 0, bandwidth = 0, dependency = 0;
};
// None if the deadline passed.
std::optional<Idle> IdleOf(const PolicyRun& run, const Deadline* deadline = nullptr);

}  // namespace inlay::batch
