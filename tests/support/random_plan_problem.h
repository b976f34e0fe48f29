#pragma once

#include "inlay/scratchpad/problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

struct PlanProblemLimits {
  int64_t most_nodes = 4;
  size_t pads = 1;
  bool tilings = true;  // more than one per node, with workspaces
  bool inside = false;  // of these some that also use the pad for tensors that no other step sees
};

// A machine and steps with random operands, sizes, tilings and in-place candidates; with a handful
// of nodes small enough for ContractPlans. Every node has a tiling whose workspace fits into an
// empty pad.
PlanProblem RandomPlanProblem(Random& random, const PlanProblemLimits& limits);

}  // namespace inlay::testing
