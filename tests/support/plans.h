#pragma once

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay::testing {

// Every operand off chip, the given order, each node's first tiling, workspaces at address 0.
// Written for the tests; shares nothing with the planners.
Plan StreamedPlan(const PlanProblem& problem);

}  // namespace inlay::testing
