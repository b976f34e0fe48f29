#pragma once

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// Thistle's way: one geometric program per combination of loop orders worth telling apart, solved
// in real numbers, rounded to divisors, the candidates evaluated. It proves nothing. Any number of
// levels; ranks of at most two dimensions; every level either keeps a tensor or does not. The
// mapping is perfect, whatever the mapspace. How: docs/reference/geometric-programs.md.
LayerAnswer SearchGp(const Space& space, const MapOptions& options, const Deadline& deadline,
                     const MapProgressSink& progress);

}  // namespace inlay
