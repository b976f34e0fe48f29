#pragma once

#include "inlay/base/deadline.h"
#include "inlay/fuse/fuse.h"
#include "inlay/fuse/product_graph.h"

namespace inlay {

// The answer of Fuse() for off-chip words of a graph of products. Without a best tree: infeasible,
// interrupted before there was one, or no tree that was found fits the levels inside the pad.
FuseAnswer FuseProducts(const FusedProblem& problem, const Architecture& architecture,
                        const FuseOptions& options, const ProductGraph& graph,
                        const Deadline& deadline);

}  // namespace inlay
