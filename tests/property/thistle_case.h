#pragma once

#include "inlay/core/cost.h"
#include "inlay/mapspace/space.h"
#include "tests/support/random_case.h"
#include "tests/support/random_space.h"

namespace inlay::testing {

// DRAM – SRAM – a few lanes – registers: random energies, capacities (shared, in parts, of mixed
// widths, double-buffered) and leakage.
Architecture RandomThistleTemplate(Random& random, const Problem& problem);

// A small problem on one of these, at times with constraints.
Space RandomThistleSpace(Random& random, Mapspace mapspace);

// Do the tiles of an evaluated mapping fit, counted as thistle semantics count words?
bool FitsThistle(const Space& space, const Cost& cost);

}  // namespace inlay::testing
