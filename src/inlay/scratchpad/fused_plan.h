#pragma once

#include <cstddef>
#include <vector>

#include "inlay/scratchpad/fused_candidates.h"
#include "inlay/scratchpad/planner.h"

namespace inlay {

// The most nodes of a fused step.
inline constexpr size_t kMostFusedNodes = 8;

// A plan in which several nodes may run as one fused step.
struct FusedPlanAnswer {
  PlanAnswer unfused;   // without fused steps; no plan: nor is there one with them
  PlanProblem problem;  // with the fused steps of `best`
  // The best plan of these steps with these trees, and what is proven of all such plans. It is that
  // without fused steps where no better one was found.
  PlanAnswer best;
  // Runs of the problem without fused steps that were worth the search of a tree, and those of
  // them of which one was found that fits into the pad.
  std::vector<StepRange> searched;
  std::vector<FusedCandidate> candidates;
  Certificate certificate;  // of `best`, of all plans with whatever fused steps and trees
  bool interrupted = false;
};

// Never worse than `unfused`, the plan that MakePlan finds; with a time limit that has less than
// half of it. Deterministic whenever it ends before the deadline.
FusedPlanAnswer MakeFusedPlan(const PlanProblem& problem, const FusableSteps& steps,
                              const PlanOptions& options, const Deadline& deadline,
                              const PlanProgressSink& progress = {});

}  // namespace inlay
