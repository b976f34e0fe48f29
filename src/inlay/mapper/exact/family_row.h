#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/chain_bounds.h"

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

// Fills a row that covers (see Cover) the row of every chain of the family. False: there are none.
// docs/reference/mapper-bounds.md argues for each figure.
bool FillFamily(const RowLayout& layout, const Family& family, double* row);

}  // namespace inlay::exact_search
