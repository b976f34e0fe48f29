#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/plan.h"
#include "inlay/core/plan_result.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// Replays a plan step by step, knowing nothing of how it was made, and adds up what it costs; or
// everything that is impossible in it: two tensors at one address, a read that does not find its
// bytes, a pad that overflows or that the unit does not reach, a wrong alignment, a step out of
// order, an output that is not off chip in the end.
tl::expected<PlanFigures, Faults> Replay(const PlanProblem& problem, const Plan& plan);

// The same, step by step.
struct Replayed {
  PlanFigures figures;
  std::vector<StepFigures> steps;
};
tl::expected<Replayed, Faults> ReplaySteps(const PlanProblem& problem, const Plan& plan);

}  // namespace inlay
