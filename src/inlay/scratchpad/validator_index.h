#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// A plan of sound form, so that it can be looked up by step and by tensor.
struct PlanIndex {
  struct Use {
    int64_t step = 0;
    bool written = false;
  };
  std::vector<const PlanNode*> nodes;                       // by step
  IndexedVector<ValueId, std::vector<Use>> uses;            // ascending by step
  IndexedVector<ValueId, std::vector<size_t>> residencies;  // of the plan, ascending by `from`
  std::vector<std::vector<size_t>> transfers;               // of the plan, by step
  int64_t step_count = 0;

  // The residencies of a tensor in a step: none, one, or the two that a move connects.
  std::vector<size_t> ResidenciesAt(const Plan& plan, ValueId tensor, int64_t step) const;
  bool IsUsedAt(ValueId tensor, int64_t step) const;
  bool IsUsedBefore(ValueId tensor, int64_t step) const;
  // The first step after this one that uses it; there is one.
  int64_t NextUse(ValueId tensor, int64_t step) const;
  bool IsUsedAfter(ValueId tensor, int64_t step) const;
};

// Faults: nodes that are missing, twice or before what they need; tilings, tensors, pads, steps
// that there are not; residencies of other sizes than their tensors, or of one tensor at the same
// time without a move; transfers between places that do not fit their kind, or listed twice.
tl::expected<PlanIndex, Faults> IndexPlan(const PlanProblem& problem, const Plan& plan);

}  // namespace inlay
