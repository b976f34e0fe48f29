#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/fault.h"
#include "inlay/core/ids.h"
#include "inlay/core/problem.h"

namespace inlay {

// The border around a tensor along one rank, as windows read it: zeros that are no words of it.
// What the rank adds up to is the number of a word and `before`; words have the numbers from 0 to
// before `words`.
struct FusedBorder {
  int64_t before = 0;
  int64_t words = 1;
  // As if there were words in the border, too, but no more than `words` at a time: see Unclipped.
  bool unclipped = false;
  bool operator==(const FusedBorder&) const = default;
};

// How one node reads or writes a tensor: ranks over the dimensions of the whole.
struct FusedOperand {
  TensorId tensor;
  std::vector<Rank> ranks;
  bool is_output = false;
  std::vector<FusedBorder> borders = {};  // by rank; empty: all that is read are words
  bool operator==(const FusedOperand&) const = default;
};

struct FusedNode {
  std::string name;
  std::vector<FusedOperand> operands;  // one of them is the output
  // A dimension of the output along which the node needs whole rows: of a softmax, which can also
  // be computed step by step, or of anything else, such as a norm.
  std::optional<DimId> softmax, rows;
  bool operator==(const FusedNode&) const = default;
};
const Structure& StructureOf(const FusedNode*);

// Nodes over shared dimensions that pass tensors on: what a fused mapping maps. Equal names are
// equal ranges. See docs/reference/fused-semantics.md.
struct FusedProblem {
  std::string name;
  IndexedVector<DimId, Dimension> dims;
  IndexedVector<TensorId, std::string> tensors;  // in the order in which nodes name them
  IndexedVector<NodeId, FusedNode> nodes;        // in the order in which they run
  std::vector<TensorId> outputs;                 // that are read, and needed outside as well
  bool operator==(const FusedProblem&) const = default;
};
const Structure& StructureOf(const FusedProblem*);

// Everything that is wrong with a fused problem. `where` is "dims.D", "nodes[i]",
// "nodes[i].TENSOR", "nodes[i].softmax", "nodes[i].rows" or "outputs".
Faults Validate(const FusedProblem& problem);

std::optional<DimId> FindDim(const FusedProblem& problem, std::string_view name);
std::optional<TensorId> FindTensor(const FusedProblem& problem, std::string_view name);
std::optional<NodeId> FindNode(const FusedProblem& problem, std::string_view name);
std::vector<std::string> DimNames(const FusedProblem& problem);
std::vector<std::string> NodeNames(const FusedProblem& problem);

const FusedOperand& OutputOf(const FusedNode& node);
// As the node reads or writes it; null if it does neither.
const FusedOperand* OperandOf(const FusedNode& node, TensorId tensor);
std::optional<NodeId> WriterOf(const FusedProblem& problem, TensorId tensor);
std::vector<NodeId> ReadersOf(const FusedProblem& problem, TensorId tensor);
bool IsListedOutput(const FusedProblem& problem, TensorId tensor);
// The dimensions that the node's tensors have, in the order of the problem's.
std::vector<DimId> DimsOf(const FusedProblem& problem, const FusedNode& node);
// Whether the output of the node does not have the dimension.
bool IsReduced(const FusedNode& node, DimId dim);

// A node as a problem by itself: dimension i of it is DimsOf(…)[i], tensor j the j-th operand.
Problem ProblemOf(const FusedProblem& problem, NodeId node);
bool HasBorders(const FusedProblem& problem);
// The words along a tensor's ranks as far as borders or its writer say them; else none.
std::vector<std::optional<int64_t>> ExtentsOf(const FusedProblem& problem, TensorId tensor);
// The same nodes where no tile is smaller because it lies at a border: boxes have the size that
// they have in the middle of a tensor, if it is large enough for that. Places mean nothing then.
FusedProblem Unclipped(FusedProblem problem);
// The sum over nodes of the product of the bounds. The problem is valid, so it fits.
int64_t Operations(const FusedProblem& problem);

}  // namespace inlay
