#include <algorithm>
#include <cstdlib>

#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

void Notify(const State& state, size_t workload, std::string_view what, const SubBatch& sub_batch) {
  if (state.observer != nullptr) {
    state.observer->SubBatch(state.now, workload, what, sub_batch.layer, sub_batch.n);
  }
}

// Bytes that come into memory when a sub-batch starts its layer.
int64_t Entering(WorkloadState* w, const SubBatch& sub_batch) {
  const InferenceCosts& costs = w->table->CostsOf(sub_batch.n);
  return costs.added[sub_batch.layer] +
         (sub_batch.spilled ? costs.held[sub_batch.layer] : w->current_off_chip);
}

// The sub-batch starts its layer, whatever the banker says of it; `rest` is paused before it. Only
// the workload's own state changes.
bool SafeAfter(State* state, size_t workload, const SubBatch& sub_batch, int64_t rest) {
  if (state->rules.on_deadlock != OnDeadlock::kAvoid || state->rules.unlimited_feature_maps)
    return true;
  WorkloadState& w = state->workloads[workload];
  const SubBatch before = w.current;
  const int64_t entering = Entering(&w, sub_batch);
  if (rest > 0) w.paused.push_back({rest, sub_batch.layer, sub_batch.spilled});
  SetSubBatch(&w, sub_batch);
  w.phase = Phase::kRunning;
  w.feature_map_bytes += entering;
  const bool safe = IsSafe(state);
  w.feature_map_bytes -= entering;
  w.phase = Phase::kBlocked;
  SetSubBatch(&w, before);
  if (rest > 0) w.paused.pop_back();
  return safe;
}

void Start(State* state, size_t workload, int64_t n) {
  WorkloadState& w = state->workloads[workload];
  const int64_t rest = w.current.n - n;
  if (rest > 0) {
    ForgetNextRange(state, workload);
    w.paused.push_back({rest, w.current.layer, w.current.spilled});
    ++state->version;
    ++state->outcome.splits;
    state->outcome.deepest_stack =
        std::max(state->outcome.deepest_stack, static_cast<int64_t>(w.paused.size()));
    Notify(*state, workload, "split", w.paused.back());
  }
  SetSubBatch(&w, {n, w.current.layer, w.current.spilled});
  const int64_t entering = Entering(&w, w.current);
  int64_t inputs = w.current.layer == 0 ? n * w.layers->front().live_bytes : 0;
  const int64_t back = w.current.spilled ? w.costs->held[w.current.layer] : w.current_off_chip;
  if (state->rules.free_spills) {
    state->outcome.fetched_bytes += back;
  } else {
    inputs += back;
  }
  w.current.spilled = false;
  w.current_off_chip = 0;
  w.feature_map_bytes += entering;
  state->memory.AddMaps(entering);
  w.phase = Phase::kRunning;
  if (state->observer != nullptr) {
    state->observer->Layer(state->now, workload, w.current.layer, n, true);
  }
  BeginLayer(state, workload, inputs);
}

// The most inferences of the current sub-batch for which there is room.
int64_t Fit(State* state, WorkloadState* w) {
  const int64_t room = state->memory.Room();
  const SubBatch& sub_batch = w->current;
  if (Entering(w, sub_batch) <= room) return sub_batch.n;
  if (sub_batch.n == 1) return 0;
  const int64_t one = Entering(w, {1, sub_batch.layer, sub_batch.spilled});
  const int64_t each = Entering(w, {2, sub_batch.layer, sub_batch.spilled}) - one;
  if (one > room) return 0;
  return std::min(sub_batch.n - 1, 1 + (each == 0 ? sub_batch.n : (room - one) / each));
}

// R8: the sub-batch paused last comes up to the current one, if that fits; true if it now is
// current or they are one.
bool Merge(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (!state->rules.merge || w.paused.empty() || w.current.spilled) return false;
  const SubBatch a = w.current, b = w.paused.back();
  const int64_t room = state->memory.Room();
  const InferenceCosts& both = w.table->CostsOf(a.n + b.n);
  const InferenceCosts& costs = w.table->CostsOf(b.n);
  if (a.layer == b.layer) {
    if (b.spilled || both.added[a.layer] > room) return false;
    ForgetNextRange(state, workload);
    w.paused.pop_back();
    SetSubBatch(&w, {a.n + b.n, a.layer, false});
    ++state->outcome.merges;
    ++state->version;
    Notify(*state, workload, "merge", w.current);
    return true;
  }
  const int64_t held = HeldBy(&w, b);
  const int64_t on_the_way = costs.Peak(b.layer, a.layer) - held;
  const int64_t together = both.added[a.layer] - (held - costs.held[a.layer]);
  if (std::max(on_the_way, together) > room) return false;
  w.paused.pop_back();
  w.waiting.push_back(a);
  SetSubBatch(&w, b);
  if (state->rules.on_deadlock == OnDeadlock::kAvoid && !state->rules.unlimited_feature_maps &&
      !IsSafe(state)) {
    w.waiting.pop_back();
    w.paused.push_back(b);
    SetSubBatch(&w, a);
    return false;
  }
  SetSubBatch(&w, a);  // whose blocks they are
  ForgetFetched(state, workload);
  SetSubBatch(&w, b);
  BeginNextRange(state, workload);
  ++state->version;
  Notify(*state, workload, "resume", b);
  return true;
}

// The largest part of `most` inferences that the banker lets start; 0 if none.
int64_t SafePart(State* state, size_t workload, int64_t most) {
  const SubBatch& sub_batch = state->workloads[workload].current;
  const auto safe = [&](int64_t n) {
    return SafeAfter(state, workload, {n, sub_batch.layer, sub_batch.spilled}, sub_batch.n - n);
  };
  if (safe(most)) return most;
  int64_t low = 0, high = most;  // low is safe or 0, high is not
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (safe(middle) ? low : high) = middle;
  }
  return low;
}

bool TryStartSplit(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  while (Merge(state, workload)) {
  }
  const auto others = static_cast<int64_t>(w.paused.size() + w.waiting.size());
  const bool divisible =
      state->may_split && (others < state->rules.cascade_depth || state->any_depth);
  const int64_t stamp = 2 * state->version + (divisible ? 1 : 0);
  if (w.refused_at == stamp) return false;
  const int64_t fit = Fit(state, &w);
  if (fit == 0 || (fit < w.current.n && !divisible)) return false;
  int64_t n = fit;
  if (divisible) {
    n = SafePart(state, workload, fit);
  } else if (!SafeAfter(state, workload, w.current, 0)) {
    n = 0;
  }
  if (n == 0) {
    w.refused_at = stamp;
    return false;
  }
  Start(state, workload, n);
  return true;
}

bool TryStart(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (state->splits) return TryStartSplit(state, workload);
  if (Entering(&w, w.current) > state->memory.Room()) return false;
  if (w.refused_at == state->version) return false;
  if (!SafeAfter(state, workload, w.current, 0)) {
    w.refused_at = state->version;
    return false;
  }
  Start(state, workload, w.current.n);
  return true;
}

// Blocked workloads, the one that waits longest first.
void ListBlocked(State* state) {
  state->order.clear();
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    if (state->workloads[i].phase == Phase::kBlocked) state->order.push_back(i);
  }
  std::sort(state->order.begin(), state->order.end(), [&](size_t a, size_t b) {
    return state->workloads[a].blocked_since < state->workloads[b].blocked_since;
  });
}

bool StartSerial(State* state) {
  if (state->active == state->workloads.size()) {
    int64_t first = kNever;
    for (size_t i = 0; i < state->workloads.size(); ++i) {
      const WorkloadState& w = state->workloads[i];
      if (w.phase == Phase::kIdle || w.task->requests[w.request].arrival >= first) continue;
      first = w.task->requests[w.request].arrival;
      state->active = i;
    }
    if (state->active == state->workloads.size()) return false;
  }
  return state->workloads[state->active].phase == Phase::kBlocked && TryStart(state, state->active);
}

// One layer at a time: the one after which fetching and computing are closest.
bool StartInterleaved(State* state) {
  for (const WorkloadState& w : state->workloads) {
    if (IsRunning(w)) return false;
  }
  ListBlocked(state);
  const auto change = [&](size_t i) {
    const WorkloadState& w = state->workloads[i];
    const int64_t bytes = (*w.layers)[w.current.layer].weight_bytes;
    return w.costs->cycles[w.current.layer] - FetchCycles(*state, bytes);
  };
  std::sort(state->order.begin(), state->order.end(), [&](size_t a, size_t b) {
    const int64_t of_a = std::abs(state->balance + change(a));
    const int64_t of_b = std::abs(state->balance + change(b));
    return of_a != of_b ? of_a < of_b : a < b;
  });
  for (const size_t i : state->order) {
    const int64_t by = change(i);
    if (!TryStart(state, i)) continue;
    state->balance += by;
    return true;
  }
  return false;
}

}  // namespace

bool StartAnyLayer(State* state) {
  ListBlocked(state);
  for (size_t i = 0; i < state->order.size(); ++i) {
    if (TryStart(state, state->order[i])) return true;
  }
  return false;
}

bool StartLayers(State* state) {
  if (state->rules.advance == Advance::kSerial) return StartSerial(state);
  if (state->rules.advance == Advance::kInterleave) return StartInterleaved(state);
  ListBlocked(state);
  bool started = false;
  for (size_t i = 0; i < state->order.size(); ++i) {
    const bool starts = TryStart(state, state->order[i]);
    started = started || starts;
    if (!starts && !state->rules.bypass) break;
  }
  return started;
}

int64_t WantedBytes(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  return Entering(&w, {state->splits ? 1 : w.current.n, w.current.layer, w.current.spilled});
}

}  // namespace inlay::batch::sim
