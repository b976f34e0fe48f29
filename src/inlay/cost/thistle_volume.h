#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/ids.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::thistle {

// Words of a tensor that a block of iterations touches: holes do not count. A rank s·h + d·r has
// h·r − (h − d')⁺·(r − s')⁺ distinct values (s', d': divided by their common factor); with d = 1
// that is min(r, s)·h + max(0, r − s). Ranks have at most two terms.
Int128 TouchedWords(const Tensor& tensor, const IndexedVector<DimId, int64_t>& sizes);

// The volumes of one mapping by Thistle's Algorithm 1, for tiles of any size: sums over the tiles
// that exist, clipped ones with what is left of them. A loop of one step counts as absent.
class Volumes {
 public:
  Volumes(const Problem& problem, const Mapping& mapping);

  // Words copied one way between all instances of a level and the next inner level that keeps the
  // tensor (one past the last level: the compute lanes). Copies are hoisted out of the loops inside
  // the innermost loop of the outer level that moves the tensor; along that loop, and over the
  // lanes, overlapping tiles are copied as one. A word that goes to several lanes counts once. The
  // compute lanes ask for every operand anew.
  Int128 Between(const Tensor& tensor, LevelId outer, LevelId inner) const;

  // Words of the output that the instances of a level ever hold, each counted once per instance.
  Int128 FirstWords(const Tensor& output, LevelId level) const;

  // Lanes of a level (one past the last: compute) that ever work.
  int64_t Lanes(LevelId level) const;
  // Steps of lane 0 of the compute lanes.
  int64_t Steps() const;

 private:
  struct FlatLoop {
    DimId dim;
    bool spatial = false;
    int64_t step = 1;
  };
  // The ranges of one dimension that occur, with how often each does.
  struct Piece {
    int64_t size = 1;
    int64_t count = 1;
  };
  using Pieces = std::vector<Piece>;
  // What a loop does to the ranges: they are cut into all its tiles, or the first tile is taken.
  enum class Cut { kAll, kFirst };
  static void Apply(const FlatLoop& loop, Cut cut, Pieces* pieces);
  static int64_t CountOf(const Pieces& pieces);

  Pieces PiecesOf(DimId dim, bool relevant, size_t begin, size_t end, size_t hoist) const;

  const Problem& problem_;
  std::vector<FlatLoop> loops_;  // outer to inner, of more than one step
  std::vector<size_t> begin_;    // per level, and one past the last: its first loop
};

}  // namespace inlay::thistle
