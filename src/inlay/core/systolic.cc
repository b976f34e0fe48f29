#include "inlay/core/systolic.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "inlay/base/fields.h"
#include "inlay/core/key_table.h"

namespace inlay {

const KeyTable& KeysOf(const SystolicArray*) {
  static constexpr KeyTraits kElements = {
      .required = true, .what = "a number of elements", .maximum = 1 << 20};
  static constexpr auto kKeys = std::to_array<KeyRow>({
      KeyOf<&SystolicArray::rows>("rows", "elements from top to bottom", kElements),
      KeyOf<&SystolicArray::columns>("columns", "elements from left to right", kElements),
  });
  return DescribeKeys<SystolicArray, kKeys>("a systolic array");
}

const Structure& StructureOf(const SystolicArray*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&SystolicArray::rows>("rows", "rows of elements"),
      Row<&SystolicArray::columns>("columns", "columns of elements"),
      Row<&SystolicArray::dataflow>("dataflow",
                                    "what stays in the elements: outputs, weights or inputs"),
  });
  return Describe<SystolicArray, kFields>("SystolicArray");
}

std::optional<Dataflow> DataflowFromShortName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return FromName<Dataflow>(lower);
}

}  // namespace inlay
