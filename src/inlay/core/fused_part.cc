#include "inlay/core/fused_part.h"

#include <algorithm>
#include <utility>

namespace inlay {
namespace {

// What `keep` refers to by numbers, without the rest; the numbers are then those of the new list.
template <typename Id, typename T>
IndexedVector<Id, T> WithoutOthers(const IndexedVector<Id, T>& all, std::vector<Id> keep,
                                   IndexedVector<Id, Id>* numbers, IndexedVector<Id, Id>* kept) {
  std::sort(keep.begin(), keep.end());
  keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
  numbers->assign(all.size(), Id(0));
  IndexedVector<Id, T> list;
  for (const Id id : keep) {
    (*numbers)[id] = Id(list.size());
    list.push_back(all[id]);
    kept->push_back(id);
  }
  return list;
}

template <typename NodeOf, typename DimOf, typename TensorOf>
void Renumber(const NodeOf& node_of, const DimOf& dim_of, const TensorOf& tensor_of,
              FusedTree* tree) {
  if (auto* loop = std::get_if<FusedLoop>(&tree->part)) loop->dim = dim_of(loop->dim);
  if (auto* hold = std::get_if<FusedHold>(&tree->part)) hold->tensor = tensor_of(hold->tensor);
  if (auto* leaf = std::get_if<FusedLeaf>(&tree->part)) leaf->node = node_of(leaf->node);
  for (FusedTree& child : tree->children) Renumber(node_of, dim_of, tensor_of, &child);
}

template <typename Id>
Id IndexIn(const IndexedVector<Id, Id>& ascending, Id id) {
  return Id(static_cast<size_t>(std::lower_bound(ascending.begin(), ascending.end(), id) -
                                ascending.begin()));
}

NodeId FirstLeafOf(const FusedTree& tree) {
  return tree.leaf() != nullptr ? tree.leaf()->node : FirstLeafOf(tree.children.front());
}

}  // namespace

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
  Renumber(
      [by](NodeId n) { return NodeId(static_cast<size_t>(static_cast<int64_t>(n.value()) + by)); },
      [](DimId dim) { return dim; }, [](TensorId tensor) { return tensor; }, &tree);
  return tree;
}

FusedPart PartOf(const FusedProblem& problem, NodeId first, NodeId end) {
  FusedPart part;
  part.first = first;
  part.problem = RangeProblem(problem, first, end);
  std::vector<DimId> dims;
  std::vector<TensorId> tensors;
  for (const FusedNode& node : part.problem.nodes) {
    for (const DimId d : DimsOf(problem, node)) dims.push_back(d);
    for (const FusedOperand& operand : node.operands) tensors.push_back(operand.tensor);
  }
  IndexedVector<DimId, DimId> dim_numbers;
  IndexedVector<TensorId, TensorId> tensor_numbers;
  part.problem.dims = WithoutOthers(problem.dims, std::move(dims), &dim_numbers, &part.dims);
  part.problem.tensors =
      WithoutOthers(problem.tensors, std::move(tensors), &tensor_numbers, &part.tensors);
  for (FusedNode& node : part.problem.nodes) {
    for (FusedOperand& operand : node.operands) {
      operand.tensor = tensor_numbers[operand.tensor];
      for (Rank& rank : operand.ranks) {
        for (Term& term : rank.terms) term.dim = dim_numbers[term.dim];
      }
    }
    if (node.softmax) node.softmax = dim_numbers[*node.softmax];
    if (node.rows) node.rows = dim_numbers[*node.rows];
  }
  for (TensorId& output : part.problem.outputs) output = tensor_numbers[output];
  return part;
}

FusedTree TreeInWhole(const FusedPart& part, FusedTree tree) {
  Renumber([&](NodeId node) { return NodeId(node.value() + part.first.value()); },
           [&](DimId dim) { return part.dims[dim]; },
           [&](TensorId tensor) { return part.tensors[tensor]; }, &tree);
  return tree;
}

FusedTree TreeInPart(const FusedPart& part, FusedTree tree) {
  Renumber([&](NodeId node) { return NodeId(node.value() - part.first.value()); },
           [&](DimId dim) { return IndexIn(part.dims, dim); },
           [&](TensorId tensor) { return IndexIn(part.tensors, tensor); }, &tree);
  return tree;
}

FusedTree TreeOfRuns(std::vector<FusedTree> runs) {
  if (runs.size() == 1) return std::move(runs.front());
  FusedTree tree;
  tree.children = std::move(runs);
  return tree;
}

std::vector<FusedRunTree> RunTreesOf(const FusedProblem& problem, const FusedTree& tree) {
  std::vector<FusedRunTree> runs;
  if (tree.IsSplit()) {
    for (const FusedTree& child : tree.children) runs.push_back({FirstLeafOf(child), {}, &child});
  } else {
    runs.push_back({NodeId(0), {}, &tree});
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].end = i + 1 < runs.size() ? runs[i + 1].first : NodeId(problem.nodes.size());
  }
  return runs;
}

}  // namespace inlay
