#include "inlay/core/systolic.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "inlay/base/fields.h"
#include "inlay/core/units.h"

namespace inlay {

const Structure& StructureOf(const SystolicArray*) {
  static constexpr KeyTraits kElements = {
      .required = true, .what = "a number of elements", .maximum = 1 << 20};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&SystolicArray::rows>("rows", "elements from top to bottom", kElements).InResults(),
      KeyOf<&SystolicArray::columns>("columns", "elements from left to right", kElements)
          .InResults(),
      Row<&SystolicArray::dataflow>("dataflow",
                                    "what stays in the elements: outputs, weights or inputs"),
  });
  return Describe<SystolicArray, kKeys>("SystolicArray", "a systolic array");
}

std::optional<Dataflow> DataflowFromShortName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return FromName<Dataflow>(lower);
}

}  // namespace inlay
