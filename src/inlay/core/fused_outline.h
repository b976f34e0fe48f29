#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/fused_box.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"

namespace inlay {

// A tree by numbered places, depth first, with what follows from its form. The tree and the problem
// outlive it. Sections of docs/reference/fused-semantics.md are named where they say what is meant.

// How far one iteration of a loop shifts what each node of its range computes, by node and
// dimension (section 3); empty for other nodes.
struct FusedShifts {
  std::vector<NodeId> sinks;
  IndexedVector<NodeId, IndexedVector<DimId, int64_t>> of;
};

enum class FusedHoldKind { kInput, kOutput, kFused };

struct FusedHoldPlace {
  FusedHoldKind kind = FusedHoldKind::kInput;
  std::vector<NodeId> readers;   // in the range
  std::optional<NodeId> writer;  // in the range
  bool drains = false;           // fused, and the tensor is needed outside the range as well
  // Fused and not retaining, with nothing but holds between it and this split, where its tile
  // counts in some children only (section 6).
  std::optional<size_t> lifetime_split;
};

struct FusedPlace {
  const FusedTree* tree = nullptr;
  std::optional<size_t> parent;
  std::vector<size_t> children;
  NodeId first, end;             // the range: nodes from `first` to before `end`
  std::vector<size_t> loops;     // the places of the loops above, outer to inner
  std::vector<size_t> holds;     // of the holds above
  size_t loops_above_split = 0;  // of `loops`, those above the innermost split above
};

class FusedOutline {
 public:
  // The tree has the leaves of rule 1.
  FusedOutline(const FusedProblem& problem, const FusedTree& tree);

  const std::vector<FusedPlace>& places() const { return places_; }
  const FusedPlace& operator[](size_t place) const { return places_[place]; }
  const FusedShifts& ShiftsOf(size_t loop) const { return *shifts_[loop]; }
  const FusedHoldPlace& HoldAt(size_t hold) const { return *holds_[hold]; }
  size_t LeafOf(NodeId node) const { return leaves_[node]; }

  bool IsIn(size_t place, NodeId node) const {
    return places_[place].first <= node && node < places_[place].end;
  }
  // The readers of a tensor that are in the range of the place, in order.
  std::vector<NodeId> ReadersIn(size_t place, TensorId tensor) const;
  // The hold of the tensor above the node's leaf.
  std::optional<size_t> HoldOf(NodeId node, TensorId tensor) const;
  // How far an iteration of the loop moves what the node touches of a tensor along a rank.
  int64_t ShiftAlong(size_t loop, NodeId node, const Rank& rank) const;
  // Whether the loop goes through a reduction of the node.
  bool Reduces(size_t loop, NodeId node) const;

 private:
  size_t AddPlace(const FusedTree& tree, std::optional<size_t> parent);
  FusedShifts MakeShifts(size_t loop) const;
  FusedHoldPlace MakeHold(size_t hold) const;

  const FusedProblem& problem_;
  std::vector<FusedPlace> places_;
  std::vector<std::optional<FusedShifts>> shifts_;
  std::vector<std::optional<FusedHoldPlace>> holds_;
  IndexedVector<NodeId, size_t> leaves_;
};

// Everything that makes a tree illegal (section 3). `where` is "tree[i]", the place depth first.
// The problem is valid; mappings of leaves are not looked at.
Faults Validate(const FusedProblem& problem, const FusedTree& tree);

// By place: what each node of its range computes in one context; empty for other nodes. The tree is
// legal, whatever the steps of its loops.
using FusedDomains = std::vector<IndexedVector<NodeId, FusedDomain>>;
// In the first context, as large as they are where no border makes them smaller (Unclipped).
FusedDomains FirstDomains(const FusedProblem& problem, const FusedOutline& outline);
// In a context in which the loops of `last` are in their last turn, which may be short, and of
// outputs that are retained only those words are computed that a turn has and the one before had
// not.
FusedDomains LaterDomains(const FusedProblem& problem, const FusedOutline& outline,
                          const std::set<size_t>& last);
// What the node of a leaf computes in the first context, as a problem by itself.
Problem FirstProblemOf(const FusedProblem& problem, const FusedDomain& domain, NodeId node);

}  // namespace inlay
