#include "inlay/base/check.h"
#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

void CheckPieces(State* state, WorkloadState* w) {
  int64_t n = w->finished + (w->phase == Phase::kIdle ? 0 : w->current.n);
  int64_t feature_map_bytes = w->at_gates[0] + w->at_gates[1];
  if (w->phase != Phase::kIdle) {
    const size_t l = w->current.layer;
    INLAY_CHECK(l < LayersOf(*w) && w->costs == &w->table->CostsOf(w->current.n));
    feature_map_bytes += HeldBy(w, w->current) + (IsRunning(*w) ? w->costs->added[l] : 0);
  }
  size_t below = 0;
  for (const SubBatch& sub_batch : w->paused) {
    INLAY_CHECK(sub_batch.n > 0 && sub_batch.layer >= below && sub_batch.layer <= w->current.layer);
    below = sub_batch.layer;
    n += sub_batch.n;
    feature_map_bytes += HeldBy(w, sub_batch);
  }
  size_t above = LayersOf(*w);
  for (const SubBatch& sub_batch : w->waiting) {
    INLAY_CHECK(sub_batch.n > 0 && sub_batch.layer < above && sub_batch.layer > w->current.layer);
    above = sub_batch.layer;
    n += sub_batch.n;
    feature_map_bytes += HeldBy(w, sub_batch);
  }
  INLAY_CHECK(feature_map_bytes == w->feature_map_bytes);
  if (state->splits && w->phase != Phase::kIdle) {
    INLAY_CHECK(n == w->task->requests[w->request].inferences);
  }
}

// What is claimed is what was fetched for the two ranges and is not done.
void CheckBlocks(const State& state, size_t workload) {
  const WorkloadState& w = state.workloads[workload];
  int64_t claimed = 0;
  const auto add = [&](size_t from, size_t to) {
    for (size_t b = from; b < to; ++b) claimed += state.memory.BlockBytes(b);
  };
  if (w.phase != Phase::kIdle) {
    size_t current = w.first_block[w.current.layer];
    if (IsRunning(w)) current += static_cast<size_t>(w.progress.unit / w.progress.per_block);
    const size_t end = w.first_block[FetchEnd(state, w)];
    add(current, w.fetch_range == 1 ? end : w.fetch_block);
    if (w.fetch_range == 1) add(w.first_block[w.next_range.from], w.fetch_block);
  }
  const Channel& channel = state.channel;
  if (channel.until != kNever && channel.content == Channel::Content::kWeights &&
      channel.workload == workload && channel.orphan) {
    claimed += channel.bytes;
  }
  INLAY_CHECK(claimed == state.memory.claimed(workload));
}

}  // namespace

void CheckInvariants(State* state) {
  state->memory.Check();
  int64_t feature_map_bytes = 0;
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    CheckPieces(state, &state->workloads[i]);
    CheckBlocks(*state, i);
    feature_map_bytes += state->workloads[i].feature_map_bytes;
  }
  INLAY_CHECK(feature_map_bytes == state->memory.feature_map_bytes());
}

void CheckEnd(const State& state) {
  INLAY_CHECK(state.memory.feature_map_bytes() == 0 && state.memory.claimed() == 0 &&
              state.memory.kept() == 0);
  for (const WorkloadState& w : state.workloads) {
    int64_t all = 0;
    for (const Request& request : w.task->requests) all += request.inferences;
    for (const int64_t computed : w.computed) INLAY_CHECK(computed == all);
  }
}

}  // namespace inlay::batch::sim
