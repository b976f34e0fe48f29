#pragma once

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// DNNOPT (Ranawaka, Azhar and Stenström): the blocks and the loop order with the fewest off-chip
// accesses, by its own model, on a systolic array with one on-chip memory.
//
// It reads from the architecture: the bandwidths of the outermost level; capacity or partitions,
// buffering and word bits of the second; the fan-out below the second (x: columns, y: rows); what
// the third, if there is one, must hold. It refuses other fan-outs, more levels, and a second level
// that does not hold all tensors. It chooses by off-chip accesses whatever the objective, from its
// own blocks whatever the mapspace, and refuses constraints that its mapping breaks.
//
// The answer holds a mapping and its exact cost besides the model's figures. A heuristic: its model
// counts at least the exact off-chip words, and more where wrap-around tiles overlap (order only:
// where the memory could keep more than the blocks that the mapping writes down).
LayerAnswer SearchDnnopt(const Space& space, const MapOptions& options, const Deadline& deadline,
                         const MapProgressSink& progress);

}  // namespace inlay
