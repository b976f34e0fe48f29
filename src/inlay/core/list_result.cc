#include "inlay/core/list_result.h"

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const ListedBuiltin*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ListedBuiltin::kind>("kind", "what it is"),
      Row<&ListedBuiltin::name>("name", "its name"),
      Row<&ListedBuiltin::sentence>("description", "what it describes"),
  });
  return Describe<ListedBuiltin, kFields>("ListedBuiltin");
}

const Structure& StructureOf(const ListResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ListResult::header>("", "", {.inlined = true}),
      Row<&ListResult::builtins>("builtins", "what comes with inlay"),
  });
  return Describe<ListResult, kFields>("ListResult");
}

}  // namespace inlay
