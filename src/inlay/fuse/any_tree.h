#pragma once

#include <optional>

#include "inlay/core/architecture.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// Of a problem of one node: loops over all of its dimensions with tiles as large as fit, and inside
// them all of its tensors. Found at once; nothing is proven. None where it does not fit in tiles of
// one iteration.
std::optional<FusedSolution> AnyTreeOf(const FusedProblem& problem,
                                       const Architecture& architecture, FusedTiles tiles);

}  // namespace inlay
