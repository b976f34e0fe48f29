#include <algorithm>

#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

// A workload finishes in steps, each of which needs some space beyond what it holds and then leaves
// more than there was. First its running layer ends, which needs nothing; then what it has goes
// through one sub-batch after the other.
struct Step {
  int64_t needs = 0;
  int64_t frees = 0;
};

// Bytes that the running layer frees when it ends.
int64_t FreedByLayer(const WorkloadState& w) {
  const size_t l = w.current.layer;
  return w.costs->held[l] + w.costs->added[l] - w.costs->held[l + 1];
}

// All of a workload that goes by its plan, from its next layer on.
Step WholeStep(const WorkloadState& w) {
  const PlannedRun& run = (*w.runs)[w.run];
  const bool running = IsRunning(w);
  const int64_t has = w.feature_map_bytes - (running ? FreedByLayer(w) : 0);
  const int64_t others = w.at_gates[0] + w.at_gates[1];
  const int64_t peak = w.costs->Peak(w.current.layer + (running ? 1 : 0), run.to);
  const int64_t most = std::max(peak == 0 ? 0 : others + peak, run.peak_after);
  return {std::max<int64_t>(0, most - has), has};
}

// A sub-batch of a workload that splits: one inference at a time while the others wait. A sub-batch
// that may not be split goes whole up to where it meets the next.
Step SubBatchStep(WorkloadState* w, const SubBatch& sub_batch, bool divisible) {
  const size_t layers = LayersOf(*w);
  const int64_t held = w->table->CostsOf(sub_batch.n).held[sub_batch.layer];
  if (sub_batch.layer == layers) return {0, 0};
  const InferenceCosts& one = w->table->CostsOf(1);
  if (divisible || sub_batch.n == 1) {
    return {one.Peak(sub_batch.layer, layers) - one.held[sub_batch.layer], held};
  }
  const InferenceCosts& all = w->table->CostsOf(sub_batch.n);
  const size_t meets = w->waiting.empty() ? layers : w->waiting.back().layer;
  int64_t needs = all.Peak(sub_batch.layer, meets) - held;
  if (meets < layers) {
    needs = std::max(needs, all.held[meets] - held + one.Peak(meets, layers) - one.held[meets]);
  }
  return {std::max<int64_t>(0, needs), held};
}

// The current sub-batch, those that wait for it, then the paused ones from the top.
Step SplitStep(const State& state, WorkloadState* w, size_t step) {
  if (step == 0) {
    SubBatch next = w->current;
    if (IsRunning(*w)) ++next.layer;
    const auto others = static_cast<int64_t>(w->paused.size() + w->waiting.size());
    return SubBatchStep(w, next, others < state.rules.cascade_depth);
  }
  if (step <= w->waiting.size()) return SubBatchStep(w, w->waiting[w->waiting.size() - step], true);
  return SubBatchStep(w, w->paused[w->paused.size() + w->waiting.size() - step], true);
}

size_t StepsOf(const State& state, const WorkloadState& w) {
  if (w.phase == Phase::kIdle) return 0;
  return state.splits ? 1 + w.waiting.size() + w.paused.size() : 1;
}

}  // namespace

bool IsSafe(State* state) {
  int64_t free = state->memory.most_feature_map_bytes();
  for (const WorkloadState& w : state->workloads) {
    free -= w.feature_map_bytes;
    if (IsRunning(w)) free += FreedByLayer(w);
  }
  std::fill(state->steps.begin(), state->steps.end(), 0);
  // Every step leaves more space, so those that can go do; workloads left over are stuck.
  bool all = false, moved = true;
  while (moved && !all) {
    all = true;
    moved = false;
    for (size_t i = 0; i < state->workloads.size(); ++i) {
      WorkloadState& w = state->workloads[i];
      size_t& done = state->steps[i];
      for (const size_t count = StepsOf(*state, w); done < count; ++done) {
        const Step step = state->splits ? SplitStep(*state, &w, done) : WholeStep(w);
        if (step.needs > free) break;
        free += step.frees;
        moved = true;
      }
      all = all && done == StepsOf(*state, w);
    }
  }
  return all;
}

}  // namespace inlay::batch::sim
