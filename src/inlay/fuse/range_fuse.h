#pragma once

#include "inlay/base/deadline.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fused_problem.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// The best runs of all nodes, one after the other, of at most options.run_nodes nodes each: a
// dynamic program over the places where runs end. Ranges that cannot gain are not searched.
FuseAnswer FuseRanges(const FusedProblem& problem, const Architecture& architecture,
                      const FuseOptions& options, const Deadline& deadline,
                      const FuseProgressSink& progress);

}  // namespace inlay
