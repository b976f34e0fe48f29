#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/graph.h"
#include "inlay/core/machine.h"
#include "inlay/core/plan.h"

namespace inlay {

// A graph and a machine as the planners see them: tensors with sizes, steps with operands, what a
// step costs for every place its operands can lie in. Everything is in bytes and seconds.

// What a way to compute a node does with one of its operands.
struct OperandTraffic {
  // Read or written where the operand lies, off chip or in its pad: once each byte, or more often
  // where the tiling says so.
  int64_t bytes = 0;
  int64_t workspace_bytes = 0;  // for its tile, if it lies off chip
  bool operator==(const OperandTraffic&) const = default;
};

// One way to compute a node. A unit with a peak rate has one, without workspace; a unit with an
// architecture has those of the mapper's fronts.
struct Tiling {
  double compute_seconds = 0;
  std::vector<OperandTraffic> operands;  // as PlanNode::operands
  // Of tensors that no other step sees: read and written in the unit's workspace pad, which holds
  // their tiles wherever the operands lie.
  OperandTraffic inside = {};
  bool operator==(const Tiling&) const = default;
};

struct Operand {
  ValueId tensor;  // owns storage
  bool written = false;
  bool operator==(const Operand&) const = default;
};

struct FusedStep;  // fused_step.h

// What runs in one step: a node; or several that do not depend on each other, each on an equal unit
// of its own; or several that pass tensors on, on one unit under the loops of one tree. Their
// operands together.
struct PlanNode {
  struct Beside {
    std::string name;
    NodeId node;
    UnitId unit;                     // another one, equal to that of the step
    std::vector<ValueId> tensors{};  // of its operands, those of no node of the step before it
  };
  std::string name;
  NodeId node;  // of the graph
  UnitId unit;
  std::vector<Operand> operands;  // a tensor once; what is read before what is written
  std::vector<Tiling> tilings;    // at least one
  // Tensors read here whose place the first tensor written may take, unless a later step reads
  // them.
  std::vector<ValueId> in_place;
  std::vector<Beside> beside = {};
  // The nodes of a fused step, the one above first; null: it is none. Tensors that they pass on and
  // no other step sees are no operands.
  std::shared_ptr<const FusedStep> fused = nullptr;
};

struct PlanTensor {
  std::string name;
  int64_t bytes = 0;          // not rounded
  bool produced = false;      // by a node; else it lies off chip from the start
  bool weight = false;        // the same in every run
  bool needed_after = false;  // an output of the graph: off chip in the end
};

struct PlanProblem {
  Machine machine;
  std::vector<PlanNode> nodes;                 // in the graph's order, but for what runs beside
                                               // an earlier node; views left out
  IndexedVector<ValueId, PlanTensor> tensors;  // as the graph's values; views have 0 bytes
  // The pad that holds the workspaces of a unit's tilings: the largest it reaches, the first of
  // equals. Meaningless for a unit that reaches none, whose tilings need none.
  IndexedVector<UnitId, PadId> workspace_pad;
  // Whether weights may stay in a pad from one run to the next, through every step, and are then
  // not fetched.
  bool weights_stay = false;
  // Layers whose tilings the mapper was asked for, and those whose search was cut short: there
  // may be better tilings than are known.
  size_t tables = 0, cut_tables = 0;
};

// The share of the time for planning that goes to the mapper's fronts at most.
inline constexpr double kTableShare = 0.5;

// `size` rounded up to a multiple of the pad's alignment; saturates.
int64_t AlignedBytes(const Scratchpad& pad, int64_t size);

// Whether the unit reaches the pad.
bool Reaches(const Machine& machine, UnitId unit, PadId pad);

}  // namespace inlay
