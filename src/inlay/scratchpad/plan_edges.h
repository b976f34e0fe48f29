#pragma once

#include <vector>

#include "inlay/core/fused_plan_result.h"
#include "inlay/core/graph.h"
#include "inlay/core/plan.h"
#include "inlay/scratchpad/fused_candidates.h"
#include "inlay/scratchpad/fused_plan.h"

namespace inlay {

// What the fused steps of an answer's best plan hold, and what their nodes take in its plan without
// fused steps, which is one of `problem`. There is a best plan.
std::vector<PlanFusedStep> FusedStepsOf(const PlanProblem& problem, const FusedPlanAnswer& answer);

// The tensors that nodes of the graph pass on, each with its price in an answer's best plan, by the
// step that makes them. `steps` are those of the problem that has no fused steps, of this graph.
std::vector<PlanEdge> EdgesOf(const Graph& graph, const PlanProblem& problem,
                              const FusableSteps& steps, const FusedPlanAnswer& answer,
                              PlanObjective objective);

}  // namespace inlay
