#pragma once

#include <cstdint>

#include "inlay/core/graph.h"

namespace inlay::testing {

// A valid graph of `nodes` nodes of all classes, with branches, several inputs and weights, the
// same for the same seed.
Graph RandomGraph(uint64_t seed, int nodes);

}  // namespace inlay::testing
