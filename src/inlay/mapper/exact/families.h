#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/chains.h"
#include "inlay/mapper/exact/family_row.h"

namespace inlay::exact_search {

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

// Trees of families in place of chains.
tl::expected<Chains, ChainFault> BuildFamilies(const Space& space, std::vector<Stage> stages,
                                               double width, const Deadline& deadline);

}  // namespace inlay::exact_search
