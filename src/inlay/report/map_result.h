#pragma once

#include "inlay/core/architecture.h"
#include "inlay/core/map_result.h"
#include "inlay/core/network.h"

namespace inlay::report {

// What a search found, in names and texts. An answer without a mapping comes with the reasons.
LayerResult LayerResultOf(const Layer& layer, const Architecture& architecture,
                          const LayerAnswer& answer);

// Why an answer has no mapping, with hints; empty if it has one. `where` is not set.
Faults ReasonsOf(const LayerAnswer& answer);

}  // namespace inlay::report
