#pragma once

#include "inlay/core/graph.h"
#include "inlay/core/machine.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// A valid graph of up to `most_nodes` nodes most of which read what the one before them writes:
// convolutions, products, elementwise nodes with and without a second operand, softmaxes, norms,
// poolings, views, nodes that only move words. Small enough to walk.
Graph RandomChain(Random& random, int64_t most_nodes);

// A machine of one unit with a peak rate and one or two small pads, of which one may be slow.
Machine RandomPeakMachine(Random& random);

}  // namespace inlay::testing
