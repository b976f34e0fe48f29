#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "inlay/core/fused_problem.h"
#include "inlay/scratchpad/fused_step.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// Consecutive steps of a planning problem, half-open.
struct StepRange {
  size_t first = 0, end = 0;
  size_t size() const { return end - first; }
};

// Such that can be one fused step.
struct FusedCandidate : StepRange {
  PlanNode step;
};

bool Uses(const PlanNode& node, ValueId tensor);

// Makes a fused step, still without trees, of consecutive nodes of a planning problem.
class FusedRunMaker {
 public:
  // `uses`: how many nodes of the problem use each tensor. The problem outlives this.
  FusedRunMaker(const PlanProblem& problem, size_t first, size_t end,
                const IndexedVector<ValueId, size_t>& uses);

  // A tensor of the nodes as a fused problem, which has the words of a value. False: by the
  // planning problem other nodes make or see it.
  bool AddTensor(const FusedProblem& problem, TensorId tensor, ValueId value, int bits);

  FusedCandidate Finish(FusedProblem problem) &&;

 private:
  void FindInside(const IndexedVector<ValueId, size_t>& uses);
  void AddOperands(bool written);

  const PlanProblem& problem_;
  FusedCandidate candidate_;
  FusedStep step_;
  std::set<ValueId> made_, inside_;  // by these nodes
  std::vector<bool> named_;          // by operand: a tensor of the fused problem has its words
};

}  // namespace inlay
