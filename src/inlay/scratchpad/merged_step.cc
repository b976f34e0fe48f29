#include "inlay/scratchpad/merged_step.h"

#include <algorithm>
#include <map>
#include <utility>

#include "inlay/scratchpad/fused_run.h"

namespace inlay {
MergedStepCost::MergedStepCost(const PlanProblem& problem, const Plan& plan,
                               PlanObjective objective)
    : problem_(problem), plan_(plan), objective_(objective) {
  std::map<NodeId, const PlanNode*> nodes;
  for (const PlanNode& node : problem.nodes) nodes[node.node] = &node;
  for (const PlanStep& step : plan.steps) nodes_.push_back(nodes.at(step.node));
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    PlanNode one = NodeAt(s);
    one.tilings = {one.tilings[plan.steps[s].tiling]};
    costs_.push_back(*Of(s, s + 1, one));
  }
}

std::optional<PadId> MergedStepCost::LiesThroughout(ValueId tensor, size_t first,
                                                    size_t end) const {
  std::optional<PadId> pad;
  for (size_t s = first; s < end; ++s) {
    if (!Uses(NodeAt(s), tensor)) continue;
    const auto residency =
        std::find_if(plan_.residencies.begin(), plan_.residencies.end(), [&](const Residency& one) {
          return one.tensor == tensor && one.from <= static_cast<int64_t>(s) &&
                 static_cast<int64_t>(s) < one.to;
        });
    if (residency == plan_.residencies.end() || (pad && *pad != residency->pad))
      return std::nullopt;
    pad = residency->pad;
  }
  return pad;
}

std::optional<double> MergedStepCost::Of(size_t first, size_t end, const PlanNode& merged) const {
  const MergedStep step = As(first, end, merged);
  if (step.missing_bytes > 0) return std::nullopt;
  return ValueOf(step.figures, objective_);
}

MergedStep MergedStepCost::As(size_t first, size_t end, const PlanNode& merged) const {
  const auto from = static_cast<int64_t>(first), to = static_cast<int64_t>(end);
  StepState state = EmptyStep(problem_, merged);
  for (size_t i = 0; i < merged.operands.size(); ++i) {
    state.lies[i] = LiesThroughout(merged.operands[i].tensor, first, end);
  }
  const auto is_inside = [&](ValueId tensor) {
    if (Uses(merged, tensor)) return false;
    for (size_t s = first; s < end; ++s) {
      if (Uses(NodeAt(s), tensor)) return true;
    }
    return false;
  };
  for (const Transfer& transfer : plan_.transfers) {
    const bool copied = transfer.from || transfer.to;
    if (!copied || transfer.step < from || transfer.step >= to) continue;
    if (is_inside(transfer.tensor)) continue;
    AddCopy(problem_.machine, transfer.kind, transfer.from, transfer.to, transfer.bytes, &state);
  }
  for (const Residency& residency : plan_.residencies) {
    if (residency.from >= to || residency.to <= from || is_inside(residency.tensor)) continue;
    state.resident_bytes[residency.pad] += residency.bytes;
  }
  const auto rank = [&](const MergedStep& step) {
    return std::pair(step.missing_bytes, ValueOf(step.figures, objective_));
  };
  std::optional<MergedStep> best;
  for (size_t tiling = 0; tiling < merged.tilings.size(); ++tiling) {
    const StepLoad load = LoadOf(problem_, merged, tiling, state);
    MergedStep step{FiguresOf(problem_.machine, load),
                    WorkspaceBytes(problem_, merged, tiling, state.lies), 0};
    // The plan's own steps fit, though tensors that share bytes in place count twice here.
    if (end - first > 1) step.missing_bytes = Excess(problem_.machine, load);
    if (!best || rank(step) < rank(*best)) best = step;
  }
  return *best;  // there is at least one tiling
}

}  // namespace inlay
