#pragma once

#include <optional>

#include "inlay/mapper/mapper.h"

namespace inlay {

// Some mapping that fits, for a search that was stopped before it had one; see
// exact/first_mapping.h. It costs what the semantics of the options say.
std::optional<Solution> AnyMapping(const Space& space, const MapOptions& options);

}  // namespace inlay
