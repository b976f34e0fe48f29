#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/choices_to_plan.h"
#include "inlay/scratchpad/incremental_cost.h"

namespace inlay {

struct PlacedPlan {
  Choices choices;
  Plan plan;
};

// The current choices as a plan. Where addresses are not found, they are looked for in one
// stretch of steps after the other; in a window for which there are none the tensor that loses
// least for each byte is kept out of the pad, and so on. The choices then hold what was changed.
// nullopt: that took too much, or the deadline passed.
struct EvictionLimits {
  double cost = IncrementalCost::kInfinite;  // reaching it is too much
  int64_t changes = std::numeric_limits<int64_t>::max();
  int64_t address_nodes = kAddressNodes;
  const Plan* like = nullptr;  // a plan in the same order whose addresses are kept where possible
};
std::optional<PlacedPlan> PlaceWithEvictions(const EvictionLimits& limits, IncrementalCost* costs,
                                             const Deadline* deadline = nullptr);

}  // namespace inlay
