#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// Several nodes of a network that run as one step of a plan: consecutive ones, on one unit with a
// peak rate, under the loops of a tree (docs/reference/fused-semantics.md). What such a step costs
// is said in docs/reference/scratchpad.md.
struct FusedStep {
  std::vector<NodeId> nodes;  // of the graph, in order; the first is the step's own
  std::vector<std::string> names;
  FusedProblem problem;                   // of these nodes
  IndexedVector<NodeId, double> seconds;  // of each node of the problem, computed once
  IndexedVector<TensorId, int> bits;      // of an element
  // By tensor: the operand of the step that has its words; none: no other step sees the tensor.
  IndexedVector<TensorId, std::optional<size_t>> operands;
  // By operand: the bytes that are read of one that is no tensor of the problem, such as a bias.
  // It is moved once, and is in the pad throughout.
  std::vector<int64_t> whole_bytes;
  std::vector<FusedTree> trees;  // by tiling of the step
};

// What is wrong with a tree of the step's nodes: it is not legal, it is several runs, or it sends
// a tensor off chip that it both writes and reads. `where` is "tree[i]" or "tree".
Faults CheckTree(const FusedStep& step, const FusedTree& tree);

// The off-chip memory and a pad without bounds, with elements of so many bits.
Architecture PadArchitecture(const FusedProblem& problem, const IndexedVector<TensorId, int>& bits);

// What a step of a sound tree computes, moves and holds.
class FusedStepCost {
 public:
  // None where a count does not fit into 64 bits. Step and tree outlive it.
  static std::optional<FusedStepCost> Of(const FusedStep& step, const FusedTree& tree);

  double compute_seconds() const { return compute_seconds_; }
  const std::vector<int64_t>& operand_bytes() const { return operand_bytes_; }
  int64_t inside_bytes() const { return inside_bytes_; }
  const FusedCounts& counts() const { return counts_; }
  // By tensor: bits of the pad that a word of its tiles takes if these operands lie off chip.
  IndexedVector<TensorId, int> RoomBits(const std::vector<bool>& off_chip) const;
  // Bytes of the pad that the tiles take if these operands lie off chip; not rounded to its
  // alignment.
  int64_t RoomBytes(const std::vector<bool>& off_chip) const;

  // Ways to account for the room by operands: each is the tree, with workspaces that are enough
  // wherever the operands lie, and exact where those of one set lie on chip: none, all, weights, or
  // all but weights.
  std::vector<Tiling> Tilings(const std::vector<bool>& is_weight) const;

 private:
  FusedStepCost(const FusedStep& step, const FusedTree& tree) : step_(step), tree_(tree) {}
  int64_t RoomBytesBy(const IndexedVector<TensorId, int>& bits) const;
  Tiling TilingFor(const std::vector<bool>& on_chip) const;

  const FusedStep& step_;
  const FusedTree& tree_;
  FusedCounts counts_;
  double compute_seconds_ = 0;
  std::vector<int64_t> operand_bytes_;
  int64_t inside_bytes_ = 0;
  // By tensor: bits of the pad that a word of its tiles takes where it lies off chip.
  IndexedVector<TensorId, int> room_bits_;
};

// Bytes of the pad that the tree of a tiling of a fused step takes if these operands lie off chip.
// Faults: the tree is unsound, or the tiling is not what the tree says: its time of computing, its
// traffic.
tl::expected<int64_t, Faults> CheckedRoomBytes(const PlanNode& node, size_t tiling,
                                               const std::vector<bool>& off_chip);

}  // namespace inlay
