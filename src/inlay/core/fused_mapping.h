#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_problem.h"
#include "inlay/core/mapping.h"

namespace inlay {

// The parts of a tree. What they mean: docs/reference/fused-semantics.md.

// Cuts dimension `dim` of the nodes inside into tiles of `step`; the last one is clipped.
struct FusedLoop {
  DimId dim;
  int64_t step = 1;
  bool operator==(const FusedLoop&) const = default;
};

// The pad holds, for everything inside, a tile of the tensor.
struct FusedHold {
  TensorId tensor;
  bool retain = false;  // of an intermediate: what is there from before is not computed again
  bool operator==(const FusedHold&) const = default;
};

// The children one after the other.
struct FusedSplit {
  bool operator==(const FusedSplit&) const = default;
};

// One node on the tile that the loops above leave of it.
struct FusedLeaf {
  NodeId node;
  bool online = false;  // a softmax that is computed step by step
  // Of the node's problem with its first domain as bounds, on the architecture of leaves; none: the
  // one that DefaultLeafMapping makes.
  std::optional<Mapping> mapping;
  bool operator==(const FusedLeaf&) const = default;
};

struct FusedTree {
  std::variant<FusedLoop, FusedHold, FusedSplit, FusedLeaf> part = FusedSplit();
  std::vector<FusedTree> children;  // loops and holds: one; splits: two or more; leaves: none

  const FusedLoop* loop() const { return std::get_if<FusedLoop>(&part); }
  const FusedHold* hold() const { return std::get_if<FusedHold>(&part); }
  const FusedLeaf* leaf() const { return std::get_if<FusedLeaf>(&part); }
  bool IsSplit() const { return std::holds_alternative<FusedSplit>(part); }
  bool operator==(const FusedTree&) const = default;
};

// The architecture that a leaf's mapping is for: without the off-chip level, so that the pad is the
// outermost.
Architecture LeafArchitecture(const Architecture& architecture);

// The pad keeps all and loops over the dimensions of more than one iteration, in order, with step
// 1; levels further in keep what they may; nothing is parallel.
Mapping DefaultLeafMapping(const Problem& problem, const Architecture& leaf_architecture);

// The same mapping for bounds that are no larger: steps larger than their range become the range.
Mapping ClippedTo(const Problem& problem, Mapping mapping);

// What is wrong with an architecture for fused mappings: one level only, a fan-out or partitions
// where there must be none, a tensor that may not be kept. `where` as in Validate(architecture).
Faults CheckFusedArchitecture(const FusedProblem& problem, const Architecture& architecture);

}  // namespace inlay
