#pragma once

#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/core/architecture.h"
#include "inlay/core/network.h"

namespace inlay {

// A warning for every dimension that a constraint names and no layer has, each once per constraint,
// in the order given: MakeSpace skips such names, so a misspelt one would go unnoticed. The
// dimensions of the built-in layers are always known: an architecture serves networks of any kind.
Diagnostics WarnOfUnknownDims(const Network& network, const Architecture& architecture,
                              const std::vector<Constraint>& more);

}  // namespace inlay
