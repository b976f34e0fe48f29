#pragma once

#include <functional>

#include "inlay/core/mapping.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// Visits every canonical mapping of a space once, capacities not looked at: chains of every
// dimension × orders of every level × tensors kept. `problem` is what the mapping computes, larger
// than the space's in `padded`. `visit` returns false to stop. Returns whether it came to the end.
// For small spaces only; the tests compare everything cleverer with it.
using MappingVisitor = std::function<bool(const Problem& problem, const Mapping& mapping)>;
bool ForEachMapping(const Space& space, const MappingVisitor& visit);

// The orders of the loops of a level that its rule allows, given the dimensions that have one.
// Outer to inner each.
std::vector<std::vector<DimId>> OrdersOf(const OrderRule& rule, const std::vector<DimId>& loops);

}  // namespace inlay
