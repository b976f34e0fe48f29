#pragma once

#include "inlay/core/mapping.h"
#include "inlay/mapper/exact/box_bound.h"
#include "inlay/mapspace/space.h"

namespace inlay::testing {

// Sizes of the tiles and lanes of a mapping, as a range that holds nothing else.
exact_search::BoxRange BoxSizesOf(const Space& space, const Mapping& mapping);

}  // namespace inlay::testing
