#pragma once

#include <cstdint>
#include <vector>

#include "inlay/batch/layer_table.h"
#include "inlay/batch/slice_plan.h"

namespace inlay::batch {

// A slice that goes through the layers [from, to) without a stop, and what it finds.
struct PlannedRun {
  int64_t n = 0;
  size_t from = 0, to = 0;
  int from_gate = -1, to_gate = -1;  // where it waited, and will wait: 0, 1; -1: nowhere
  int64_t others = 0;                // bytes that slices which wait at a gate hold meanwhile
  bool again = false;                // a later run goes through the same layers
  int64_t peak_after = 0;            // the most bytes in memory in any later run
  int64_t path_after = 0;            // of all later runs, see InferenceCosts::path
};

// The numbers of a plan with nothing left open: 0 < first ≤ second ≤ batch, gates in order.
struct Slices {
  int64_t batch = 0, first = 0, second = 0;
  size_t first_end = 0, second_end = 0;
};
Slices Resolve(const SlicePlan& plan, int64_t batch, size_t layers);

// What a batch does one after the other.
std::vector<PlannedRun> RunsOf(const Slices& slices, LayerTable* table);

}  // namespace inlay::batch
