#pragma once

#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/incremental_cost.h"
#include "inlay/scratchpad/place_with_evictions.h"

namespace inlay {

// Strategy `greedy`: tensors come into the pads in the order of what they save for each byte and
// step that they lie there, as a price that falls lets them; then each is decided again as long as
// that helps. Where addresses are not found for that, it is done again with some room left in the
// pads. The best plan of all, if one was placed before the deadline. The choices must fit.
std::optional<PlacedPlan> PlanGreedily(const IncrementalCost& start, const Deadline& deadline);

}  // namespace inlay
