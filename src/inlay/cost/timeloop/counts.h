#pragma once

#include <tl/expected.hpp>

#include "inlay/core/cost.h"
#include "inlay/core/fault.h"
#include "inlay/cost/timeloop.h"
#include "inlay/cost/timeloop/tiling.h"

namespace inlay::timeloop {

// The counts of one tensor at every level, over all instances. Under Timeloop's rules every count
// is a multiple of the level's instances. A fault where one does not fit into 64 bits.
tl::expected<IndexedVector<LevelId, Counts>, Fault> CountsOf(const TensorTraffic& traffic,
                                                             bool is_output, bool is_perfect,
                                                             const TimeloopRules& rules);

}  // namespace inlay::timeloop
