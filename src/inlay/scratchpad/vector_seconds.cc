#include "inlay/scratchpad/vector_seconds.h"

#include <algorithm>

#include "inlay/core/vector_work.h"
#include "inlay/cost/vector_cost.h"
#include "inlay/scratchpad/unit_assignment.h"

namespace inlay {

bool CountsVectorNodes(const Machine& machine) {
  return std::any_of(machine.units.begin(), machine.units.end(), [&](const ComputeUnit& unit) {
    return VectorRateOf(unit, machine.clock_hz) > 0;
  });
}

tl::expected<double, std::string> VectorSeconds(const Graph& graph, const GraphNode& node,
                                                const Machine& machine, UnitId unit) {
  const ComputeUnit& on = machine.units[unit];
  if (VectorRateOf(on, machine.clock_hz) <= 0) {
    return tl::unexpected("unit '" + on.name + "' has no time for operations of vectors");
  }
  const auto work = VectorWorkOf(graph, node);
  if (!work) return tl::unexpected(work.error());
  if (on.architecture) {
    return VectorCyclesOf(*work, *on.architecture).map([&](double cycles) {
      return cycles / machine.clock_hz;
    });
  }
  double operations = 0;
  for (const int64_t of_row : work->row_operations) operations += static_cast<double>(of_row);
  return operations * static_cast<double>(work->rows) / *on.vector_ops_per_second;
}

WhyNotCounted WhyNotCountedOn(const Machine& machine, const Graph& graph) {
  WhyNotCounted why_not(graph.nodes.size(), "");
  const UnitId unit = UnitFor(machine, false);
  for (const NodeId n : Ids(graph.nodes)) {
    if (InfoOf(graph.nodes[n].op).op_class != OpClass::kMemory) continue;
    const auto seconds = VectorSeconds(graph, graph.nodes[n], machine, unit);
    if (!seconds) why_not[n] = seconds.error();
  }
  return why_not;
}

}  // namespace inlay
