#include <algorithm>

#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

// What a workload would fetch next.
struct Candidate {
  Channel::Content content = Channel::Content::kWeights;
  int64_t bytes = 0;    // 0: nothing
  bool urgent = false;  // goes before all that are not
};

Candidate CandidateOf(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (state->rules.advance == Advance::kSerial && state->active != workload) return {};
  const int64_t block_bytes = state->task.accelerator.block_bytes;
  if (IsRunning(w)) {
    const Progress& p = w.progress;
    if (p.inputs_to_fetch > 0) {
      return {Channel::Content::kInputs, std::min(p.inputs_to_fetch, block_bytes), true};
    }
    // Two pieces at a time: one is computed while the other comes. They follow their block.
    const auto block =
        w.first_block[w.current.layer] + static_cast<size_t>(p.streams_issued / p.per_block);
    if (p.stream > 0 && p.streams_issued < std::min(p.units, p.unit + 2) &&
        (w.fetch_range == 1 || w.fetch_block > block)) {
      return {Channel::Content::kStream,
              ShareEnd(p.stream, p.streams_issued + 1, p.units) -
                  ShareEnd(p.stream, p.streams_issued, p.units),
              true};
    }
  }
  if (!MayFetchBlock(state, workload)) return {};
  // Layers that have started go first; by longest path, workloads that no memory keeps from
  // starting.
  const bool started = w.fetch_range == 0 && w.fetch_layer == w.current.layer;
  const bool urgent = IsRunning(w) && (started || state->rules.order == Order::kLongestPath);
  return {Channel::Content::kWeights, state->memory.BlockBytes(w.fetch_block), urgent};
}

// Compute cycles that a byte of the candidate makes possible.
double CyclesPerByte(const WorkloadState& w, const Candidate& candidate) {
  const size_t l =
      candidate.content == Channel::Content::kWeights ? w.fetch_layer : w.current.layer;
  const LayerProfile& layer = (*w.layers)[l];
  int64_t bytes = layer.weight_bytes + w.current.n * layer.stream_bytes;
  if (l == 0) bytes += w.current.n * layer.live_bytes;
  return static_cast<double>(w.costs->cycles[l]) / static_cast<double>(std::max<int64_t>(bytes, 1));
}

// Cycles of what is on chip and will not have to wait for more than its turn.
int64_t ReadyCycles(const WorkloadState& w) {
  if (!IsRunning(w)) return 0;
  const auto before = [&w](size_t layer, size_t block) {
    const auto blocks = static_cast<int64_t>(BlocksOf(w, layer));
    return w.costs->cycles_before[layer] +
           ShareEnd(w.costs->cycles[layer], static_cast<int64_t>(block - w.first_block[layer]),
                    blocks);
  };
  const int64_t done =
      w.costs->cycles_before[w.current.layer] +
      ShareEnd(w.costs->cycles[w.current.layer], w.progress.unit, w.progress.units);
  const bool all = w.fetch_range == 1 || w.fetch_layer == LayersOf(w);
  const size_t end = w.fetch_range == 1 ? (*w.runs)[w.run].to : w.fetch_layer;
  return (all ? w.costs->cycles_before[std::min(end, LayersOf(w))] : before(end, w.fetch_block)) -
         done;
}

bool SomeoneIsBlocked(const State& state) {
  return std::any_of(state.workloads.begin(), state.workloads.end(),
                     [](const WorkloadState& w) { return w.phase == Phase::kBlocked; });
}

void Fetch(State* state, size_t workload, const Candidate& candidate) {
  WorkloadState& w = state->workloads[workload];
  Channel& channel = state->channel;
  channel.content = candidate.content;
  channel.workload = workload;
  channel.bytes = candidate.bytes;
  channel.orphan = false;
  channel.until = state->now + FetchCycles(*state, candidate.bytes);
  size_t layer = w.current.layer;
  state->outcome.fetched_bytes += candidate.bytes;
  if (candidate.content == Channel::Content::kInputs) {
    w.progress.inputs_to_fetch -= candidate.bytes;
  } else if (candidate.content == Channel::Content::kStream) {
    ++w.progress.streams_issued;
    state->outcome.streamed_bytes += candidate.bytes;
  } else {
    layer = w.fetch_layer;
    channel.block = w.fetch_block;
    channel.range = w.fetch_range;
    const size_t request = w.request + (w.fetch_range == 1 && w.next_range.next_request ? 2 : 1);
    size_t& seen = w.seen[w.fetch_block - w.first_block.front()];
    if (seen == request) state->outcome.refetched_bytes += candidate.bytes;
    seen = request;
    ClaimNextBlock(state, workload);
  }
  if (state->observer != nullptr) {
    state->observer->Fetch(state->now, channel.until, workload, layer, candidate.bytes);
  }
}

void Compute(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  const Progress& p = w.progress;
  const int64_t cut = std::max<int64_t>(1, state->rules.cut_cycles / p.step_cycles);
  const int64_t steps = std::min({p.unit_end - p.steps_done, p.product_left, cut});
  state->arrays = {state->now + steps * p.step_cycles, workload, steps};
  state->outcome.busy += steps * p.step_cycles;
  if (state->observer != nullptr) {
    state->observer->Compute(state->now, state->arrays.until, workload, w.current.layer,
                             w.current.n);
  }
}

bool ComputeReady(const State& state, size_t workload) {
  return IsRunning(state.workloads[workload]) && UnitReady(state, workload);
}

}  // namespace

bool PickFetch(State* state) {
  const size_t count = state->workloads.size();
  const Order order = state->rules.order;
  size_t best = count;
  Candidate chosen;
  int64_t longest = 0, ready = 0;
  if (order != Order::kRoundRobin) {
    for (const WorkloadState& w : state->workloads) ready += ReadyCycles(w);
    longest = FetchCycles(*state, state->task.accelerator.block_bytes);
  }
  const bool hungry = ready < longest;
  double best_value = 0;
  for (size_t k = 0; k < count; ++k) {
    const size_t i = order == Order::kLongestPath ? k : (state->turn_fetch + k) % count;
    const Candidate candidate = CandidateOf(state, i);
    if (candidate.bytes == 0) continue;
    WorkloadState& w = state->workloads[i];
    double value = 0;
    if (order == Order::kLongestPath) {
      value = hungry ? CyclesPerByte(w, candidate) : static_cast<double>(PathOf(*state, &w));
    } else if (order == Order::kAiMt) {
      value = hungry ? CyclesPerByte(w, candidate) : -CyclesPerByte(w, candidate);
    }
    if (best == count ||
        (candidate.urgent != chosen.urgent ? candidate.urgent : value > best_value)) {
      best = i;
      chosen = candidate;
      best_value = value;
    }
  }
  if (best == count) return false;
  state->turn_fetch = (best + 1) % count;
  Fetch(state, best, chosen);
  return true;
}

bool PickCompute(State* state) {
  const size_t count = state->workloads.size();
  const Order order = state->rules.order;
  const bool early = order == Order::kAiMt && SomeoneIsBlocked(*state);
  // The channel stands still for want of space: what frees most of it soonest goes first. Work that
  // needs little from the channel is left for the end, where it keeps the arrays busy.
  const bool dual = order == Order::kLongestPath && state->channel.until == kNever;
  const bool in_turn = order == Order::kRoundRobin || (order == Order::kAiMt && !early);
  size_t best = count;
  double best_value = 0;
  for (size_t k = 0; k < count; ++k) {
    const size_t i = in_turn ? (state->turn_compute + k) % count : k;
    if (!ComputeReady(*state, i)) continue;
    WorkloadState& w = state->workloads[i];
    double value = 0;
    if (early) {
      const Progress& p = w.progress;
      value = -static_cast<double>(
          ShareEnd(w.costs->cycles[w.current.layer], p.units - p.unit, p.units));
    } else if (dual) {
      value = -CyclesPerByte(w, {Channel::Content::kInputs, 0, true});
    } else if (order == Order::kLongestPath) {
      value = static_cast<double>(PathOf(*state, &w));
    }
    if (best == count || value > best_value) {
      best = i;
      best_value = value;
    }
    if (in_turn) break;
  }
  if (best == count) return false;
  state->turn_compute = (best + 1) % count;
  Compute(state, best);
  return true;
}

}  // namespace inlay::batch::sim
