#pragma once

#include "inlay/scratchpad/incremental_cost.h"

namespace inlay {

// Strategy `next-use`, OnSRAM's one-step scheme: a tensor that the very next step reads is held for
// it, in the first of the cheapest pads. If a further step reads it later, it is also written back.
void HoldForNextStep(IncrementalCost* costs);

}  // namespace inlay
