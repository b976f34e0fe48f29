#include "inlay/batch/simulate.h"

#include <algorithm>

#include "inlay/batch/sim/state.h"

namespace inlay::batch {
namespace {

using sim::kNever;
using sim::Phase;
using sim::State;

// Debug builds; those that are optimised a little have large simulations to get through.
#if defined(NDEBUG) || defined(__OPTIMIZE__)
constexpr bool kAlwaysCheck = false;
#else
constexpr bool kAlwaysCheck = true;
#endif

void BeginArrived(State* state) {
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    const sim::WorkloadState& w = state->workloads[i];
    if (w.phase == Phase::kIdle && w.request < w.task->requests.size() &&
        w.task->requests[w.request].arrival <= state->now) {
      BeginRequest(state, i);
    }
  }
}

int64_t NextArrival(const State& state) {
  int64_t next = kNever;
  for (const sim::WorkloadState& w : state.workloads) {
    if (w.phase == Phase::kIdle && w.request < w.task->requests.size()) {
      next = std::min(next, w.task->requests[w.request].arrival);
    }
  }
  return next;
}

void EndFetch(State* state) {
  sim::Channel& channel = state->channel;
  channel.until = kNever;
  sim::WorkloadState& w = state->workloads[channel.workload];
  switch (channel.content) {
    case sim::Channel::Content::kInputs:
      w.progress.inputs_missing -= channel.bytes;
      break;
    case sim::Channel::Content::kStream:
      ++w.progress.streams_arrived;
      break;
    case sim::Channel::Content::kWeights:
      if (channel.orphan) state->memory.Keep(channel.workload, channel.block);
      break;
    case sim::Channel::Content::kSpill:
      break;
  }
}

void EndCompute(State* state) {
  state->arrays.until = kNever;
  EndSteps(state, state->arrays.workload, state->arrays.steps);
}

// Everything that takes no time, then work for idle engines.
void Settle(State* state) {
  const bool lazy = state->rules.advance == Advance::kSplitLazy && state->splits;
  for (;;) {
    bool moved = StartLayers(state);
    for (size_t i = 0; i < state->workloads.size(); ++i) {
      moved = TakeWithoutFetching(state, i) || moved;
      moved = EndUnits(state, i) || moved;
    }
    if (moved) continue;
    if (state->channel.until == kNever) PickFetch(state);
    if (state->arrays.until != kNever || PickCompute(state) || !lazy) return;
    state->may_split = true;
    const bool split = StartLayers(state);
    state->may_split = false;
    if (!split) return;
  }
}

void Occupancy(const State& state) {
  if (state.observer == nullptr) return;
  state.observer->Occupancy(state.now, state.memory.feature_map_bytes(),
                            state.memory.claimed() + state.memory.kept());
}

void Run(State* state) {
  std::optional<DeadlineWatch> watch;
  if (state->options.deadline != nullptr) watch.emplace(*state->options.deadline, 12);
  const bool check = kAlwaysCheck || state->options.check;
  while (state->unfinished > 0) {
    Settle(state);
    if (state->unfinished == 0) break;
    if (check) CheckInvariants(state);
    Occupancy(*state);
    const int64_t next = std::min({state->channel.until, state->arrays.until, NextArrival(*state)});
    if (next == kNever) {
      if (!ResolveDeadlock(state)) return;
      continue;
    }
    if (watch && watch->Passed()) {
      state->outcome.ending = Ending::kStopped;
      return;
    }
    state->now = next;
    ++state->outcome.events;
    if (state->arrays.until == next) EndCompute(state);
    if (state->channel.until == next) EndFetch(state);
    BeginArrived(state);
  }
  CheckEnd(*state);
}

}  // namespace

Outcome Simulate(const Task& task, const Rules& rules, const RunOptions& options) {
  State state(task, rules, options);
  BeginArrived(&state);
  Run(&state);
  Occupancy(state);
  state.outcome.makespan = state.now;
  state.outcome.peak_bytes = state.memory.peak();
  return std::move(state.outcome);
}

}  // namespace inlay::batch
