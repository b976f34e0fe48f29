#include "inlay/batch/sim/state.h"

#include <algorithm>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"

namespace inlay::batch::sim {
namespace {

bool Splits(const Rules& rules) {
  return (rules.advance == Advance::kSplit || rules.advance == Advance::kSplitLazy) &&
         rules.cascade_depth > 0;
}

std::vector<WorkloadState> MakeWorkloads(const Task& task, const Rules& rules) {
  std::vector<WorkloadState> workloads(task.workloads.size());
  size_t blocks = 0;
  for (size_t i = 0; i < workloads.size(); ++i) {
    WorkloadState& w = workloads[i];
    w.task = &task.workloads[i];
    w.layers = &w.task->profile->layers;
    w.table =
        std::make_unique<LayerTable>(*w.task->profile, task.accelerator,
                                     rules.memory == MemoryModel::kPaged ? rules.page_bytes : 1);
    for (const LayerProfile& layer : *w.layers) {
      w.first_block.push_back(blocks);
      blocks += static_cast<size_t>(BlocksOf(layer, task.accelerator));
    }
    w.first_block.push_back(blocks);
    w.seen.resize(blocks - w.first_block.front());
    w.computed.resize(w.layers->size());
  }
  return workloads;
}

Memory MakeMemory(const Task& task, const Rules& rules,
                  const std::vector<WorkloadState>& workloads) {
  constexpr int64_t kUnlimited = int64_t{1} << 62;
  std::vector<int64_t> reserves, blocks;
  for (const WorkloadState& w : workloads) {
    int64_t largest = 0;
    for (size_t l = 0; l < w.layers->size(); ++l) {
      const auto count = static_cast<int64_t>(BlocksOf(w, l));
      const int64_t bytes = (*w.layers)[l].weight_bytes;
      for (int64_t i = 0; i < count; ++i) {
        blocks.push_back(ShareEnd(bytes, i + 1, count) - ShareEnd(bytes, i, count));
        largest = std::max(largest, blocks.back());
      }
    }
    reserves.push_back(largest);
  }
  return {rules.unlimited_feature_maps ? kUnlimited : task.accelerator.memory_bytes,
          rules.unlimited_window ? kUnlimited : task.accelerator.window_bytes, std::move(reserves),
          std::move(blocks)};
}

// The task's plan if it fits alone, else the largest equal slices that do.
std::vector<PlannedRun> MakeRuns(WorkloadState* w, int64_t n, const Rules& rules,
                                 int64_t most_feature_map_bytes) {
  const size_t layers = LayersOf(*w);
  const auto fits = [&](const std::vector<PlannedRun>& runs) {
    const PlannedRun& first = runs.front();
    const int64_t peak = w->table->CostsOf(first.n).Peak(first.from, first.to);
    return std::max(peak, first.peak_after) <= most_feature_map_bytes;
  };
  const SlicePlan plan = rules.advance == Advance::kPlanned ? w->task->plan : SlicePlan{};
  std::vector<PlannedRun> runs = RunsOf(Resolve(plan, n, layers), w->table.get());
  if (fits(runs)) return runs;
  const int64_t alone = w->table->CostsOf(1).Peak(0, layers);
  INLAY_CHECK(alone <= most_feature_map_bytes);
  // Workspaces do not grow with n, so this is at most what fits.
  const int64_t most = std::clamp<int64_t>(alone == 0 ? n : most_feature_map_bytes / alone, 1, n);
  const int64_t slice = CeilDiv(n, CeilDiv(n, most));
  return RunsOf(Resolve({slice, 0, layers, layers}, n, layers), w->table.get());
}

}  // namespace

State::State(const Task& the_task, const Rules& the_rules, const RunOptions& the_options)
    : task(the_task),
      rules(the_rules),
      options(the_options),
      observer(the_options.observer),
      splits(Splits(the_rules)),
      bytes_per_cycle(the_task.accelerator.bytes_per_cycle),
      look_ahead_layers(the_rules.unlimited_window ? int64_t{1} << 32
                                                   : the_task.accelerator.look_ahead_layers),
      workloads(MakeWorkloads(the_task, the_rules)),
      memory(MakeMemory(the_task, the_rules, workloads)),
      active(workloads.size()),
      may_split(the_rules.advance != Advance::kSplitLazy) {
  memory.Notify(observer, &now);
  order.reserve(workloads.size());
  steps.resize(workloads.size());
  for (WorkloadState& w : workloads) {
    w.paused.reserve(static_cast<size_t>(std::min<int64_t>(rules.cascade_depth, 1024)) + 1);
    w.waiting.reserve(w.paused.capacity());
    outcome.finished.emplace_back(w.task->requests.size(), 0);
    unfinished += w.task->requests.size();
    for (const Request& request : w.task->requests) {
      auto& runs = w.runs_of[request.inferences];
      if (runs.empty())
        runs = MakeRuns(&w, request.inferences, rules, memory.most_feature_map_bytes());
    }
  }
}

}  // namespace inlay::batch::sim
