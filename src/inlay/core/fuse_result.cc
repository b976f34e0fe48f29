#include "inlay/core/fuse_result.h"

#include <array>

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const FuseCost*) {
  using R = FuseCost;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::offchip_words>("offchip_words", "words to and from the outermost level"),
      Row<&R::energy_pj>("energy_pj", "energy of compute and all levels"),
      Row<&R::cycles>("cycles", "overlapped where the pad is buffered twice, else sequential"),
      Row<&R::sequential_cycles>("sequential_cycles", "with moves and leaves one after the other"),
      Row<&R::overlapped_cycles>("overlapped_cycles",
                                 "with moves behind computing: of each run the slowest resource"),
      Row<&R::edp>("edp", "energy × cycles, in pJ"),
      Row<&R::operations>("operations", "all that are executed"),
      Row<&R::recomputed_operations>("recomputed_operations",
                                     "those beyond what the nodes need once"),
      Row<&R::scaling_operations>("scaling_operations", "scalings for online softmaxes"),
  });
  return Describe<R, kFields>("FuseCost");
}

FuseCost FuseCostOf(const FusedCost& cost) {
  FuseCost out;
  out.offchip_words = cost.offchip_words;
  out.energy_pj = cost.energy_pj;
  out.cycles = cost.cycles;
  out.sequential_cycles = cost.sequential_cycles;
  out.overlapped_cycles = cost.overlapped_cycles;
  out.edp = cost.energy_pj * static_cast<double>(cost.cycles);
  out.operations = cost.operations;
  out.recomputed_operations = cost.recomputed_operations;
  out.scaling_operations = cost.scaling_operations;
  return out;
}

const Structure& StructureOf(const FuseRunResult*) {
  using R = FuseRunResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::nodes>("nodes", "the nodes of the run, in their order"),
      Row<&R::tree>("tree", "its tree, in lines of the native format"),
      Row<&R::cost>("cost", "what these nodes cost"),
      Row<&R::room_words>("room_words", "words that it takes in the pad, before buffering"),
      Row<&R::certificate>("certificate", "what is proven of this run by itself"),
  });
  return Describe<R, kFields>("FuseRun");
}

const Structure& StructureOf(const UnfusedResult*) {
  using R = UnfusedResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::cost>("", "", {.inlined = true}),
      Row<&R::room_words>("room_words", "words that it takes in the pad, before buffering"),
      Row<&R::certificate>("certificate", "what is proven of it"),
  });
  return Describe<R, kFields>("Unfused");
}

const Structure& StructureOf(const FrontTree*) {
  using R = FrontTree;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::proven>("proven",
                      "no tree has fewer words in this pad, or as few words in a smaller one"),
      Row<&R::tree>("tree", "the tree, in lines of the native format"),
  });
  return Describe<R, kFields>("FrontTree");
}

const Structure& StructureOf(const FuseResult::Measured*) {
  using R = FuseResult::Measured;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::seconds>("seconds", "time of the search"),
      Row<&R::nodes>("nodes", "partial trees looked at"),
      Row<&R::evaluations>("evaluations", "complete trees evaluated"),
      Row<&R::threads>("threads", "threads that searched"),
  });
  return Describe<R, kFields>("FuseMeasured");
}

const Structure& StructureOf(const FuseResult*) {
  using R = FuseResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::header>("", "", {.inlined = true}),
      Row<&R::problem>("problem", "the nodes together"),
      Row<&R::architecture>("architecture", "the architecture"),
      Row<&R::interrupted>("interrupted", "stopped by the user",
                           {.presence = Presence::kUnlessDefault}),
      Row<&R::runs>("runs", "ranges of nodes, each under one tree, in the order of the nodes"),
      Row<&R::total>("total", "what all runs cost"),
      Row<&R::room_words>("room_words", "words that the trees take in the pad, before buffering"),
      Row<&R::certificate>("certificate", "what is proven of the total"),
      Row<&R::bound_any_fusion>("bound_any_fusion",
                                "no fused mapping of these nodes in this order has less of the "
                                "first metric, whatever it shares"),
      Row<&R::compulsory_words>("compulsory_words",
                                "off-chip words of any mapping in a pad of any size: inputs that "
                                "are needed once, outputs once"),
      Row<&R::unfused>("unfused", "the best mapping in which every node is a run of its own"),
      Row<&R::front>("front",
                     "pairs: words of the pad, fewest off-chip words; no smaller pad has as few"),
      Row<&R::unfused_front>("unfused_front", "the same with every node a run of its own"),
      Row<&R::front_trees>("front_trees", "the trees of 'front'"),
      Row<&R::nodes>("nodes", "what every node does"),
      Row<&R::holds>("holds", "what is held, in the order of the tree"),
      Row<&R::levels>("levels", "what every level moves, outermost first"),
      Row<&R::compute_energy_pj>("compute_energy_pj", "energy of the operations"),
      Row<&R::tree>("tree", "the tree of all runs, in lines of the native format"),
      Row<&R::hardware>("hardware", "the memories and the array of the architecture"),
      Row<&R::measured>("measured", "differs from run to run"),
  });
  return Describe<R, kFields>("FuseResult");
}

}  // namespace inlay
