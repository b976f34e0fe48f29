#pragma once

#include <cstdint>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_outline.h"

namespace inlay {

// Words of the pad that a legal tree takes, before buffering (docs/reference/fused-semantics.md,
// section 6). Saturates.
int64_t FusedRoomWords(const FusedProblem& problem, const Architecture& architecture,
                       const FusedOutline& outline);

// One sentence per memory that is too small. Empty if all fits. `where` is "levels.NAME", or
// "tree[i]" where the mapping of a leaf does not fit.
Faults CheckFusedCapacity(const FusedProblem& problem, const Architecture& architecture,
                          const FusedOutline& outline);

}  // namespace inlay
