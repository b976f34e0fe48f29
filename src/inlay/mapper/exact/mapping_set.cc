#include "inlay/mapper/exact/mapping_set.h"

#include <algorithm>
#include <cmath>

namespace inlay::exact_search {

OpenLanes ShareLanes(const MappingSet& set, uint64_t open_dims, double lanes_left,
                     Sharing* sharing) {
  if (sharing == nullptr || !sharing->applies() || open_dims == 0) return {};
  Sharing::LaneFloor floor;
  const int alone_dim = set.assumptions.alone_dim;
  if (alone_dim >= 0 && (open_dims >> alone_dim & 1) != 0) {
    const auto dim = static_cast<size_t>(alone_dim);
    const double lanes = set.rows[dim][set.layout.At(set.keep_case.levels - 1) + kAloneLanesLo];
    if (std::isfinite(lanes)) floor = {dim, static_cast<int64_t>(lanes)};
  }
  return {sharing, &sharing->Ways(open_dims, static_cast<int64_t>(lanes_left), floor), open_dims};
}

double FewestSteps(const MappingSet& set, double lanes_left) {
  const size_t levels = set.keep_case.levels;
  const size_t compute = set.layout.At(levels);
  const size_t distinct_lanes = compute + RowLayout::DistinctLanes(levels, 0, levels);
  double steps = 1, decided_steps = 1, open_operations = 1;
  for (const double* row : set.rows) {
    steps *= row[distinct_lanes];
    if (row[compute + kLanesLo] == row[compute + kLanesHi]) {
      decided_steps *= row[distinct_lanes];
    } else {
      open_operations *= row[compute + kTilesLo];
    }
  }
  const double shared = std::ceil(decided_steps * open_operations / lanes_left * (1 - 1e-12));
  return std::max(steps, shared);
}

}  // namespace inlay::exact_search
