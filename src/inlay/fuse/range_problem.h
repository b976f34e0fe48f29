#pragma once

#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"

namespace inlay {

// The nodes from `first` to before `end` as a problem by themselves, with all dimensions and
// tensors of the whole under their numbers. What nodes outside need becomes one of its outputs.
FusedProblem RangeProblem(const FusedProblem& problem, NodeId first, NodeId end);

// The same tree with `by` added to the numbers of its nodes.
FusedTree WithNodesMoved(FusedTree tree, int64_t by);

}  // namespace inlay
