#pragma once

#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay::thistle {

// Why a space or an objective is beyond the search; empty if it is not.
Faults FaultsOf(const Space& space, const MapOptions& options);

}  // namespace inlay::thistle
