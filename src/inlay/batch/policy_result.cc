#include "inlay/batch/policy_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inlay/base/mention.h"
#include "inlay/batch/policies/addressed_memory.h"
#include "inlay/batch/policies/policies.h"
#include "inlay/batch/remap_table.h"

namespace inlay::batch {
namespace {

// The smallest that so many of a hundred are not above; `sorted` is not empty.
double Percentile(const std::vector<double>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

LatencyFigures LatencyOf(std::vector<double> ms) {
  LatencyFigures figures;
  figures.batches = static_cast<int64_t>(ms.size());
  if (ms.empty()) return figures;
  std::sort(ms.begin(), ms.end());
  figures.p50_ms = Percentile(ms, 50);
  figures.p95_ms = Percentile(ms, 95);
  figures.p99_ms = Percentile(ms, 99);
  figures.worst_ms = ms.back();
  return figures;
}

// Whether batches come one after the other, not each workload's only one at the start.
bool HasArrivals(const Task& task) {
  return std::any_of(task.workloads.begin(), task.workloads.end(), [](const TaskWorkload& w) {
    return w.requests.size() > 1 || (!w.requests.empty() && w.requests.front().arrival > 0);
  });
}

void AddLatencies(const Task& task, const Outcome& outcome, BatchPolicyResult* result) {
  if (!HasArrivals(task)) return;
  std::vector<double> all;
  for (size_t w = 0; w < task.workloads.size(); ++w) {
    std::vector<double> own;
    for (size_t r = 0; r < outcome.finished[w].size(); ++r) {
      if (outcome.finished[w][r] == 0) continue;  // never came to its end
      const int64_t cycles = outcome.finished[w][r] - task.workloads[w].requests[r].arrival;
      own.push_back(static_cast<double>(cycles) / task.accelerator.clock_hz * 1e3);
    }
    all.insert(all.end(), own.begin(), own.end());
    result->by_workload.push_back(LatencyOf(std::move(own)));
  }
  result->latency = LatencyOf(std::move(all));
}

// Multiply-accumulates of the batches that were finished.
double OperationsDone(const Task& task, const Outcome& outcome) {
  double operations = 0;
  for (size_t w = 0; w < task.workloads.size(); ++w) {
    const TaskWorkload& workload = task.workloads[w];
    for (size_t r = 0; r < outcome.finished[w].size(); ++r) {
      if (outcome.finished[w][r] == 0) continue;
      operations += static_cast<double>(workload.requests[r].inferences) *
                    static_cast<double>(workload.profile->operations);
    }
  }
  return operations;
}

}  // namespace

std::string PlanText(const NetworkProfile& profile, int64_t batch, const SlicePlan& plan) {
  std::string text;
  const auto add = [&](int64_t slice, size_t begin, size_t end) {
    if (end <= begin || slice <= 0 || slice >= batch) return;
    text += fmt::format("{}{} {}up to {}", text.empty() ? "" : ", ", slice,
                        text.empty() ? "at a time " : "",
                        end < profile.layers.size() ? profile.layers[end].name : "the end");
  };
  add(plan.first, 0, plan.first_end);
  add(plan.second, plan.first_end, plan.second_end);
  if (text.empty()) return fmt::format("all {} at once", batch);
  if (plan.second_end >= profile.layers.size()) return text;
  return text + fmt::format(", then all {}", batch);
}

std::vector<std::string> DeadlockLines(const Task& task, const std::vector<Holder>& holders) {
  std::vector<std::string> lines;
  for (const Holder& holder : holders) {
    const NetworkProfile& profile = *task.workloads[holder.workload].profile;
    const auto same = std::count_if(
        task.workloads.begin(), task.workloads.end(),
        [&](const TaskWorkload& workload) { return workload.profile->name == profile.name; });
    const std::string which =
        same > 1 ? fmt::format(" (workload {})", holder.workload + 1) : std::string();
    const std::string layer =
        holder.layer < profile.layers.size() ? profile.layers[holder.layer].name : "the end";
    lines.push_back(fmt::format(
        "{}{} holds {} bytes, and {} of its inferences wait before {} for {} "
        "bytes more than there are",
        profile.name, which, holder.held_bytes, holder.inferences, layer, holder.wanted_bytes));
  }
  return lines;
}

std::optional<BatchPolicyResult> PolicyResultOf(std::string_view policy, const Task& task,
                                                const PolicyRun& run, const Deadline* deadline) {
  const Outcome& outcome = run.outcome;
  if (outcome.ending == Ending::kStopped) return std::nullopt;
  const std::optional<Idle> idle = IdleOf(run, deadline);
  if (!idle) return std::nullopt;
  const Accelerator& accelerator = task.accelerator;
  BatchPolicyResult result;
  result.name = policy;
  result.deadlocked = outcome.ending == Ending::kDeadlock;
  result.holders = DeadlockLines(task, outcome.deadlock);
  result.makespan_cycles = outcome.makespan;
  if (outcome.makespan > 0) {
    const auto cycles = static_cast<double>(outcome.makespan);
    const double elements = static_cast<double>(accelerator.arrays) *
                            static_cast<double>(accelerator.array.rows) *
                            static_cast<double>(accelerator.array.columns);
    result.throughput_per_s =
        static_cast<double>(outcome.inferences) / cycles * accelerator.clock_hz;
    result.pe_busy = static_cast<double>(outcome.busy) / cycles;
    result.utilization = OperationsDone(task, outcome) / (elements * cycles);
  }
  result.idle_capacity = idle->capacity;
  result.idle_bandwidth = idle->bandwidth;
  result.idle_dependency = idle->dependency;
  result.fetched_bytes = outcome.fetched_bytes;
  result.refetched_bytes = outcome.refetched_bytes;
  result.spilled_bytes = outcome.spilled_bytes;
  result.streamed_bytes = outcome.streamed_bytes;
  result.splits = outcome.splits;
  result.merges = outcome.merges;
  for (const TaskWorkload& workload : run.task.workloads) result.remaps += workload.remaps;
  // Each spill breaks one.
  result.deadlocks = outcome.spills + (result.deadlocked ? 1 : 0);
  result.deepest_stack = outcome.deepest_stack;
  result.peak_bytes = outcome.peak_bytes;
  AddLatencies(task, outcome, &result);
  if (run.rules.advance == Advance::kPlanned) {
    for (const TaskWorkload& workload : run.task.workloads) {
      result.plan.push_back(PlanText(*workload.profile, LargestBatch(workload), workload.plan));
      if (workload.remaps > 0) {
        result.plan.back() += fmt::format("; {} layers in pieces", workload.remaps);
      }
    }
  }
  result.events = outcome.events;
  result.plan_seconds = run.plan_seconds;
  return result;
}

Faults MisfitsOf(const Task& task, MemoryModel model) {
  Faults faults;
  if (const int64_t stays = CountResidencies(task);
      model == MemoryModel::kAddressed && stays > kMostResidencies) {
    faults.push_back(
        {"",
         fmt::format("the feature maps of {} inferences and layers are too many for addresses",
                     stays),
         fmt::format("at most {} are placed; {} and paged know no limit", kMostResidencies,
                     Mention("memory_model", "pool"))});
  }
  const int64_t memory = task.accelerator.memory_bytes;
  for (size_t w = 0; w < task.workloads.size(); ++w) {
    int64_t least = LeastMemory(task, w);
    if (least <= memory) continue;
    if (const auto& pieces = task.workloads[w].remap) {
      const int64_t reserves = ReservesOf(task);
      least = reserves + pieces->LeastFit(memory - reserves, least - reserves);
    }
    constexpr int64_t kMi = 1 << 20;
    faults.push_back(
        {fmt::format("workloads[{}]", w),
         fmt::format("one inference of '{}' does not fit{}: it needs {} bytes, {} more than the "
                     "memory has",
                     task.workloads[w].profile->name,
                     task.workloads[w].remap ? ", not even in pieces" : "", least, least - memory),
         least < kMi
             ? "that suffices: " + Mention("memory", fmt::format("{} B", least))
             : fmt::format("a memory of {0} MiB suffices: {1}", (least + kMi - 1) / kMi,
                           Mention("memory", fmt::format("{} MiB", (least + kMi - 1) / kMi)))});
  }
  return faults;
}

}  // namespace inlay::batch
