#include "inlay/core/batch_result.h"

#include <algorithm>

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const LatencyFigures*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&LatencyFigures::batches>("batches", "batches that came"),
      Row<&LatencyFigures::p50_ms>("p50_ms", "half of them took at most so long"),
      Row<&LatencyFigures::p95_ms>("p95_ms", "95 % of them"),
      Row<&LatencyFigures::p99_ms>("p99_ms", "99 % of them"),
      Row<&LatencyFigures::worst_ms>("worst_ms", "all of them"),
  });
  return Describe<LatencyFigures, kFields>("LatencyFigures");
}

const Structure& StructureOf(const BatchPolicyResult*) {
  using Policy = BatchPolicyResult;
  static constexpr auto kDeadlocked = [](const void* policy) {
    return static_cast<const Policy*>(policy)->deadlocked;
  };
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Policy::name>("name", "the policy"),
      Row<&Policy::makespan_cycles>("makespan_cycles", "cycles until the last output"),
      Row<&Policy::throughput_per_s>("throughput_per_s", "inferences per second"),
      Row<&Policy::pe_busy>("pe_busy", "share of the makespan in which the arrays work"),
      Row<&Policy::utilization>("utilization", "operations / (elements × makespan)"),
      Row<&Policy::idle_capacity>("capacity", "idle cycles because memory was full",
                                  {.group = "idle"}),
      Row<&Policy::idle_bandwidth>("bandwidth", "idle cycles because weights were not there",
                                   {.group = "idle"}),
      Row<&Policy::idle_dependency>("dependency", "idle cycles because inputs were not there",
                                    {.group = "idle"}),
      Row<&Policy::deadlocks>("deadlocks", "deadlocks that were met"),
      Row<&Policy::splits>("splits", "batches that were split"),
      Row<&Policy::merges>("merges", "parts that were merged again"),
      Row<&Policy::remaps>("remaps", "layers that ran in pieces"),
      Row<&Policy::deadlocked>("deadlocked", "the run ended in a deadlock"),
      Row<&Policy::deepest_stack>("deepest_stack", "most parts of a batch that waited at once"),
      Row<&Policy::fetched_bytes>("fetched_bytes", "weights fetched"),
      Row<&Policy::refetched_bytes>("refetched_bytes", "weights fetched again"),
      Row<&Policy::spilled_bytes>("spilled_bytes", "feature maps written off chip and back"),
      Row<&Policy::streamed_bytes>("streamed_bytes", "bytes of layers that run from off chip"),
      Row<&Policy::peak_bytes>("peak_bytes", "most memory in use"),
      Row<&Policy::holders>("holders", "in a deadlock: what holds what, a line each",
                            {.applies = kDeadlocked}),
      Row<&Policy::latency>("latency", "of all batches, where they arrive over time"),
      Row<&Policy::by_workload>("workloads", "of the batches of each workload",
                                {.presence = Presence::kUnlessDefault, .group = "latency"}),
      Row<&Policy::plan>("plan", "the slices of every workload, where they were planned",
                         {.presence = Presence::kUnlessDefault}),
  });
  return Describe<BatchPolicyResult, kFields>("BatchPolicy");
}

const Structure& StructureOf(const BatchFigures*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&BatchFigures::policies>("policies", "what every policy comes to"),
      Row<&BatchFigures::lb_cycles>("makespan_cycles", "no policy is faster",
                                    {.group = "control.LB"}),
      Row<&BatchFigures::pu_cycles>("makespan_cycles",
                                    "with unlimited memory and window, the best order",
                                    {.group = "control.PU"}),
      Row<&BatchFigures::pw_cycles>("makespan_cycles",
                                    "with unlimited room for feature maps, the best order",
                                    {.group = "control.PW"}),
  });
  return Describe<BatchFigures, kFields>("BatchFigures");
}

const Structure& StructureOf(const BatchResult::Workload*) {
  using Workload = BatchResult::Workload;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Workload::network>("network", "the network"),
      Row<&Workload::batch>("batch", "inferences of a batch"),
      Row<&Workload::batches>("batches", "batches that come"),
  });
  return Describe<Workload, kFields>("BatchWorkload");
}

const Structure& StructureOf(const BatchResult::PolicyEffort*) {
  using Effort = BatchResult::PolicyEffort;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Effort::seconds>("seconds", "time of the simulation"),
      Row<&Effort::plan_seconds>("plan_seconds", "time of planning"),
      Row<&Effort::events>("events", "events simulated"),
  });
  return Describe<Effort, kFields>("BatchPolicyEffort");
}

const Structure& StructureOf(const BatchResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&BatchResult::header>("", "", {.inlined = true}),
      Row<&BatchResult::mix>("mix", "the mix"),
      Row<&BatchResult::accelerator>("accelerator", "what it runs on"),
      Row<&BatchResult::workloads>("workloads", "the networks that share it"),
      Row<&BatchResult::interrupted>("interrupted", "stopped before all policies had run",
                                     {.presence = Presence::kUnlessDefault}),
      Row<&BatchResult::figures>("", "", {.inlined = true}),
      Row<&BatchResult::best>("best", "the policy of the shortest makespan",
                              {.presence = Presence::kNull}),
      Row<&BatchResult::traced>("traced", "the policy whose timeline trace.json has",
                                {.presence = Presence::kUnlessDefault}),
      Row<&BatchResult::seconds>("seconds", "time of all", {.group = "measured"}),
      Row<&BatchResult::threads>("threads", "threads that ran", {.group = "measured"}),
      Row<&BatchResult::efforts>("policies", "of every policy", {.group = "measured"}),
  });
  return Describe<BatchResult, kFields>("BatchResult");
}

void SetFigures(BatchFigures figures, BatchResult* result) {
  result->figures = std::move(figures);
  const BatchPolicyResult* best = BestPolicy(result->figures);
  result->best.reset();
  if (best != nullptr) result->best = best->name;
  result->efforts.clear();
  for (const BatchPolicyResult& policy : result->figures.policies) {
    result->efforts.emplace_back(
        policy.name, BatchResult::PolicyEffort{policy.seconds, policy.plan_seconds, policy.events});
  }
}

const BatchPolicyResult* FindPolicy(const BatchFigures& figures, std::string_view name) {
  const auto found = std::find_if(figures.policies.begin(), figures.policies.end(),
                                  [name](const auto& policy) { return policy.name == name; });
  return found == figures.policies.end() ? nullptr : &*found;
}

const BatchPolicyResult* BestPolicy(const BatchFigures& figures) {
  const BatchPolicyResult* best = nullptr;
  for (const BatchPolicyResult& policy : figures.policies) {
    if (policy.deadlocked) continue;
    if (best == nullptr || policy.makespan_cycles < best->makespan_cycles) best = &policy;
  }
  return best;
}

}  // namespace inlay
