#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/edge_traffic.h"

namespace inlay::exact_search {

// Bounds of one edge alone, where more is known of the loops than which levels they are of.

// Off-chip words of an edge from level 0 to a level further in than level 1, if some temporal loop
// from level 1 on moves its tile; and its words at each port of the case. Infinite if none can.
double OffchipMoved(const MappingSet& set, const Edge& edge);
std::vector<double> PortsMoved(const MappingSet& set, const Edge& edge);

// Words of an edge at each port if the innermost temporal loop above its child moves `inner`
// (kNoDim: a dimension that does not concern it, or none).
std::vector<double> PortsByInner(const MappingSet& set, const Edge& edge, int inner);

// Off-chip words of an edge that no loop from level 1 on moves, or of an edge to level 1, if the
// innermost loops of level 0 stand in this order, inner to outer; those over the dimensions
// `anywhere` (a bit each) may also stand further out if a loop inside them moves the tile already.
// `terms` are the edge's.
double OffchipInOrder(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                      const std::vector<size_t>& order, uint64_t anywhere = 0);

}  // namespace inlay::exact_search
