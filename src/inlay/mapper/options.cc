#include <array>

#include "inlay/base/fields.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

const Structure& StructureOf(const RandomOptions*) {
  static constexpr OptionTraits kCount = {.value_name = "N", .min = 0};
  static constexpr auto kFields = std::to_array<Field>({
      Row<&RandomOptions::victory_condition>(
          "victory_condition",
          "random: end after this many valid mappings in a row that are not better; 0: never",
          {.option = kCount}),
      Row<&RandomOptions::timeout>(
          "timeout", "random: end after this many invalid mappings in a row; 0: never",
          {.option = kCount}),
      Row<&RandomOptions::search_size>(
          "search_size", "random: end after this many valid mappings in all; 0: never",
          {.option = kCount}),
  });
  return Describe<RandomOptions, kFields>("RandomOptions");
}

const Structure& StructureOf(const DnnoptOptions*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&DnnoptOptions::exit>(
          "exit", "dnnopt: early exit that loses nothing, as the thesis writes it, or none"),
      Row<&DnnoptOptions::stride>("stride",
                                  "dnnopt: step block sizes by the size of the array, or by one"),
      Row<&DnnoptOptions::optimize>(
          "optimize", "dnnopt: choose the order of the loops, the sizes of the blocks, or both"),
      Row<&DnnoptOptions::dataflow>(
          "dataflow", "dnnopt: which operand stays in the array: outputs, weights or inputs"),
  });
  return Describe<DnnoptOptions, kFields>("DnnoptOptions");
}

}  // namespace inlay
