#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

bool InFlight(const State& state, size_t workload) {
  const Channel& channel = state.channel;
  return channel.until != kNever && channel.content == Channel::Content::kWeights &&
         channel.workload == workload && !channel.orphan;
}

// That the current sub-batch needs next.
size_t CurrentBlock(const WorkloadState& w) {
  const size_t first = w.first_block[w.current.layer];
  if (!IsRunning(w)) return first;
  return first + static_cast<size_t>(w.progress.unit / w.progress.per_block);
}

void PointAt(WorkloadState* w, size_t layer) {
  w->fetch_layer = layer;
  w->fetch_block = w->first_block[layer];
}

void StepOn(WorkloadState* w) {
  ++w->fetch_block;
  if (w->fetch_block == w->first_block[w->fetch_layer + 1]) ++w->fetch_layer;
}

// Moves on to the next range where the current one is fetched. False if nothing may come now.
bool FindNext(const State& state, WorkloadState* w) {
  if (w->phase == Phase::kIdle) return false;
  const size_t end = FetchEnd(state, *w);
  if (w->fetch_range == 0 && w->fetch_layer == end) {
    const FetchRange next = NextFetchRange(state, *w);
    if (next.from == next.to) return false;
    w->fetch_range = 1;
    w->next_range = next;
    PointAt(w, next.from);
  }
  size_t ahead = w->fetch_layer - w->current.layer;
  if (w->fetch_range == 1) {
    if (w->fetch_layer == w->next_range.to) return false;
    // The current sub-batch needs it first.
    if (w->fetch_block >= CurrentBlock(*w) && w->fetch_layer < end) return false;
    ahead = end - w->current.layer + w->fetch_layer - w->next_range.from;
  }
  return static_cast<int64_t>(ahead) <= state.look_ahead_layers;
}

// From `first` to the cursor.
void KeepFetched(State* state, size_t workload, size_t first) {
  const WorkloadState& w = state->workloads[workload];
  for (size_t block = first; block < w.fetch_block; ++block) {
    if (InFlight(*state, workload) && state->channel.block == block) {
      state->channel.orphan = true;
    } else {
      state->memory.Keep(workload, block);
    }
  }
}

bool NeededAgain(const State& state, const WorkloadState& w) {
  if (!state.splits) return (*w.runs)[w.run].again;
  return !w.paused.empty() && w.paused.front().layer <= w.current.layer;
}

}  // namespace

size_t FetchEnd(const State& state, const WorkloadState& w) {
  return state.splits ? LayersOf(w) : (*w.runs)[w.run].to;
}

FetchRange NextFetchRange(const State& state, const WorkloadState& w) {
  if (state.splits && !w.paused.empty()) return {w.paused.back().layer, LayersOf(w), false};
  if (!state.splits && w.run + 1 < w.runs->size()) {
    const PlannedRun& run = (*w.runs)[w.run + 1];
    return {run.from, run.to, false};
  }
  const size_t next = w.request + 1;
  if (next == w.task->requests.size() || w.task->requests[next].arrival > state.now) return {};
  if (state.splits) return {0, LayersOf(w), true};
  return {0, w.runs_of.at(w.task->requests[next].inferences).front().to, true};
}

bool TakeWithoutFetching(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  bool took = false;
  while (FindNext(*state, &w)) {
    const int64_t bytes = state->memory.BlockBytes(w.fetch_block);
    if (bytes > 0 && !state->memory.IsKept(w.fetch_block)) break;
    if (bytes > 0 && !state->memory.MayClaim(workload, bytes)) break;
    state->memory.Claim(workload, w.fetch_block);
    StepOn(&w);
    took = true;
  }
  return took;
}

bool MayFetchBlock(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  return FindNext(*state, &w) &&
         state->memory.MayClaim(workload, state->memory.BlockBytes(w.fetch_block));
}

void ClaimNextBlock(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  state->memory.Claim(workload, w.fetch_block);
  StepOn(&w);
}

bool HasBlock(const State& state, size_t workload) {
  const WorkloadState& w = state.workloads[workload];
  const size_t block = CurrentBlock(w);
  if (w.fetch_range == 0 && w.fetch_block <= block) return false;
  return !(InFlight(state, workload) && state.channel.block == block && state.channel.range == 0);
}

void BeginNextRange(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (w.fetch_range == 1 && w.next_range.from != w.current.layer) ForgetNextRange(state, workload);
  if (w.fetch_range == 0) {
    PointAt(&w, w.current.layer);
    return;
  }
  w.fetch_range = 0;
  if (InFlight(*state, workload)) state->channel.range = 0;
}

void ForgetFetched(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  ForgetNextRange(state, workload);
  KeepFetched(state, workload, CurrentBlock(w));
  PointAt(&w, w.current.layer);
}

void ForgetNextRange(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (w.fetch_range == 0) return;
  KeepFetched(state, workload, w.first_block[w.next_range.from]);
  w.fetch_range = 0;
  PointAt(&w, FetchEnd(*state, w));
}

void FinishBlock(State* state, size_t workload) {
  const WorkloadState& w = state->workloads[workload];
  if (NeededAgain(*state, w)) {
    state->memory.Keep(workload, CurrentBlock(w));
  } else {
    state->memory.Release(workload, CurrentBlock(w));
  }
}

}  // namespace inlay::batch::sim
