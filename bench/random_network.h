#pragma once

#include <cstdint>

#include "inlay/core/graph.h"

namespace inlay::bench {

// A network of so many nodes, convolutions, sums, activations and concatenations of square maps,
// whose operands lie up to `span` tensors back: the larger, the more is alive at once.
Graph RandomNetwork(uint64_t seed, int nodes, int span);

}  // namespace inlay::bench
