#include "inlay/cost/thistle_volume.h"

#include <algorithm>
#include <numeric>

#include "inlay/base/check.h"

namespace inlay::thistle {
namespace {

// Distinct values of s·i + d·j, 0 ≤ i < m, 0 ≤ j < n: (i + d', j − s') repeats (i, j).
int64_t DistinctSums(int64_t m, int64_t s, int64_t n, int64_t d) {
  const int64_t common = std::gcd(s, d);
  return m * n - std::max<int64_t>(m - d / common, 0) * std::max<int64_t>(n - s / common, 0);
}

}  // namespace

Int128 TouchedWords(const Tensor& tensor, const IndexedVector<DimId, int64_t>& sizes) {
  Int128 words = 1;
  for (const Rank& rank : tensor.ranks) {
    const std::vector<Term>& terms = rank.terms;
    INLAY_CHECK(terms.size() <= 2);
    if (terms.size() == 1) words *= sizes[terms[0].dim];
    if (terms.size() == 2) {
      words *= DistinctSums(sizes[terms[0].dim], terms[0].coefficient, sizes[terms[1].dim],
                            terms[1].coefficient);
    }
  }
  return words;
}

Volumes::Volumes(const Problem& problem, const Mapping& mapping) : problem_(problem) {
  IndexedVector<DimId, int64_t> range;
  for (const Dimension& dim : problem.dims) range.push_back(dim.bound);
  for (const LevelMapping& level : mapping.levels) {
    begin_.push_back(loops_.size());
    for (const auto* loops : {&level.temporal, &level.spatial}) {
      for (const Loop& loop : *loops) {
        if (loop.step < range[loop.dim]) {
          loops_.push_back({loop.dim, loop.axis != Axis::kTime, loop.step});
        }
        range[loop.dim] = loop.step;
      }
    }
  }
  begin_.push_back(loops_.size());
}

void Volumes::Apply(const FlatLoop& loop, Cut cut, Pieces* pieces) {
  Pieces result;
  const auto add = [&result](int64_t size, int64_t count) {
    if (size == 0 || count == 0) return;
    const auto it = std::find_if(result.begin(), result.end(),
                                 [size](const Piece& piece) { return piece.size == size; });
    if (it == result.end()) {
      result.push_back({size, count});
    } else {
      it->count += count;
    }
  };
  for (const Piece& piece : *pieces) {
    if (cut == Cut::kFirst) {
      add(std::min(piece.size, loop.step), piece.count);
    } else {
      add(loop.step, piece.count * (piece.size / loop.step));
      add(piece.size % loop.step, piece.count);
    }
  }
  *pieces = std::move(result);
}

int64_t Volumes::CountOf(const Pieces& pieces) {
  int64_t count = 0;
  for (const Piece& piece : pieces) count += piece.count;
  return count;
}

// The ranges of a dimension over which the copies of a tensor are made. Loops before `begin` lie
// outside the outer level and repeat everything; loops before `hoist` repeat the copy; from
// `hoist` to `end` copies are joined. Lanes inside the last repeating loop are joined too; lanes
// outside one lie apart, and an irrelevant dimension does not tell them from each other.
Volumes::Pieces Volumes::PiecesOf(DimId dim, bool relevant, size_t begin, size_t end,
                                  size_t hoist) const {
  size_t last = begin;  // one past the last loop that repeats
  for (size_t k = begin; k < end; ++k) {
    const bool repeats = k < hoist && (!loops_[k].spatial || (hoist == end && relevant));
    if (loops_[k].dim == dim && repeats) last = k + 1;
  }
  Pieces pieces = {{problem_.dims[dim].bound, 1}};
  for (size_t k = 0; k < last; ++k) {
    if (loops_[k].dim != dim) continue;
    const bool is_shared = k >= begin && loops_[k].spatial && !relevant;
    Apply(loops_[k], is_shared ? Cut::kFirst : Cut::kAll, &pieces);
  }
  return pieces;
}

Int128 Volumes::Between(const Tensor& tensor, LevelId outer, LevelId inner) const {
  const size_t begin = begin_[outer.value()];
  const size_t end = begin_[inner.value()];
  const bool is_compute = inner.value() + 1 == begin_.size();
  size_t hoist = is_compute ? end : begin;
  for (size_t k = begin; k < end && !is_compute; ++k) {
    if (!loops_[k].spatial && IsRelevant(tensor, loops_[k].dim)) hoist = k;
  }
  Int128 words = 1;
  for (const Rank& rank : tensor.ranks) {
    if (rank.terms.empty()) continue;
    const auto pieces_of = [&](const Term& term) {
      return PiecesOf(term.dim, true, begin, end, hoist);
    };
    Int128 sum = 0;
    for (const Piece& a : pieces_of(rank.terms[0])) {
      if (rank.terms.size() == 1) {
        sum += Int128{a.count} * a.size;
        continue;
      }
      for (const Piece& b : pieces_of(rank.terms[1])) {
        sum += Int128{a.count} * b.count *
               DistinctSums(a.size, rank.terms[0].coefficient, b.size, rank.terms[1].coefficient);
      }
    }
    words *= sum;
  }
  for (DimId d : Ids(problem_.dims)) {
    if (!IsRelevant(tensor, d)) words *= CountOf(PiecesOf(d, false, begin, end, hoist));
  }
  return words;
}

Int128 Volumes::FirstWords(const Tensor& output, LevelId level) const {
  IndexedVector<DimId, int64_t> sizes;
  Int128 lanes = 1;
  for (DimId d : Ids(problem_.dims)) {
    sizes.push_back(problem_.dims[d].bound);
    if (IsRelevant(output, d)) continue;
    Pieces pieces = {{problem_.dims[d].bound, 1}};
    for (size_t k = 0; k < begin_[level.value()]; ++k) {
      if (loops_[k].dim == d) {
        Apply(loops_[k], loops_[k].spatial ? Cut::kAll : Cut::kFirst, &pieces);
      }
    }
    lanes *= CountOf(pieces);
  }
  return TouchedWords(output, sizes) * lanes;
}

int64_t Volumes::Lanes(LevelId level) const {
  int64_t lanes = 1;
  for (DimId d : Ids(problem_.dims)) {
    Pieces pieces = {{problem_.dims[d].bound, 1}};
    for (size_t k = 0; k < begin_[level.value()]; ++k) {
      if (loops_[k].dim == d) {
        Apply(loops_[k], loops_[k].spatial ? Cut::kAll : Cut::kFirst, &pieces);
      }
    }
    lanes *= CountOf(pieces);
  }
  return lanes;
}

int64_t Volumes::Steps() const {
  int64_t steps = 1;
  for (DimId d : Ids(problem_.dims)) {
    Pieces pieces = {{problem_.dims[d].bound, 1}};
    for (const FlatLoop& loop : loops_) {
      if (loop.dim == d) Apply(loop, loop.spatial ? Cut::kFirst : Cut::kAll, &pieces);
    }
    steps *= CountOf(pieces);
  }
  return steps;
}

}  // namespace inlay::thistle
