#include <algorithm>
#include <cstdlib>

#include "inlay/base/checked.h"
#include "inlay/cost/traffic.h"

namespace inlay::exact {

// Distinct values of Σ coefficient × offset over the lanes between two levels, for one rank. The
// same at every step.
template <typename Int>
int64_t PerfectTraffic<Int>::DistinctOffsets(const Tables& tables, const FlatNest& nest,
                                             size_t rank, size_t outer, size_t child) {
  // Lanes of one dimension lie at equal distances unless a temporal loop stands between two spatial
  // ones.
  struct Progression {
    int64_t step = 1, count = 1;
    bool regular = true;
  };
  Progression first, second;
  size_t unrolled = 0;
  int64_t product = 1;
  bool regular = true;
  for (const Tables::FlatTerm& term : tables.ranks[rank]) {
    Progression lanes;
    for (size_t i : nest.chain[term.dim]) {
      const FlatLoop& loop = nest.loops[i];
      if (!loop.spatial || loop.level < outer || loop.level >= child) continue;
      const int64_t step = loop.step * term.coefficient;
      if (lanes.count > 1 && lanes.step != step * loop.trips) regular = false;
      lanes.step = step;
      lanes.count *= loop.trips;
    }
    if (lanes.count == 1) continue;
    product *= lanes.count;
    (unrolled == 0 ? first : second) = lanes;
    ++unrolled;
  }
  if (unrolled < 2) return product;
  if (unrolled == 2 && regular) {
    return DistinctSums(first.step, first.count, second.step, second.count);
  }
  offsets_.assign(1, 0);
  for (const Tables::FlatTerm& term : tables.ranks[rank]) {
    for (size_t i : nest.chain[term.dim]) {
      const FlatLoop& loop = nest.loops[i];
      if (!loop.spatial || loop.level < outer || loop.level >= child) continue;
      sums_.clear();
      for (int64_t k = 0; k < loop.trips; ++k) {
        for (int64_t offset : offsets_) sums_.push_back(offset + k * loop.step * term.coefficient);
      }
      std::sort(sums_.begin(), sums_.end());
      sums_.erase(std::unique(sums_.begin(), sums_.end()), sums_.end());
      std::swap(offsets_, sums_);
    }
  }
  return static_cast<int64_t>(offsets_.size());
}

// Groups of lanes below one instance of `outer`.
template <typename Int>
int64_t PerfectTraffic<Int>::GroupsBetween(const Tables& tables, const FlatNest& nest,
                                           size_t tensor, size_t outer, size_t child) {
  int64_t groups = 1;
  bool several = false;  // is there more than one unrolled dimension in some rank?
  int last_rank = -1;
  size_t last_dim = 0;
  for (size_t i = nest.above[outer]; i < nest.above[child]; ++i) {
    const FlatLoop& loop = nest.loops[i];
    if (!loop.spatial) continue;
    const int rank = tables.rank_of[tensor * tables.dims + loop.dim];
    if (rank < 0) continue;
    groups *= loop.trips;
    if (tables.ranks[static_cast<size_t>(rank)].size() > 1) {
      several = several || (last_rank >= 0 && (last_rank != rank || last_dim != loop.dim));
      last_rank = rank;
      last_dim = loop.dim;
    }
  }
  if (!several) return groups;
  groups = 1;
  for (size_t r = tables.rank_begin[tensor]; r < tables.rank_begin[tensor + 1]; ++r) {
    groups *= DistinctOffsets(tables, nest, r, outer, child);
  }
  return groups;
}

template <typename Int>
int64_t PerfectTraffic<Int>::Compute(const Tables& tables, const FlatNest& nest, size_t child,
                                     const std::vector<size_t>& outer,
                                     std::vector<Traffic<Int>>* traffic) {
  const size_t loops = nest.above[child];
  steps_outside_.resize(loops + 1);
  int64_t lanes = 1;
  int64_t steps = 1;
  for (size_t i = 0; i < loops; ++i) {
    steps_outside_[i] = steps;
    (nest.loops[i].spatial ? lanes : steps) *= nest.loops[i].trips;
  }
  extent_.resize(tables.ranks.size());
  displacement_.assign(tables.ranks.size(), 0);
  tile_.resize(tables.tensors);
  moved_.assign(tables.tensors, 0);
  const int64_t* size = &nest.tile[child * tables.dims];
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    int64_t words = 1;
    for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1]; ++r) {
      int64_t extent = 1;
      for (const Tables::FlatTerm& term : tables.ranks[r]) {
        extent += term.coefficient * (size[term.dim] - 1);
      }
      extent_[r] = extent;
      words *= extent;
    }
    tile_[t] = words;
    (*traffic)[t].lanes = words;  // the first step
  }
  for (size_t i = loops; i-- > 0;) {
    const FlatLoop& loop = nest.loops[i];
    if (loop.spatial) continue;
    const Int times = Int(steps_outside_[i]) * (loop.trips - 1);
    for (size_t t = 0; t < tables.tensors; ++t) {
      if (outer[t] == kNoLevel) continue;
      const size_t slot = t * tables.dims + loop.dim;
      const int rank = tables.rank_of[slot];
      if (rank >= 0) {
        displacement_[static_cast<size_t>(rank)] -= tables.coefficient_of[slot] * loop.step;
        moved_[t] = 1;
      } else if (moved_[t] == 0) {
        continue;
      }
      int64_t overlap = 1;
      for (size_t r = tables.rank_begin[t]; r < tables.rank_begin[t + 1] && overlap > 0; ++r) {
        overlap *= std::max<int64_t>(0, extent_[r] - std::abs(displacement_[r]));
      }
      (*traffic)[t].lanes += times * (tile_[t] - overlap);
      if (rank >= 0) {
        displacement_[static_cast<size_t>(rank)] +=
            tables.coefficient_of[slot] * loop.step * loop.trips;
      }
    }
  }
  for (size_t t = 0; t < tables.tensors; ++t) {
    if (outer[t] == kNoLevel) continue;
    Int instances = 1;  // of the outer level
    Int tiles = 1;      // output: distinct tiles of a lane
    for (size_t i = 0; i < loops; ++i) {
      const FlatLoop& loop = nest.loops[i];
      if (loop.spatial) {
        if (i < nest.above[outer[t]]) instances *= loop.trips;
      } else if (t == tables.output && tables.Relevant(t, loop.dim)) {
        tiles *= loop.trips;
      }
    }
    const Int groups = instances * GroupsBetween(tables, nest, t, outer[t], child);
    Traffic<Int>& result = (*traffic)[t];
    result.groups = groups * result.lanes;
    result.lanes *= lanes;
    result.distinct = t == tables.output ? groups * tiles * tile_[t] : 0;
  }
  return lanes;
}

template <typename Int>
Int PerfectTraffic<Int>::Operands(const Tables& tables, const FlatNest& nest, size_t tensor,
                                  size_t outer) {
  const size_t compute = nest.above.size() - 1;
  Int count = GroupsBetween(tables, nest, tensor, outer, compute);
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const FlatLoop& loop = nest.loops[i];
    if (!loop.spatial || i < nest.above[outer]) count *= loop.trips;
  }
  return count;
}

template class PerfectTraffic<int64_t>;
template class PerfectTraffic<Int128>;

}  // namespace inlay::exact
