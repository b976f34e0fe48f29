#pragma once

#include "inlay/core/machine.h"

namespace inlay {

// Operations of nodes that do not multiply, per second; of an architecture, of its first vector
// units together. 0: the unit has no time for them.
double VectorRateOf(const ComputeUnit& unit, double clock_hz);

// The unit that a node runs on. If it multiplies, the fastest; an architecture counts as faster
// than a peak. If not, that of the highest vector rate, and of equals, or without such rates, the
// slowest. Of equals the first.
UnitId UnitFor(const Machine& machine, bool multiplies);

// By unit the largest pad that it reaches, the first of equals; the first of all where it reaches
// none.
IndexedVector<UnitId, PadId> WorkspacePads(const Machine& machine);

}  // namespace inlay
