#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inlay/mapper/exact/chain_bounds.h"
#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapper/exact/sharing.h"

namespace inlay::exact_search {

// The dimension of the innermost of some loops.
inline constexpr int kAnyDim = -2;  // not decided: the least over all of them counts
inline constexpr int kNoDim = -1;   // there is no loop

// Dimensions that have no lanes yet, and the ways to share out among them the lanes that are left.
struct OpenLanes {
  const Sharing* sharing = nullptr;
  const std::vector<Sharing::Lanes>* ways = nullptr;  // null: nothing is known of the lanes
  uint64_t dims = 0;
};

// What holds for the mappings of a set beyond what the rows say.
struct Assumptions {
  int even_dim = kNoDim;   // along it every round of the last level has at least two tiles
  int alone_dim = kNoDim;  // along it some round of the last level has one tile
  OpenLanes lanes;
};

// The mappings that a bound holds for: those that keep what the case keeps, whose chain along
// every dimension is in the set of chains that the row covers, and that are as assumed.
struct MappingSet {
  const KeepCase& keep_case;
  const RowLayout& layout;
  std::span<const double* const> rows;  // by dimension
  Assumptions assumptions = {};
  // Orders of loops are distinguished by that many of the innermost ones: with more, a bound is
  // higher and takes longer.
  size_t order_depth = 1;
};
inline constexpr size_t kAllLoops = 64;

using Rows = std::vector<const double*>;  // by dimension

// The lanes of dimensions (a bit each) that have none yet and share `lanes_left`, in the mappings
// of the set. `sharing` may be null.
OpenLanes ShareLanes(const MappingSet& set, uint64_t open_dims, double lanes_left,
                     Sharing* sharing);

// Whether the temporal loop of some level in [from, to) moves a dimension, in some mapping.
inline bool MayMove(const MappingSet& set, size_t from, size_t to, size_t dim) {
  for (size_t l = from; l < to; ++l) {
    if (set.rows[dim][RowLayout::MayMove(l)] != 0) return true;
  }
  return false;
}

// Steps of the array at least. Dimensions whose lanes are not decided (their sets differ in them)
// share `lanes_left`.
double FewestSteps(const MappingSet& set, double lanes_left);

}  // namespace inlay::exact_search
