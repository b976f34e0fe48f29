#include "inlay/core/systolic_result.h"

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const SystolicCost*) {
  using Figures = SystolicCost;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Figures::operations>("operations", "multiply-accumulates"),
      Row<&Figures::folds>("folds", "times that the array is filled"),
      Row<&Figures::cycles_per_fold>("cycles_per_fold", "cycles of each"),
      Row<&Figures::cycles>("cycles", "index of the last cycle"),
      Row<&Figures::utilization>("utilization", "operations / (elements × cycles)"),
      Row<&Figures::mapping_efficiency>(
          "mapping_efficiency", "share of the elements that hold work, averaged over folds"),
      Row<&Figures::input_reads>("input_reads", "words read from the inputs' SRAM",
                                 {.group = "sram"}),
      Row<&Figures::weight_reads>("weight_reads", "words read from the weights' SRAM",
                                  {.group = "sram"}),
      Row<&Figures::output_writes>("output_writes", "words written to the outputs' SRAM",
                                   {.group = "sram"}),
  });
  return Describe<Figures, kFields>("SystolicCost");
}

const Structure& StructureOf(const SystolicLayer*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&SystolicLayer::name>("name", "the layer"),
      Row<&SystolicLayer::repeat>("repeat", "how often the network has it"),
      Row<&SystolicLayer::cost>("", "", {.inlined = true}),
  });
  return Describe<SystolicLayer, kFields>("SystolicLayer");
}

const Structure& StructureOf(const SystolicResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&SystolicResult::header>("", "", {.inlined = true}),
      Row<&SystolicResult::array>("array", "the array"),
      Row<&SystolicResult::layers>("layers", "one run of every layer"),
      Row<&SystolicResult::total_operations>("operations", "of all repeats", {.group = "total"}),
      Row<&SystolicResult::total_cycles>("cycles", "of all repeats", {.group = "total"}),
      Row<&SystolicResult::total_utilization>("utilization", "operations / (elements × cycles)",
                                              {.group = "total"}),
      Row<&SystolicResult::seconds>("seconds", "time of the evaluation", {.group = "measured"}),
  });
  return Describe<SystolicResult, kFields>("SystolicResult");
}

}  // namespace inlay
