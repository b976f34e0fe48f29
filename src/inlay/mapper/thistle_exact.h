#pragma once

#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/mapper/least_cost.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// The best mapping under thistle semantics and its certificate. It takes the architecture of the
// paper (DRAM, SRAM, a line of lanes, registers; everything kept everywhere), any problem whose
// ranks have at most two dimensions, and all mapspaces but padded; anything else is `unsupported`.
// Capacities count the words that a tile touches, as these semantics do. One thread; the same
// answer at every run that is not interrupted. Where a dimension has too many tilings to be listed,
// the best of a smaller mapspace and a bound. How and why: docs/reference/mapper-thistle.md.
LayerAnswer SearchThistle(const Space& space, const MapOptions& options, const Deadline& deadline,
                          const MapProgressSink& progress);

// LeastCostOf for these semantics.
std::optional<LeastCost> LeastThistleCost(const Space& space, const MapOptions& options,
                                          const Deadline& deadline);

}  // namespace inlay
