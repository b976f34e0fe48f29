#include "inlay/scratchpad/tables.h"

namespace inlay {

Faults AddTables(const Graph& graph, const PlanSettings& /*settings*/, const StopFlag& /*stop*/,
                 PlanProblem* problem) {
  Faults faults;
  for (const PlanNode& node : problem->nodes) {
    const ComputeUnit& unit = problem->machine.units[node.unit];
    if (!unit.architecture || graph.nodes[node.node].works.empty()) continue;
    faults.push_back({"units." + unit.name,
                      "plans for units with an architecture are not there yet",
                      "choose a machine whose units have a peak"});
    break;
  }
  return faults;
}

}  // namespace inlay
