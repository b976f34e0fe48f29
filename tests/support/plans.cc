#include "tests/support/plans.h"

namespace inlay::testing {

Plan StreamedPlan(const PlanProblem& problem) {
  Plan plan;
  for (const PlanNode& node : problem.nodes) {
    const auto step = static_cast<int64_t>(plan.steps.size());
    int64_t workspace = 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const OperandTraffic& traffic = node.tilings[0].operands[i];
      const Operand& operand = node.operands[i];
      workspace += traffic.workspace_bytes;
      plan.transfers.push_back({operand.tensor,
                                operand.written ? TransferKind::kWriteBack : TransferKind::kFetch,
                                {},
                                {},
                                traffic.bytes,
                                step});
    }
    if (workspace > 0) {
      workspace = AlignedBytes(problem.machine.pads[problem.workspace_pad[node.unit]], workspace);
    }
    plan.steps.push_back({node.node, node.unit, 0, 0, workspace});
  }
  return plan;
}

}  // namespace inlay::testing
