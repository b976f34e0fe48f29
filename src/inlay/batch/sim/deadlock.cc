#include <utility>

#include "inlay/base/check.h"
#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

// Weights that were fetched ahead give way to maps.
bool DropFetched(State* state) {
  bool dropped = false;
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    if (state->memory.claimed(i) == 0) continue;
    ForgetFetched(state, i);
    dropped = true;
  }
  return dropped;
}

// Writes out what holds the most: a sub-batch, or all that wait at a gate. A workload that splits
// has one paused or waiting sub-batch written first, so that its current one can go on.
int64_t SpillOne(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  SubBatch* largest = nullptr;
  int64_t most = 0;
  for (std::vector<SubBatch>* all : {&w.paused, &w.waiting}) {
    for (SubBatch& sub_batch : *all) {
      if (HeldBy(&w, sub_batch) <= most) continue;
      most = HeldBy(&w, sub_batch);
      largest = &sub_batch;
    }
  }
  if (largest == nullptr) {
    const int gate = w.at_gates[0] > w.at_gates[1] ? 0 : 1;
    most = HeldBy(&w, w.current);
    if (w.at_gates[gate] > most) {
      const int64_t bytes = std::exchange(w.at_gates[gate], 0);
      w.off_gates[gate] += bytes;
      return bytes;
    }
    largest = &w.current;
    w.current_off_chip = 0;  // off chip like all of the sub-batch, which is spilled below
  }
  if (most > 0) largest->spilled = true;
  return most;
}

bool Spill(State* state) {
  size_t holder = state->workloads.size();
  int64_t most = 0;
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    if (state->workloads[i].feature_map_bytes <= most) continue;
    most = state->workloads[i].feature_map_bytes;
    holder = i;
  }
  if (holder == state->workloads.size()) return false;
  WorkloadState& w = state->workloads[holder];
  const int64_t bytes = SpillOne(state, holder);
  INLAY_CHECK(bytes > 0);
  w.feature_map_bytes -= bytes;
  state->memory.RemoveMaps(bytes);
  ++state->version;
  ++state->outcome.spills;
  state->outcome.spilled_bytes += bytes;
  state->outcome.fetched_bytes += bytes;
  Channel& channel = state->channel;
  channel.content = Channel::Content::kSpill;
  channel.workload = holder;
  channel.bytes = bytes;
  channel.orphan = false;
  channel.until = state->now + (state->rules.free_spills ? 0 : FetchCycles(*state, bytes));
  if (state->observer != nullptr) {
    state->observer->Fetch(state->now, channel.until, holder, w.current.layer, bytes);
    state->observer->SubBatch(state->now, holder, "spill", w.current.layer, w.current.n);
  }
  return true;
}

void ReportDeadlock(State* state) {
  state->outcome.ending = Ending::kDeadlock;
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    const WorkloadState& w = state->workloads[i];
    if (w.phase == Phase::kIdle) continue;
    state->outcome.deadlock.push_back({i, w.current.layer, w.current.n, w.feature_map_bytes,
                                       WantedBytes(state, i) - state->memory.Room()});
  }
}

}  // namespace

bool ResolveDeadlock(State* state) {
  const bool may_split = std::exchange(state->may_split, true);
  bool started = DropFetched(state) && StartLayers(state);
  // The banker's check guarantees that some workload can start a layer, though it may not be its
  // turn.
  if (!started && state->rules.on_deadlock == OnDeadlock::kAvoid) {
    started = StartAnyLayer(state);
    INLAY_CHECK(started);
  }
  if (!started && state->rules.on_deadlock == OnDeadlock::kSpill) {
    if (Spill(state)) {
      started = true;
    } else {
      state->any_depth = true;
      started = StartAnyLayer(state);
      state->any_depth = false;
    }
  }
  state->may_split = may_split;
  if (started) return true;
  ReportDeadlock(state);
  return false;
}

}  // namespace inlay::batch::sim
