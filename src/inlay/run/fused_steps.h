#pragma once

#include "inlay/base/result.h"
#include "inlay/core/graph.h"
#include "inlay/core/plan_result.h"
#include "inlay/io/file.h"
#include "inlay/scratchpad/problem.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay::run {

// Why no nodes can be fused on the machine; empty: they can.
Faults CheckFusable(const PlanProblem& problem);

// Puts the trees of fused steps, as native lines, into the plan by names.
void SetTrees(const PlanProblem& problem, const Plan& plan, NamedPlan* named);

// The problem with the fused steps that a plan of a file has, each by its tree. Errors: nodes that
// cannot be one step, trees that are not legal or do not fit into the pad.
Result<PlanProblem> WithStepsOf(const NamedPlan& plan, const io::Source& text, const Graph& graph,
                                const PlanSettings& settings, const PlanProblem& problem);

}  // namespace inlay::run
