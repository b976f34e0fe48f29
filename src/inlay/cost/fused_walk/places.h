#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"

namespace inlay::fused_walk {

// What a hold is for: the writer of its tensor is not in its range, only the writer is, or the
// writer and readers are.
enum class HoldKind { kInput, kOutput, kFused };

// A part of the tree. Its number is its place in the order of the tree, depth first.
struct Place {
  const FusedTree* tree = nullptr;
  std::vector<size_t> above;         // the parts that it is inside of, outer to inner
  std::vector<size_t> children;      // in the order of time
  size_t end = 0;                    // one past the last part inside it
  std::set<NodeId> range;            // the nodes of its leaves
  HoldKind kind = HoldKind::kInput;  // of a hold
};

// How far the words or iterations move when a loop goes on by one.
using Shifts = std::map<NodeId, std::map<DimId, int64_t>>;

class Places {
 public:
  // Both are kept by reference. The problem is valid.
  Places(const FusedProblem& problem, const FusedTree& tree);

  size_t size() const { return places_.size(); }
  const Place& operator[](size_t place) const { return places_[place]; }

  std::optional<size_t> LeafOf(NodeId node) const;
  // The innermost hold of a tensor above a part.
  std::optional<size_t> HoldAbove(size_t place, TensorId tensor) const;
  // The hold above the leaf of the tensor's writer, if it is fused and retains.
  std::optional<size_t> RetainingHoldOf(TensorId tensor) const;
  std::vector<size_t> LoopsAbove(size_t place) const;
  bool IsInside(size_t inner, size_t outer) const;
  std::vector<NodeId> ReadersIn(size_t place, TensorId tensor) const;
  // Whether a node of the range of a part has an output that no node of the range reads.
  bool IsSink(size_t place, NodeId node) const;
  // The shifts of the dimensions of every node in the range of a loop: section 3.
  Shifts ShiftsOf(size_t loop) const;
  // Whether one of the dimensions that the output of a node has not is shifted.
  bool ShiftsReduced(size_t loop, NodeId node) const;

 private:
  void Add(const FusedTree& tree, std::vector<size_t> above);
  HoldKind KindOf(size_t place) const;

  const FusedProblem& problem_;
  std::vector<Place> places_;
};

}  // namespace inlay::fused_walk
