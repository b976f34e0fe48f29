#pragma once

#include <string>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay::testing {

// For failure messages.
std::string Describe(const PlanProblem& problem);
std::string Describe(const PlanProblem& problem, const Plan& plan);

}  // namespace inlay::testing
