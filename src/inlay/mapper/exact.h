#pragma once

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"

namespace inlay {

// The best mapping of a layer under `exact` semantics, with a proof: every mapping of the space is
// looked at or lies in a set whose lower bound is above the answer.
// docs/reference/mapper-bounds.md.
LayerAnswer SearchExact(const Space& space, const MapOptions& options, const Deadline& deadline,
                        const MapProgressSink& progress = {});

}  // namespace inlay
