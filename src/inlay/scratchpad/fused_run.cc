#include "inlay/scratchpad/fused_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "inlay/scratchpad/step_cost.h"

namespace inlay {

bool Uses(const PlanNode& node, ValueId tensor) {
  return std::any_of(node.operands.begin(), node.operands.end(),
                     [&](const Operand& operand) { return operand.tensor == tensor; });
}

FusedRunMaker::FusedRunMaker(const PlanProblem& problem, size_t first, size_t end,
                             const IndexedVector<ValueId, size_t>& uses)
    : problem_(problem) {
  const PlanNode& begin = problem.nodes[first];
  candidate_ = {{first, end}, {begin.name, begin.node, begin.unit, {}, {}, {}}};
  FindInside(uses);
  for (const bool written : {false, true}) AddOperands(written);
  named_.assign(candidate_.step.operands.size(), false);
}

// Inside is what a node writes, another one reads, and no other step sees.
void FusedRunMaker::FindInside(const IndexedVector<ValueId, size_t>& uses) {
  IndexedVector<ValueId, size_t> own(uses.size(), 0);
  for (size_t i = candidate_.first; i < candidate_.end; ++i) {
    for (const Operand& operand : problem_.nodes[i].operands) {
      ++own[operand.tensor];
      if (operand.written) made_.insert(operand.tensor);
    }
  }
  for (const ValueId v : made_) {
    const bool seen = own[v] < uses[v] || problem_.tensors[v].needed_after;
    if (!seen && own[v] > 1) inside_.insert(v);
  }
}

void FusedRunMaker::AddOperands(bool written) {
  for (size_t i = candidate_.first; i < candidate_.end; ++i) {
    for (const Operand& operand : problem_.nodes[i].operands) {
      const ValueId v = operand.tensor;
      if (inside_.contains(v) || made_.contains(v) != written) continue;
      if (!Uses(candidate_.step, v)) candidate_.step.operands.push_back({v, written});
    }
  }
}

bool FusedRunMaker::AddTensor(const FusedProblem& problem, TensorId tensor, ValueId value,
                              int bits) {
  const bool written = WriterOf(problem, tensor).has_value();
  const bool passed_on = written && !ReadersOf(problem, tensor).empty();
  const bool is_inside = inside_.contains(value);
  if (written != made_.contains(value) || (is_inside && !passed_on)) return false;
  if (passed_on && is_inside == IsListedOutput(problem, tensor)) return false;
  if (!is_inside && !Uses(candidate_.step, value)) return false;
  std::optional<size_t> operand;
  if (!is_inside) {
    operand = OperandOf(candidate_.step, value);
    named_[*operand] = true;
  }
  step_.operands.push_back(operand);
  step_.bits.push_back(bits);
  return true;
}

FusedCandidate FusedRunMaker::Finish(FusedProblem problem) && {
  step_.whole_bytes.assign(named_.size(), 0);
  for (size_t i = candidate_.first; i < candidate_.end; ++i) {
    const PlanNode& node = problem_.nodes[i];
    const Tiling& tiling = node.tilings.front();
    step_.nodes.push_back(node.node);
    step_.names.push_back(node.name);
    step_.seconds.push_back(tiling.compute_seconds);
    for (size_t own = 0; own < node.operands.size(); ++own) {
      const ValueId v = node.operands[own].tensor;
      if (inside_.contains(v)) continue;
      const size_t operand = OperandOf(candidate_.step, v);
      if (named_[operand]) continue;
      int64_t& bytes = step_.whole_bytes[operand];
      bytes = std::max(bytes, tiling.operands[own].bytes);
    }
  }
  step_.problem = std::move(problem);
  candidate_.step.fused = std::make_shared<const FusedStep>(std::move(step_));
  return std::move(candidate_);
}

}  // namespace inlay
