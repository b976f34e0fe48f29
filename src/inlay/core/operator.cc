#include "inlay/core/operator.h"

#include <algorithm>

#include "inlay/base/check.h"

namespace inlay {

const OpInfo& InfoOf(Op op) {
  const OpInfo& info = kOperators.at(static_cast<size_t>(op));
  INLAY_CHECK(info.op == op);
  return info;
}

std::optional<Op> OpFromName(std::string_view name) {
  const auto* found = std::find_if(kOperators.begin(), kOperators.end(),
                                   [name](const OpInfo& info) { return info.name == name; });
  if (found == kOperators.end()) return std::nullopt;
  return found->op;
}

}  // namespace inlay
