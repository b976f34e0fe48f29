#pragma once

#include "inlay/base/deadline.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// The answer of Fuse() for off-chip words where something slides: the best runs, one after the
// other, of trees that are found by range. Ranges of products have their best tree, others one of a
// few forms. What meets the compulsory words is optimal, else these are the bound.
FuseAnswer FuseRanges(const FusedProblem& problem, const Architecture& architecture,
                      const FuseOptions& options, const Deadline& deadline);

}  // namespace inlay
