#include "inlay/cost/timeloop/nest.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::timeloop {
namespace {

constexpr int64_t kMostWords = int64_t{1} << 53;  // doubles count exactly up to here
constexpr int64_t kMostLanes = int64_t{1} << 22;  // they are compared one by one

// Appends one kind of loop of a level; `axis` filters a fan-out's loops.
void Append(LevelId level, const std::vector<Loop>& loops, const std::vector<Factor>& factors,
            Axis axis, Nest* nest) {
  for (size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].axis != axis || factors[i].end <= 1) continue;
    nest->loops.push_back(
        {loops[i].dim, level, axis, factors[i].end, factors[i].residual, loops[i].step});
  }
}

void FindImperfectDims(Nest* nest, size_t dims) {
  nest->innermost_imperfect.assign(dims, 0);
  for (size_t k = 0; k < nest->loops.size(); ++k) {
    const NestLoop& loop = nest->loops[k];
    if (!loop.IsImperfect()) continue;
    nest->imperfect |= BitOf(loop.dim);
    nest->innermost_imperfect[loop.dim] = k;
  }
}

// Bounds the words of the tensor over the padded iteration space, which is less than twice as long
// in imperfect dimensions: no tile and no position lies beyond it.
bool IsCountable(const Problem& problem, const Nest& nest, const Tensor& tensor) {
  std::optional<int64_t> words = 1;
  for (const Rank& rank : tensor.ranks) {
    std::optional<int64_t> extent = 1;
    for (const Term& term : rank.terms) {
      const int64_t padding = (nest.imperfect & BitOf(term.dim)) != 0 ? 2 : 1;
      const auto bound = CheckedMultiply(problem.dims[term.dim].bound, padding);
      const auto reach =
          bound ? CheckedMultiply(std::abs(term.coefficient), *bound - 1) : std::nullopt;
      extent = extent && reach ? CheckedAdd(*extent, *reach) : std::nullopt;
    }
    words = words && extent ? CheckedMultiply(*words, *extent) : std::nullopt;
  }
  return words && *words <= kMostWords;
}

std::optional<Fault> FindExcess(const Problem& problem, const Nest& nest) {
  for (const Tensor& tensor : problem.tensors) {
    if (IsCountable(problem, nest, tensor)) continue;
    return Fault{"tensors." + tensor.name,
                 "tensor '" + tensor.name + "' is too large for timeloop's arithmetic",
                 "the timeloop semantics count up to 2^53 words; the exact semantics further"};
  }
  std::optional<int64_t> lanes = 1;
  for (const NestLoop& loop : nest.loops) {
    if (loop.IsSpatial() && lanes) lanes = CheckedMultiply(*lanes, loop.end);
  }
  if (lanes && *lanes <= kMostLanes) return std::nullopt;
  return Fault{"mapping", "the mapping uses too many lanes for the timeloop semantics",
               "they compare lanes one by one, up to 2^22; the exact semantics do not"};
}

}  // namespace

tl::expected<Nest, Fault> BuildNest(const Problem& problem, const Mapping& mapping) {
  const auto factors = FactorsOf(problem, mapping);
  if (!factors) {
    return tl::unexpected(Fault{"mapping", "timeloop cannot express this tiling",
                                "every step must be a multiple of the next inner step of its "
                                "dimension; the exact semantics take any tiling"});
  }
  Nest nest;
  for (LevelId l : Ids(mapping.levels)) {
    const LevelMapping& level = mapping.levels[l];
    LevelRange range;
    range.temporal = nest.loops.size();
    Append(l, level.temporal, (*factors)[l].temporal, Axis::kTime, &nest);
    range.spatial = nest.loops.size();
    Append(l, level.spatial, (*factors)[l].spatial, Axis::kY, &nest);
    Append(l, level.spatial, (*factors)[l].spatial, Axis::kX, &nest);
    range.end = nest.loops.size();
    nest.levels.push_back(range);
  }
  FindImperfectDims(&nest, problem.dims.size());
  if (auto fault = FindExcess(problem, nest)) return tl::unexpected(*std::move(fault));
  return nest;
}

Extents ExtentsInside(const Nest& nest, size_t first) {
  const size_t dims = nest.innermost_imperfect.size();
  Extents extents{IndexedVector<DimId, int64_t>(dims, 1), IndexedVector<DimId, int64_t>(dims, 1)};
  for (size_t k = nest.loops.size(); k-- > first;) {
    const NestLoop& loop = nest.loops[k];
    extents.residual[loop.dim] += extents.full[loop.dim] * (loop.residual - 1);
    extents.full[loop.dim] *= loop.end;
  }
  return extents;
}

double AverageLanes(const Nest& nest, size_t first) {
  double lanes = 1;
  for (size_t k = 0; k < first; ++k) {
    const NestLoop& loop = nest.loops[k];
    if (!loop.IsSpatial()) continue;
    if (!loop.IsImperfect()) {
      lanes *= static_cast<double>(loop.end);
      continue;
    }
    double visits = 1;  // of this loop, over all outer loops of its dimension
    for (size_t j = 0; j < k; ++j) {
      const NestLoop& outer = nest.loops[j];
      if (outer.dim != loop.dim) continue;
      visits = static_cast<double>(outer.residual) + static_cast<double>(outer.end) * (visits - 1);
    }
    const double steps =
        static_cast<double>(loop.residual) + static_cast<double>(loop.end) * (visits - 1);
    lanes = lanes * steps / visits;
  }
  return lanes;
}

int64_t LaneCount(const Nest& nest, size_t first, size_t last, Axis axis) {
  int64_t lanes = 1;
  for (size_t k = first; k < last; ++k) {
    if (nest.loops[k].axis == axis) lanes *= nest.loops[k].end;
  }
  return lanes;
}

Projection::Projection(const Nest& nest, const Tensor& tensor)
    : dims_(nest.innermost_imperfect.size()) {
  const Extents all = ExtentsInside(nest, 0);
  for (const Rank& rank : tensor.ranks) {
    std::vector<int64_t> row(dims_, 0);
    bool moves = false;
    for (const Term& term : rank.terms) {
      row[term.dim.value()] += term.coefficient;
      moves = moves || all.full[term.dim] > 1;
    }
    if (!moves) continue;
    coefficients_.insert(coefficients_.end(), row.begin(), row.end());
    ++ranks_;
  }
}

void Projection::Move(const NestLoop& loop, int64_t* displacement) const {
  for (size_t r = 0; r < ranks_; ++r) {
    displacement[r] = coefficients_[r * dims_ + loop.dim.value()] * loop.stride;
  }
}

int64_t Projection::Box(const Extents& extents, DimMask at_last, int64_t* lo, int64_t* size) const {
  int64_t words = 1;
  for (size_t r = 0; r < ranks_; ++r) {
    lo[r] = 0;
    size[r] = 1;
    for (size_t d = 0; d < dims_; ++d) {
      const int64_t coefficient = coefficients_[r * dims_ + d];
      if (coefficient == 0) continue;
      const DimId dim(d);
      const int64_t extent =
          (at_last & BitOf(dim)) != 0 ? extents.residual[dim] : extents.full[dim];
      if (coefficient < 0) lo[r] += coefficient * (extent - 1);
      size[r] += std::abs(coefficient) * (extent - 1);
    }
    words *= size[r];
  }
  return words;
}

}  // namespace inlay::timeloop
