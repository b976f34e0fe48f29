#include "inlay/run/vector_nodes.h"

#include <string>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/roles.h"
#include "inlay/cost/vector_cost.h"
#include "inlay/mapper/strategy.h"
#include "inlay/report/eval.h"

namespace inlay::run {
namespace {

VectorNodeResult ResultOf(const GraphNode& node, const Architecture& architecture,
                          const VectorCost& found) {
  const NodeFunction function = node.attributes.function;
  return {.name = node.name,
          .kind = std::string(InfoOf(node.op).name),
          .function = function == NodeFunction::kAny ? "" : Name(function),
          .operations = found.cost.operations,
          .energy_pj = found.cost.energy_pj,
          .cycles = found.cost.cycles,
          .seconds = found.cost.seconds,
          .offchip_words = found.cost.offchip_words,
          .limited_by = report::LimitText(architecture, found.cost),
          .held_in = found.held_in ? architecture.levels[*found.held_in].name : std::string()};
}

// False: a sum does not fit into 64 bits.
bool AddTo(const VectorNodeResult& node, VectorTotals* totals) {
  const auto operations = CheckedAdd(totals->operations, node.operations);
  const auto cycles = CheckedAdd(totals->cycles, node.cycles);
  const auto words = CheckedAdd(totals->offchip_words, node.offchip_words);
  if (!operations || !cycles || !words) return false;
  *totals = {totals->nodes + 1, *operations, totals->energy_pj + node.energy_pj, *cycles, *words};
  return true;
}

}  // namespace

std::optional<VectorNodes> VectorNodesOf(const std::vector<std::shared_ptr<const Graph>>& graphs,
                                         const NetworkTask& task) {
  const MapOptions& options = task.options;
  const bool counted = options.semantics == Semantics::kExact && !options.front &&
                       !RecordOf(options.strategy).has_own_machine;
  if (task.architecture.vector_units.units.empty() || graphs.empty() || !counted) {
    return std::nullopt;
  }
  const Architecture architecture =
      ForLayer(VectorTensors(), task.architecture, {}, task.tensor_names_resolved).architecture;
  VectorNodes all;
  for (const auto& graph : graphs) {
    WhyNotCounted& why_not = all.why_not.emplace_back(graph->nodes.size(), "");
    for (const NodeId n : Ids(graph->nodes)) {
      const GraphNode& node = graph->nodes[n];
      if (InfoOf(node.op).op_class != OpClass::kMemory) continue;
      const auto work = VectorWorkOf(*graph, node);
      const auto cost = work ? CostOfVectorWork(*work, architecture) : tl::unexpected(work.error());
      if (!cost) {
        why_not[n] = cost.error();
        continue;
      }
      VectorNodeResult result = ResultOf(node, architecture, *cost);
      if (AddTo(result, &all.totals)) {
        all.nodes.push_back(std::move(result));
      } else {
        why_not[n] = "64 bits do not hold the totals";
      }
    }
  }
  return all;
}

}  // namespace inlay::run
