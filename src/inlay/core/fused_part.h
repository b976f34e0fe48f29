#pragma once

#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"

namespace inlay {

// Nodes from `first` to before `end` as a problem by themselves, with all dimensions and tensors;
// what they make that others need as well is an output.
FusedProblem RangeProblem(const FusedProblem& problem, NodeId first, NodeId end);
// A tree with other numbers of nodes.
FusedTree WithNodesMoved(FusedTree tree, int64_t by);

// The same with the dimensions and tensors only that the nodes have.
struct FusedPart {
  FusedProblem problem;
  NodeId first;                               // of the whole, the part's node 0
  IndexedVector<DimId, DimId> dims;           // of the whole, by those of the part
  IndexedVector<TensorId, TensorId> tensors;  // the same
};

FusedPart PartOf(const FusedProblem& problem, NodeId first, NodeId end);

// A tree of the part's nodes, by the numbers of the whole and of the part.
FusedTree TreeInWhole(const FusedPart& part, FusedTree tree);
FusedTree TreeInPart(const FusedPart& part, FusedTree tree);

// Of runs, in the order of the nodes, one tree; and the other way round.
FusedTree TreeOfRuns(std::vector<FusedTree> runs);
struct FusedRunTree {
  NodeId first, end;
  const FusedTree* tree = nullptr;  // inside the whole
};
std::vector<FusedRunTree> RunTreesOf(const FusedProblem& problem, const FusedTree& tree);

}  // namespace inlay
