#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/tiling_search.h"

namespace inlay::exact_search {

// A set of chains of one dimension, too many to be listed: every chain of `any` (and so of each
// mapspace but `padded`) whose loops are there as `moves` says, whose lanes are as given and whose
// tiles lie between two sizes.
struct Family {
  int64_t bound = 1;
  std::vector<int64_t> lo, hi;  // by level, 0 … levels: the tile, in iterations; 0: the bound
  std::vector<int64_t> x, y;    // by level: steps on the two axes of the fan-out below it
  std::vector<uint8_t> moves;   // by level: there is a temporal loop
  bool operator==(const Family&) const = default;
};

// The sizes that the tiles of a level are sorted into: those with as many tiles per bound, cut into
// pieces whose largest is at most (1 + width) times the smallest; of a bound above 2^32 pieces
// alone, none wider than two to one nor narrower than 1/1024. Ascending first sizes.
std::vector<int64_t> TileClasses(int64_t bound, double width);

// Calls `visit` with families that hold every chain of the dimension, each chain in just one;
// stops if it returns false, and with a watch when time is up. Some families may be empty. Returns
// whether it came to the end.
bool ForEachFamily(const Space& space, DimId dim, double width,
                   const std::function<bool(const Family&)>& visit, DeadlineWatch* watch = nullptr);

// Whether a chain belongs to a family.
bool Holds(const Space& space, const Family& family, const Chain& chain);

// Fills a row that covers (see Cover) the row of every chain of the family. False: there are none.
// docs/reference/mapper-bounds.md argues for each figure.
bool FillFamily(const RowLayout& layout, const Family& family, double* row);

// Trees of families in place of chains.
tl::expected<Chains, ChainFault> BuildFamilies(const Space& space, std::vector<Stage> stages,
                                               double width, const Deadline& deadline);

}  // namespace inlay::exact_search
