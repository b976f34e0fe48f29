#pragma once

#include <optional>
#include <vector>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay::testing {

struct BestPlanAnswer {
  double value = 0;  // of the objective: seconds, bytes or pJ
  Plan plan;
};

// The best plan in the given order (order[step] is an index of problem.nodes), addresses included,
// of those that the planners may choose from: written back only in the step that computes, one
// move or prefetch between two uses. A table over all states after each step, where a state is the
// address of everything on chip and what lies off chip. For a handful of steps and pads of a few
// units of alignment. nullopt: there is none. Shares no code with the planners.
std::optional<BestPlanAnswer> BestPlan(const PlanProblem& problem, const std::vector<size_t>& order,
                                       PlanObjective objective);

}  // namespace inlay::testing
