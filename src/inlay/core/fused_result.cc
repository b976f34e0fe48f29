#include "inlay/core/fused_result.h"

#include <algorithm>
#include <array>

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const FusedNodeResult*) {
  using R = FusedNodeResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::name>("name", "the node"),
      Row<&R::executions>("executions", "how often its leaf is executed"),
      Row<&R::operations>("operations", "of all executions, without scaling"),
      Row<&R::recomputed_operations>("recomputed_operations",
                                     "those beyond what the node needs once"),
      Row<&R::scaling_operations>("scaling_operations",
                                  "scalings of its output for an online softmax"),
  });
  return Describe<R, kFields>("FusedNode");
}

const Structure& StructureOf(const FusedHoldResult*) {
  using R = FusedHoldResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::tensor>("tensor", "what is held"),
      Row<&R::tile_words>("tile_words", "words of the largest tile"),
      Row<&R::entered_words>("entered_words",
                             "words that enter from off chip or start there; of what is made and "
                             "read inside, words made"),
  });
  return Describe<R, kFields>("FusedHold");
}

const Structure& StructureOf(const FusedLevelResult*) {
  using R = FusedLevelResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::name>("name", "the level"),
      Row<&R::energy_pj>("energy_pj", "energy of its accesses and its leakage"),
      Row<&R::tensors>("tensors", "the words that it moves"),
  });
  return Describe<R, kFields>("FusedLevel");
}

const Structure& StructureOf(const FusedEvalResult*) {
  using R = FusedEvalResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::header>("", "", {.inlined = true}),
      Row<&R::problem>("problem", "the nodes together"),
      Row<&R::architecture>("architecture", "the architecture"),
      Row<&R::operations>("operations", "all that are executed"),
      Row<&R::recomputed_operations>("recomputed_operations",
                                     "those beyond what the nodes need once"),
      Row<&R::scaling_operations>("scaling_operations", "scalings for online softmaxes"),
      Row<&R::offchip_words>("offchip_words", "words to and from the outermost level"),
      Row<&R::room_words>("room_words", "words that the tree takes in the pad, before buffering"),
      Row<&R::numeric_check>("numeric_check", "walk: ok, the computed result is right",
                             {.presence = Presence::kUnlessDefault}),
      Row<&R::energy_pj>("energy_pj", "energy of compute and all levels"),
      Row<&R::compute_energy_pj>("compute_energy_pj", "energy of the operations"),
      Row<&R::cycles>("cycles", "overlapped where the pad is buffered twice, else sequential"),
      Row<&R::sequential_cycles>("sequential_cycles", "with moves and leaves one after the other"),
      Row<&R::overlapped_cycles>("overlapped_cycles",
                                 "with moves behind computing: of each run the slowest resource"),
      Row<&R::edp>("edp", "energy × cycles, in pJ"),
      Row<&R::nodes>("nodes", "what every node does"),
      Row<&R::holds>("holds", "what is held, in the order of the tree"),
      Row<&R::levels>("levels", "what every level moves, outermost first"),
      Row<&R::tree>("tree", "the tree, in lines of the native format"),
      Row<&R::measured>("measured", "differs from run to run"),
  });
  return Describe<R, kFields>("FusedEvalResult");
}

std::vector<FusedNodeResult> FusedNodesOf(const FusedProblem& problem, const FusedCounts& counts) {
  std::vector<FusedNodeResult> nodes;
  for (NodeId n : Ids(problem.nodes)) {
    const FusedNodeCounts& own = counts.nodes[n];
    const int64_t once = Operations(ProblemOf(problem, n));
    nodes.push_back({problem.nodes[n].name, own.executions, own.operations,
                     std::max<int64_t>(0, own.operations - once), own.scalings});
  }
  return nodes;
}

FusedHoldResult ResultOf(const FusedProblem& problem, const FusedHoldCounts& hold) {
  return {problem.tensors[hold.tensor], hold.tile_words, hold.entered_words};
}

void SetCost(const FusedProblem& problem, const Architecture& architecture, const FusedCost& cost,
             FusedEvalResult* result) {
  result->operations = cost.operations;
  result->recomputed_operations = cost.recomputed_operations;
  result->scaling_operations = cost.scaling_operations;
  result->offchip_words = cost.offchip_words;
  result->room_words = cost.counts.room_words;
  result->energy_pj = cost.energy_pj;
  result->compute_energy_pj = cost.compute_energy_pj;
  result->cycles = cost.cycles;
  result->sequential_cycles = cost.sequential_cycles;
  result->overlapped_cycles = cost.overlapped_cycles;
  result->edp = cost.energy_pj * static_cast<double>(cost.cycles);
  result->nodes = FusedNodesOf(problem, cost.counts);
  for (const FusedHoldCounts& hold : cost.counts.holds) {
    result->holds.push_back(ResultOf(problem, hold));
  }
  for (LevelId l : Ids(cost.levels)) {
    FusedLevelResult level{architecture.levels[l].name, cost.levels[l].energy_pj, {}};
    for (TensorId t : Ids(problem.tensors)) {
      level.tensors.emplace_back(problem.tensors[t], cost.levels[l].words[t]);
    }
    result->levels.push_back(std::move(level));
  }
}

}  // namespace inlay
