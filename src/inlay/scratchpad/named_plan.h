#pragma once

#include <tl/expected.hpp>

#include "inlay/core/fault.h"
#include "inlay/core/plan_result.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// A plan by names, and back. The names of network and machine, and the settings, are the caller's.
NamedPlan NamedPlanOf(const PlanProblem& problem, const Plan& plan);

// Faults: names that the problem does not have. Whether the plan is possible is another question
// (Replay).
tl::expected<Plan, Faults> PlanOf(const PlanProblem& problem, const NamedPlan& named);

// How full each memory is in a plan of sound form, whose steps take so long.
std::vector<MemoryUse> MemoryUseOf(const PlanProblem& problem, const Plan& plan,
                                   const std::vector<StepFigures>& steps);

// Units that no node runs on.
std::vector<std::string> UnusedUnits(const PlanProblem& problem);

// Tensors that nodes use and that are larger than every pad some unit of theirs reaches.
std::vector<std::string> TooLargeTensors(const PlanProblem& problem);

}  // namespace inlay
