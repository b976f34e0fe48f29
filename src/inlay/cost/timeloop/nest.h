#pragma once

#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::timeloop {

// A set of dimensions. Along the nest it holds the imperfect dimensions all of whose outer loops
// are at their last step: only there loops run their residual and tiles are short.
using DimMask = uint64_t;
constexpr DimMask BitOf(DimId dim) { return DimMask{1} << dim.value(); }

struct NestLoop {
  DimId dim;
  LevelId level;
  Axis axis = Axis::kTime;
  int64_t end = 1;       // steps
  int64_t residual = 1;  // steps while the dimension is at its last
  int64_t stride = 1;    // iterations of the dimension per step
  bool IsSpatial() const { return axis != Axis::kTime; }
  bool IsImperfect() const { return end != residual; }
};

// Half-open ranges of Nest::loops: [temporal, spatial) and [spatial, end).
struct LevelRange {
  size_t temporal = 0;
  size_t spatial = 0;
  size_t end = 0;
};

// The mapping as Timeloop sees it: loops of one step are left out, and the Y loops of a fan-out lie
// outside its X loops.
struct Nest {
  std::vector<NestLoop> loops;  // outer to inner
  IndexedVector<LevelId, LevelRange> levels;
  DimMask imperfect = 0;                             // dimensions with a residual somewhere
  IndexedVector<DimId, size_t> innermost_imperfect;  // loop; valid where `imperfect` says so
};

// A fault where factors cannot express the mapping, where a tensor outgrows the exact range of
// double-precision counts (2^53 words), or where more than 2^22 lanes are used.
tl::expected<Nest, Fault> BuildNest(const Problem& problem, const Mapping& mapping);

inline int64_t Steps(const NestLoop& loop, DimMask at_last) {
  return (at_last & BitOf(loop.dim)) != 0 ? loop.residual : loop.end;
}
// The dimensions at their last step inside step `index` of the loop.
inline DimMask Enter(const NestLoop& loop, int64_t index, DimMask at_last) {
  return index + 1 < loop.residual ? at_last & ~BitOf(loop.dim) : at_last;
}

// Iterations along each dimension covered by loops[first …]: ordinarily, and at the last position.
struct Extents {
  IndexedVector<DimId, int64_t> full, residual;
};
Extents ExtentsInside(const Nest& nest, size_t first);

// The average number of lanes in use over the spatial loops outside loops[first]; Timeloop's
// arithmetic, not truncated.
double AverageLanes(const Nest& nest, size_t first);

// Product of `end` over the loops of one kind in [first, last).
int64_t LaneCount(const Nest& nest, size_t first, size_t last, Axis axis);

// How a tensor's coordinates follow from the dimensions. Ranks that always have one word are left
// out.
class Projection {
 public:
  Projection(const Nest& nest, const Tensor& tensor);
  Projection() = default;  // no rank: every tile is the same single word
  size_t ranks() const { return ranks_; }
  // The displacement of a tile when the loop makes one step.
  void Move(const NestLoop& loop, int64_t* displacement) const;
  // The bounding box of a tile whose iterations start at 0. Returns its words.
  int64_t Box(const Extents& extents, DimMask at_last, int64_t* lo, int64_t* size) const;

 private:
  size_t ranks_ = 0;
  size_t dims_ = 0;
  std::vector<int64_t> coefficients_;  // rank-major
};

}  // namespace inlay::timeloop
