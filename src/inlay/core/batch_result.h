#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/result.h"

namespace inlay {

struct LatencyFigures {
  int64_t requests = 0;
  double p50_ms = 0, p95_ms = 0, p99_ms = 0, worst_ms = 0;
  bool operator==(const LatencyFigures&) const = default;
};

// What one policy made of a mix.
struct BatchPolicyResult {
  std::string name;
  bool deadlocked = false;
  std::string deadlock;  // who holds what
  int64_t makespan_cycles = 0;
  double throughput_per_s = 0;  // inferences
  double pe_busy = 0;           // share of the makespan
  double utilization = 0;       // multiply-accumulates / (elements × makespan)
  int64_t idle_capacity = 0, idle_bandwidth = 0, idle_dependency = 0;  // cycles
  int64_t fetched_bytes = 0, refetched_bytes = 0, spilled_bytes = 0, streamed_bytes = 0;
  int64_t splits = 0, merges = 0, remaps = 0, deadlocks = 0, deepest_stack = 0;
  int64_t peak_bytes = 0;
  std::optional<LatencyFigures> latency;  // where batches arrive
  std::vector<std::string> plan;          // per workload, the slices chosen; empty if none were
  int64_t events = 0;                     // measured
  double plan_seconds = 0, seconds = 0;   // measured
  bool operator==(const BatchPolicyResult&) const = default;
};

// What result.json of `batch` says.
struct BatchResult {
  ResultHeader header;
  std::string mix;
  std::string accelerator;
  std::vector<std::string> workloads;  // "resnet50 × 4"
  std::vector<BatchPolicyResult> policies;
  int64_t lb_cycles = 0, pu_cycles = 0, pw_cycles = 0;
  bool interrupted = false;
  double seconds = 0;  // measured
};

}  // namespace inlay
