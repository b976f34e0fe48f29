#pragma once

#include "inlay/scratchpad/problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// A problem small enough for ContractPlans: 2 to 7 nodes, 1 to 3 pads that are tight, 1 or 2 units
// that reach some of them, tensors of all kinds, tilings. Some have no plan; in some, tensors have
// to move between pads; in some, what fits by its size has no addresses.
PlanProblem TinyPlanProblem(Random& random);

}  // namespace inlay::testing
