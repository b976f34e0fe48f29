#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

void PointAtProduct(const State& state, WorkloadState* w) {
  Progress& p = w->progress;
  const LayerProfile& layer = (*w->layers)[w->current.layer];
  if (p.product >= layer.products.size()) return;
  const FoldSteps work =
      FoldStepsOf(layer.products[p.product], state.task.accelerator, w->current.n);
  p.product_left = work.steps;
  p.step_cycles = work.cycles_per_step;
}

// Parts of no bytes need no fetch.
void SkipEmptyStreams(Progress* p) {
  while (p->streams_issued == p->streams_arrived && p->streams_issued < p->units &&
         ShareEnd(p->stream, p->streams_issued + 1, p->units) ==
             ShareEnd(p->stream, p->streams_issued, p->units)) {
    ++p->streams_issued;
    ++p->streams_arrived;
  }
}

}  // namespace

void BeginLayer(State* state, size_t workload, int64_t inputs) {
  WorkloadState& w = state->workloads[workload];
  const LayerProfile& layer = (*w.layers)[w.current.layer];
  const int64_t block_bytes = state->task.accelerator.block_bytes;
  const auto blocks = static_cast<int64_t>(BlocksOf(w, w.current.layer));
  Progress& p = w.progress;
  p = {};
  p.stream = w.current.n * layer.stream_bytes;
  p.per_block = std::max<int64_t>(1, CeilDiv(CeilDiv(p.stream, block_bytes), blocks));
  p.units = blocks * p.per_block;
  for (const Product& product : layer.products) {
    p.steps += FoldStepsOf(product, state->task.accelerator, w.current.n).steps;
  }
  p.unit_end = ShareEnd(p.steps, 1, p.units);
  p.inputs_to_fetch = p.inputs_missing = inputs;
  PointAtProduct(*state, &w);
  if (p.stream > 0) SkipEmptyStreams(&p);
}

bool UnitReady(const State& state, size_t workload) {
  const Progress& p = state.workloads[workload].progress;
  return p.inputs_missing == 0 && (p.stream == 0 || p.streams_arrived > p.unit) &&
         HasBlock(state, workload);
}

void EndSteps(State* state, size_t workload, int64_t steps) {
  WorkloadState& w = state->workloads[workload];
  Progress& p = w.progress;
  p.steps_done += steps;
  p.product_left -= steps;
  if (p.product_left > 0) return;
  ++p.product;
  PointAtProduct(*state, &w);
}

bool EndUnits(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  bool ended = false;
  while (IsRunning(w) && w.progress.steps_done == w.progress.unit_end &&
         UnitReady(*state, workload)) {
    Progress& p = w.progress;
    if ((p.unit + 1) % p.per_block == 0) FinishBlock(state, workload);
    ++p.unit;
    ended = true;
    if (p.unit == p.units) {
      EndLayer(state, workload);
    } else {
      p.unit_end = ShareEnd(p.steps, p.unit + 1, p.units);
      if (p.stream > 0) SkipEmptyStreams(&p);
    }
  }
  return ended;
}

}  // namespace inlay::batch::sim
