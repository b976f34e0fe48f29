#include "inlay/cost/fused_walk/counter.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/cost_from_counts.h"
#include "inlay/cost/fused_walk/memory.h"

namespace inlay::fused_walk {
namespace {

constexpr double kMostCycles = 4e18;  // of one event

void Add(int64_t* sum, int64_t more) {
  const auto next = CheckedAdd(*sum, more);
  if (!next) throw Stopped{CountOverflow()};
  *sum = *next;
}

}  // namespace

Counter::Counter(const FusedProblem& problem, const Architecture& architecture, FusedCounts* counts)
    : problem_(problem),
      offchip_(architecture.levels[LevelId(0)]),
      pad_(architecture.levels[LevelId(1)]),
      levels_(architecture.levels.size()),
      lanes_(ComputeLanes(architecture)),
      counts_(counts) {}

void Counter::StartRun() {
  FusedRunCounts run;
  run.words.assign(levels_, IndexedVector<TensorId, Counts>(problem_.tensors.size()));
  run.level_cycles.assign(levels_, 0);
  counts_->runs.push_back(run);
}

Counts& Counter::At(size_t level, TensorId tensor) {
  return counts_->runs.back().words[LevelId(level)][tensor];
}

// Of the slowest.
int64_t Counter::CyclesAt(int64_t words, std::initializer_list<Rate> rates) const {
  double cycles = 0;
  for (const Rate& rate : rates) {
    if (rate) cycles = std::max(cycles, CyclesFor(static_cast<double>(words), *rate));
  }
  if (cycles > kMostCycles) throw Stopped{CountOverflow()};
  return static_cast<int64_t>(cycles);
}

void Counter::Enter(TensorId tensor, int64_t words) {
  if (words == 0) return;
  Add(&At(0, tensor).reads, words);
  Add(&At(1, tensor).fills, words);
  Add(&counts_->runs.back().sequential_cycles,
      CyclesAt(words, {offchip_.read_bandwidth, offchip_.shared_bandwidth, pad_.write_bandwidth,
                       pad_.shared_bandwidth}));
}

void Counter::Leave(TensorId tensor, int64_t words) {
  if (words == 0) return;
  Add(&At(1, tensor).drains, words);
  Add(&At(0, tensor).updates, words);
  Add(&counts_->runs.back().sequential_cycles,
      CyclesAt(words, {offchip_.write_bandwidth, offchip_.shared_bandwidth, pad_.read_bandwidth,
                       pad_.shared_bandwidth}));
}

void Counter::Execute(NodeId node, int64_t operations, const Cost& cost) {
  Add(&counts_->nodes[node].executions, 1);
  Add(&counts_->nodes[node].operations, operations);
  FusedRunCounts& run = counts_->runs.back();
  Add(&run.sequential_cycles, cost.cycles);
  Add(&run.compute_cycles, cost.compute_cycles);
  for (LevelId l : Ids(cost.levels)) {
    const size_t level = l.value() + 1;  // leaves do not have the off-chip level
    if (level > 1) Add(&run.level_cycles[LevelId(level)], cost.levels[l].cycles);
    for (TensorId t : Ids(cost.levels[l].tensors)) {
      const Counts& more = cost.levels[l].tensors[t].total;
      Counts& counts = At(level, problem_.nodes[node].operands[t.value()].tensor);
      Add(&counts.reads, more.reads);
      Add(&counts.fills, more.fills);
      Add(&counts.updates, more.updates);
      Add(&counts.drains, more.drains);
    }
  }
}

void Counter::ContinueSums(TensorId output, int64_t words) { Add(&At(1, output).reads, words); }

void Counter::UpdateRows(TensorId output, int64_t rows) {
  Add(&At(1, output).reads, 2 * rows);
  Add(&At(1, output).updates, 2 * rows);
}

void Counter::Scale(NodeId reader, int64_t words) {
  const TensorId output = OutputOf(problem_.nodes[reader]).tensor;
  Add(&counts_->nodes[reader].scalings, words);
  Add(&At(1, output).reads, words);
  Add(&At(1, output).updates, words);
  FusedRunCounts& run = counts_->runs.back();
  const int64_t compute = CeilDiv(words, lanes_);
  Add(&run.compute_cycles, compute);
  Add(&run.sequential_cycles,
      std::max({compute, CyclesAt(words, {pad_.read_bandwidth, pad_.write_bandwidth}),
                CyclesAt(2 * words, {pad_.shared_bandwidth})}));
}

}  // namespace inlay::fused_walk
