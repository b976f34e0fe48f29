#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/scratchpad/choices.h"

namespace inlay {

// Strategy `none`: NothingKept; and where a step does not fit, because even its smallest workspace
// is too large, the cheapest of its operands lie in pads for that one step. This is exact: if a
// step fits in no such way, then in no plan at all, and the faults name every such step.
tl::expected<Choices, Faults> PlanNone(const PlanProblem& problem, PlanObjective objective,
                                       const std::vector<size_t>& order);

}  // namespace inlay
