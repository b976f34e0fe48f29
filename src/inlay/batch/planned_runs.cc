#include "inlay/batch/planned_runs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::batch {

Slices Resolve(const SlicePlan& plan, int64_t batch, size_t layers) {
  Slices slices;
  slices.batch = batch;
  slices.second = plan.second <= 0 ? batch : std::min(plan.second, batch);
  slices.first = plan.first <= 0 ? slices.second : std::min(plan.first, slices.second);
  slices.second_end = std::min(plan.second_end, layers);
  slices.first_end = std::min(plan.first_end, layers);
  slices.second_end = std::max(slices.second_end, slices.first_end);
  return slices;
}

namespace {

void AddWhatFollows(std::vector<PlannedRun>* runs, LayerTable* table) {
  std::array<bool, 3> seen = {};  // runs that begin at the start, the first, the second gate
  for (size_t i = runs->size(); i-- > 0;) {
    PlannedRun& run = (*runs)[i];
    const int begins = run.from_gate + 1;
    bool& before = seen[static_cast<size_t>(begins)];
    run.again = std::exchange(before, true);
    if (i + 1 == runs->size()) continue;
    const PlannedRun& next = (*runs)[i + 1];
    const InferenceCosts& costs = table->CostsOf(next.n);
    run.peak_after =
        std::max(next.peak_after, SaturatingAdd(next.others, costs.Peak(next.from, next.to)));
    run.path_after = SaturatingAdd(next.path_after, costs.path[next.from] - costs.path[next.to]);
  }
}

}  // namespace

std::vector<PlannedRun> RunsOf(const Slices& slices, LayerTable* table) {
  std::vector<PlannedRun> runs;
  const size_t layers = table->layers();
  const auto add = [&](int64_t n, size_t from, size_t to, int from_gate, int64_t others) {
    if (from == to) return;
    const int to_gate = to == layers ? -1 : to == slices.second_end ? 1 : 0;
    runs.push_back({n, from, to, from_gate, to_gate, others, false, 0, 0});
  };
  int64_t behind = 0;  // held by the groups that wait at the second gate
  for (int64_t done = 0; done < slices.batch; done += slices.second) {
    const int64_t group = std::min(slices.second, slices.batch - done);
    int64_t waiting = 0;  // held by the slices of this group that wait at the first
    for (int64_t part = 0; part < group && slices.first_end > 0; part += slices.first) {
      const int64_t n = std::min(slices.first, group - part);
      add(n, 0, slices.first_end, -1, SaturatingAdd(behind, waiting));
      waiting = SaturatingAdd(waiting, table->CostsOf(n).held[slices.first_end]);
    }
    add(group, slices.first_end, slices.second_end, slices.first_end > 0 ? 0 : -1, behind);
    behind = SaturatingAdd(behind, table->CostsOf(group).held[slices.second_end]);
  }
  add(slices.batch, slices.second_end, layers, slices.second_end > 0 ? 1 : -1, 0);
  AddWhatFollows(&runs, table);
  return runs;
}

}  // namespace inlay::batch
