#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inlay/core/mix.h"
#include "inlay/core/result.h"

namespace inlay {

// The policies that there are, in the order in which they are listed.
inline constexpr std::array<std::string_view, 8> kBatchPolicies = {
    "serial", "interleave", "static",     "batch-dnn",
    "lazy",   "sliced",     "stall-free", "stall-free-online"};

// From the arrival of a batch to its last output; nearest rank.
struct LatencyFigures {
  int64_t batches = 0;
  double p50_ms = 0, p95_ms = 0, p99_ms = 0, worst_ms = 0;
  bool operator==(const LatencyFigures&) const = default;
};
const Structure& StructureOf(const LatencyFigures*);

// What one policy made of a mix.
struct BatchPolicyResult {
  std::string name;
  bool deadlocked = false;           // and then stopped; all figures are of what was done by then
  std::vector<std::string> holders;  // then: what each workload holds, a line each
  int64_t makespan_cycles = 0;
  double throughput_per_s = 0;  // inferences
  double pe_busy = 0;           // share of the makespan
  double utilization = 0;       // multiply-accumulates / (elements × makespan)
  int64_t idle_capacity = 0, idle_bandwidth = 0, idle_dependency = 0;  // cycles
  int64_t fetched_bytes = 0, refetched_bytes = 0, spilled_bytes = 0, streamed_bytes = 0;
  int64_t splits = 0, merges = 0, remaps = 0, deadlocks = 0, deepest_stack = 0;
  int64_t peak_bytes = 0;
  std::optional<LatencyFigures> latency;    // where batches arrive
  std::vector<LatencyFigures> by_workload;  // and then of each
  std::vector<std::string> plan;            // per workload, the slices chosen; empty if none were
  int64_t events = 0;                       // measured
  double plan_seconds = 0, seconds = 0;     // measured
  bool operator==(const BatchPolicyResult&) const = default;
};
const Structure& StructureOf(const BatchPolicyResult*);

// All policies on one mix, with the makespans that they are measured by; see batch::Controls.
struct BatchFigures {
  std::vector<BatchPolicyResult> policies;
  int64_t lb_cycles = 0, pu_cycles = 0, pw_cycles = 0;
  bool operator==(const BatchFigures&) const = default;
};
const Structure& StructureOf(const BatchFigures*);
const BatchPolicyResult* FindPolicy(const BatchFigures& figures, std::string_view name);
// The shortest makespan, of equals the first; null where none came to its end.
const BatchPolicyResult* BestPolicy(const BatchFigures& figures);

// What result.json of `batch` says.
struct BatchResult {
  struct Workload {
    std::string network;
    int64_t batch = 1;
    int64_t batches = 1;
    bool operator==(const Workload&) const = default;
  };
  struct PolicyEffort {  // measured
    double seconds = 0, plan_seconds = 0;
    int64_t events = 0;
    bool operator==(const PolicyEffort&) const = default;
  };
  ResultHeader header;
  std::string mix;
  Accelerator accelerator;
  std::vector<Workload> workloads;
  BatchFigures figures;
  std::optional<std::string> best;  // the policy of the shortest makespan
  std::string traced;               // the policy whose timeline was written; empty: none was
  bool interrupted = false;
  double seconds = 0;                                         // measured
  int threads = 1;                                            // measured
  std::vector<std::pair<std::string, PolicyEffort>> efforts;  // of every policy
};
const Structure& StructureOf(const BatchResult::Workload*);
const Structure& StructureOf(const BatchResult::PolicyEffort*);
const Structure& StructureOf(const BatchResult*);
// Sets the figures and what follows from them.
void SetFigures(BatchFigures figures, BatchResult* result);

}  // namespace inlay
