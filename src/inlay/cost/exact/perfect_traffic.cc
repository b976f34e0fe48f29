#include <algorithm>
#include <cstdlib>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/exact/traffic.h"

namespace inlay::exact {

template <typename Int>
void PerfectTraffic<Int>::Begin(const Tables& tables, const FlatNest& nest) {
  steps_outside_.resize(nest.loops.size() + 1);
  lanes_outside_.resize(nest.loops.size() + 1);
  int64_t lanes = 1;
  int64_t steps = 1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    steps_outside_[i] = steps;
    lanes_outside_[i] = lanes;
    (nest.loops[i].spatial ? lanes : steps) *= nest.loops[i].trips;
  }
  steps_outside_.back() = steps;
  lanes_outside_.back() = lanes;
  displacement_.resize(tables.ranks.size());
  moved_.resize(tables.tensors);
}

// Groups of lanes below one instance of `outer`.
template <typename Int>
int64_t PerfectTraffic<Int>::GroupsBetween(const Tables& tables, const FlatNest& nest,
                                           size_t tensor, size_t outer, size_t child) {
  int64_t groups = 1;
  int unrolled = 0;  // dimensions of ranks that have several
  size_t last_dim = ~size_t{0};
  for (size_t i = nest.above[outer]; i < nest.above[child]; ++i) {
    const FlatLoop& loop = nest.loops[i];
    if (!loop.spatial) continue;
    const int rank = tables.rank_of[tensor * tables.dims + loop.dim];
    if (rank < 0) continue;
    groups *= loop.trips;
    if (tables.ranks[static_cast<size_t>(rank)].size() > 1 && loop.dim != last_dim) {
      ++unrolled;
      last_dim = loop.dim;
    }
  }
  if (unrolled < 2) return groups;
  groups = 1;
  for (size_t r = tables.rank_begin[tensor]; r < tables.rank_begin[tensor + 1]; ++r) {
    groups *= lane_offsets_.Distinct(tables, nest, r, outer, child);
  }
  return groups;
}

template <typename Int>
int64_t PerfectTraffic<Int>::Compute(const Tables& tables, const FlatNest& nest, size_t child,
                                     const std::vector<size_t>& outer,
                                     std::vector<Traffic<Int>>* traffic) {
  const size_t loops = nest.above[child];
  const int64_t* extent = nest.ExtentsOf(tables, child);
  const int64_t lanes = lanes_outside_[loops];
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    const size_t begin = tables.rank_begin[t], end = tables.rank_begin[t + 1];
    int64_t tile = 1;
    for (size_t r = begin; r < end; ++r) {
      tile *= extent[r];
      displacement_[r] = 0;
    }
    const int* rank_of = &tables.rank_of[t * tables.dims];
    const int64_t* coefficient_of = &tables.coefficient_of[t * tables.dims];
    Int words = tile;  // the first step
    bool moved = false;
    for (size_t i = loops; i-- > 0;) {
      const FlatLoop& loop = nest.loops[i];
      if (loop.spatial) continue;
      const int rank = rank_of[loop.dim];
      int64_t overlap = 1;
      if (rank < 0) {
        if (!moved) continue;
        for (size_t r = begin; r < end; ++r) {
          overlap *= std::max<int64_t>(0, extent[r] - std::abs(displacement_[r]));
        }
      } else {
        moved = true;
        int64_t& displacement = displacement_[static_cast<size_t>(rank)];
        const int64_t reach = coefficient_of[loop.dim] * loop.step;
        displacement -= reach;
        for (size_t r = begin; r < end; ++r) {
          overlap *= std::max<int64_t>(0, extent[r] - std::abs(displacement_[r]));
        }
        displacement += reach * loop.trips;
      }
      words += Int{steps_outside_[i]} * (loop.trips - 1) * (tile - overlap);
    }
    const Int groups =
        Int{lanes_outside_[nest.above[outer[t]]]} * GroupsBetween(tables, nest, t, outer[t], child);
    Traffic<Int>& result = (*traffic)[t];
    result.lanes = words * lanes;
    result.groups = words * groups;
    if (t != tables.output) continue;
    result.distinct = groups * tile;
    for (size_t i = 0; i < loops; ++i) {
      const FlatLoop& loop = nest.loops[i];
      if (!loop.spatial && rank_of[loop.dim] >= 0) result.distinct *= loop.trips;
    }
  }
  return lanes;
}

template <typename Int>
Int PerfectTraffic<Int>::Operands(const Tables& tables, const FlatNest& nest, size_t tensor,
                                  size_t outer) {
  const size_t compute = nest.above.size() - 1;
  return Int{steps_outside_.back()} * lanes_outside_[nest.above[outer]] *
         GroupsBetween(tables, nest, tensor, outer, compute);
}

template class PerfectTraffic<int64_t>;
template class PerfectTraffic<Int128>;

}  // namespace inlay::exact
