#include <algorithm>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

void Notify(const State& state, size_t workload, std::string_view what, size_t layer, int64_t n) {
  if (state.observer != nullptr) state.observer->SubBatch(state.now, workload, what, layer, n);
}

void EndRequest(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  const Request& request = w.task->requests[w.request];
  INLAY_CHECK(w.finished == request.inferences);
  state->outcome.finished[workload][w.request] = state->now;
  state->outcome.inferences += request.inferences;
  --state->unfinished;
  ++w.request;
  w.phase = Phase::kIdle;
  if (state->active == workload) state->active = state->workloads.size();
  if (w.request < w.task->requests.size() && w.task->requests[w.request].arrival <= state->now) {
    BeginRequest(state, workload);
  }
}

// The slice is at a gate or at the end; the next one follows.
void NextRun(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  const PlannedRun& done = (*w.runs)[w.run];
  if (done.to_gate < 0) {
    w.finished += done.n;
    Notify(*state, workload, "end", done.to, done.n);
  } else {
    w.at_gates[done.to_gate] += w.costs->held[done.to];
    Notify(*state, workload, "wait", done.to, done.n);
  }
  if (w.run + 1 == w.runs->size()) {
    EndRequest(state, workload);
    return;
  }
  const PlannedRun& next = (*w.runs)[++w.run];
  SetSubBatch(&w, {next.n, next.from, false});
  if (next.from_gate >= 0) {
    w.current_off_chip = std::exchange(w.off_gates[next.from_gate], 0);
    const int64_t on_chip = std::exchange(w.at_gates[next.from_gate], 0);
    INLAY_CHECK(on_chip + w.current_off_chip == w.costs->held[next.from]);
    Notify(*state, workload, "merge", next.from, next.n);
  }
  BeginNextRange(state, workload);
}

// The current sub-batch meets one that waits, or is at the end.
void MeetOrEnd(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (!w.waiting.empty() && w.waiting.back().layer == w.current.layer) {
    const SubBatch other = w.waiting.back();
    w.waiting.pop_back();
    if (other.spilled) {
      w.paused.push_back(other);
    } else {
      SetSubBatch(&w, {w.current.n + other.n, w.current.layer, false});
      ++state->outcome.merges;
      Notify(*state, workload, "merge", w.current.layer, w.current.n);
    }
  }
  if (w.current.layer < LayersOf(w)) return;
  w.finished += w.current.n;
  Notify(*state, workload, "end", w.current.layer, w.current.n);
  if (w.paused.empty()) {
    EndRequest(state, workload);
    return;
  }
  SetSubBatch(&w, w.paused.back());
  w.paused.pop_back();
  Notify(*state, workload, "resume", w.current.layer, w.current.n);
  BeginNextRange(state, workload);
}

}  // namespace

void BeginRequest(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  const Request& request = w.task->requests[w.request];
  w.runs = &w.runs_of.at(request.inferences);
  w.run = 0;
  w.finished = 0;
  SetSubBatch(&w, {state->splits ? request.inferences : w.runs->front().n, 0, false});
  w.phase = Phase::kBlocked;
  w.blocked_since = ++state->sequence;
  w.refused_at = -1;
  Notify(*state, workload, "begin", 0, w.current.n);
  BeginNextRange(state, workload);
}

void EndLayer(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  const size_t l = w.current.layer;
  const int64_t freed = w.costs->held[l] + w.costs->added[l] - w.costs->held[l + 1];
  w.computed[l] += w.current.n;
  if (state->observer != nullptr) {
    state->observer->Layer(state->now, workload, l, w.current.n, false);
  }
  w.feature_map_bytes -= freed;
  state->memory.RemoveMaps(freed);
  ++state->version;
  ++w.current.layer;
  w.phase = Phase::kBlocked;
  w.blocked_since = ++state->sequence;
  if (state->splits) {
    MeetOrEnd(state, workload);
  } else if (w.current.layer == (*w.runs)[w.run].to) {
    NextRun(state, workload);
  }
}

int64_t PathOf(const State& state, WorkloadState* w) {
  if (w->phase == Phase::kIdle) return 0;
  const size_t l = w->current.layer;
  const std::vector<int64_t>& path = w->costs->path;
  int64_t rest = path[l];
  if (IsRunning(*w)) {
    rest -= ShareEnd(path[l] - path[l + 1], w->progress.unit, w->progress.units);
  }
  if (!state.splits) {
    const PlannedRun& run = (*w->runs)[w->run];
    return rest - path[run.to] + run.path_after;
  }
  for (const std::vector<SubBatch>* all : {&w->paused, &w->waiting}) {
    for (const SubBatch& one : *all) rest += w->table->CostsOf(one.n).path[one.layer];
  }
  return rest;
}

}  // namespace inlay::batch::sim
