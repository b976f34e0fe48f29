#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {

// What steps of a plan would take as one.
struct MergedStep {
  PlanFigures figures;
  int64_t room_bytes = 0;     // of tiles
  int64_t missing_bytes = 0;  // that pads lack, beside what lies there; 0: it fits
};

// What steps of a plan would cost if some of them were one, everything else as it is: each tensor
// that other steps see lies where it lies in the plan.
class MergedStepCost {
 public:
  // Problem and plan outlive it; the plan is a possible one.
  MergedStepCost(const PlanProblem& problem, const Plan& plan, PlanObjective objective);

  double Of(size_t step) const { return costs_[step]; }
  // The steps from `first` to before `end` as this one, by the best of its tilings that fit; if
  // none does, by the one that lacks fewest bytes.
  MergedStep As(size_t first, size_t end, const PlanNode& merged) const;
  // Its cost; none: it does not fit.
  std::optional<double> Of(size_t first, size_t end, const PlanNode& merged) const;

 private:
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
