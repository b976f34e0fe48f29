#include "inlay/cost/exact/counter.h"

#include <algorithm>

#include "inlay/cost/exact/meeting_rank.h"

namespace inlay::exact {

int64_t StepCounter::Lanes(const Tables& tables, const FlatNest& nest, size_t dim, size_t level) {
  const bool even = nest.even[dim] != 0;
  int64_t lanes = 1;
  bool unrolled = false;
  scratch_.clear();
  for (size_t i : nest.chain[dim]) {
    if (i >= nest.above[level]) break;
    const FlatLoop& loop = nest.loops[i];
    unrolled = unrolled || loop.spatial;
    if (even && loop.spatial) lanes *= loop.trips;
    if (!even) scratch_.push_back({loop.step, loop.spatial ? LoopRole::kLane : LoopRole::kFirst});
  }
  return even || !unrolled ? lanes : chain_.Count(tables.bound[dim], scratch_);
}

int64_t StepCounter::Steps(const Tables& tables, const FlatNest& nest, size_t dim, size_t loops) {
  const bool even = nest.even[dim] != 0;
  int64_t steps = 1;
  scratch_.clear();
  for (size_t i : nest.chain[dim]) {
    if (i >= loops) break;
    const FlatLoop& loop = nest.loops[i];
    if (even && !loop.spatial) steps *= loop.trips;
    if (!even)
      scratch_.push_back({loop.step, loop.spatial ? LoopRole::kFirst : LoopRole::kOutside});
  }
  return even ? steps : chain_.Count(tables.bound[dim], scratch_);
}

int64_t LaneOffsets::Distinct(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer,
                              size_t child) {
  // Lanes of one dimension lie at equal distances unless a temporal loop stands between two spatial
  // ones.
  struct Progression {
    int64_t step = 1, count = 1;
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
  if (unrolled > 2 || !regular) return OneByOne(tables, nest, rank, outer, child);
  return DistinctSums(first.step, first.count, second.step, second.count);
}

int64_t LaneOffsets::OneByOne(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer,
                              size_t child) {
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
      SwapScratch(&offsets_, &sums_);
    }
  }
  return static_cast<int64_t>(offsets_.size());
}

}  // namespace inlay::exact
