#include "inlay/fuse/range_problem.h"

#include <algorithm>
#include <utility>

namespace inlay {

FusedProblem RangeProblem(const FusedProblem& problem, NodeId first, NodeId end) {
  FusedProblem range;
  range.name = problem.name;
  range.dims = problem.dims;
  range.tensors = problem.tensors;
  for (NodeId n = first; n < end; ++n) range.nodes.push_back(problem.nodes[n]);
  for (NodeId n = first; n < end; ++n) {
    const TensorId output = OutputOf(problem.nodes[n]).tensor;
    const auto readers = ReadersOf(problem, output);
    const auto inside = std::count_if(readers.begin(), readers.end(),
                                      [end](NodeId reader) { return reader < end; });
    const bool needed =
        IsListedOutput(problem, output) || inside < static_cast<std::ptrdiff_t>(readers.size());
    if (inside > 0 && needed) range.outputs.push_back(output);
  }
  return range;
}

FusedTree WithNodesMoved(FusedTree tree, int64_t by) {
  if (auto* leaf = std::get_if<FusedLeaf>(&tree.part)) {
    leaf->node = NodeId(static_cast<size_t>(static_cast<int64_t>(leaf->node.value()) + by));
  }
  for (FusedTree& child : tree.children) child = WithNodesMoved(std::move(child), by);
  return tree;
}

}  // namespace inlay
