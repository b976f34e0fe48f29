#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {

// What steps of a plan would cost if some of them were one, everything else as it is: each tensor
// that other steps see lies where it lies in the plan.
class MergedStepCost {
 public:
  // Problem and plan outlive it; the plan is a possible one.
  MergedStepCost(const PlanProblem& problem, const Plan& plan, PlanObjective objective);

  double Of(size_t step) const { return costs_[step]; }
  // Of the steps from `first` to before `end` as this one; none: it does not fit.
  std::optional<double> Of(size_t first, size_t end, const PlanNode& merged) const;

 private:
  double ValueOfLoad(const StepLoad& load) const;
  const PlanNode& NodeAt(size_t step) const { return *nodes_[step]; }
  // Where a tensor lies whenever the steps use it; none: off chip, at least once.
  std::optional<PadId> LiesThroughout(ValueId tensor, size_t first, size_t end) const;

  const PlanProblem& problem_;
  const Plan& plan_;
  PlanObjective objective_;
  std::vector<const PlanNode*> nodes_;  // by step
  std::vector<double> costs_;
};

}  // namespace inlay
