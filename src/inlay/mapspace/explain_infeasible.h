#pragma once

#include "inlay/base/deadline.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// Why a space holds no mapping that fits, and what would fix it: a tensor that nothing may keep, a
// dimension without a tiling, lanes that do not suffice or are too many, a memory that is too small
// for even the smallest tiles (how many words too many, of which tensors), or that cannot be filled
// as far as asked for. Sound: empty if a mapping fits. Where the space is too large to be sure,
// or the deadline, if there is one, passes, also empty; small ones are always decided.
Faults ExplainInfeasible(const Space& space, const Deadline* deadline = nullptr);

}  // namespace inlay
