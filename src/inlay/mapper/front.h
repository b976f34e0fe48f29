#pragma once

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// The mappings of a layer that no other one beats in footprint (words occupied at the level inside
// the outermost; 0 if there is none), off-chip words and cycles together, under `exact` semantics.
// Of mappings equal in all three, one. options.front is set. Optimal if the search came to its end;
// else the points found so far, in which those of a small footprint are complete.
LayerAnswer SearchFront(const Space& space, const MapOptions& options, const Deadline& deadline);

}  // namespace inlay
