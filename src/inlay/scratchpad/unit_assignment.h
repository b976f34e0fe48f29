#pragma once

#include "inlay/core/machine.h"

namespace inlay {

// The unit that a node runs on: the fastest if it multiplies, else the slowest; of equals the
// first. An architecture counts as faster than a peak.
UnitId UnitFor(const Machine& machine, bool multiplies);

// By unit the largest pad that it reaches, the first of equals; the first of all where it reaches
// none.
IndexedVector<UnitId, PadId> WorkspacePads(const Machine& machine);

}  // namespace inlay
