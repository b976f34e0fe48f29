#include "inlay/scratchpad/side_by_side.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace inlay {
namespace {

bool Computes(const PlanNode& node) { return node.tilings.front().compute_seconds > 0; }

// Adds what a way to compute another node does to that of a step; `at` is the place of each of its
// operands among the step's.
void AddTiling(const Tiling& other, const std::vector<size_t>& at, Tiling* tiling) {
  tiling->compute_seconds = std::max(tiling->compute_seconds, other.compute_seconds);
  tiling->inside.bytes += other.inside.bytes;
  tiling->inside.workspace_bytes += other.inside.workspace_bytes;
  for (size_t i = 0; i < at.size(); ++i) {
    tiling->operands[at[i]].bytes += other.operands[i].bytes;
    tiling->operands[at[i]].workspace_bytes += other.operands[i].workspace_bytes;
  }
}

// Puts a node into the step of another one.
void Merge(const PlanNode& other, UnitId unit, PlanNode* step) {
  PlanNode::Beside beside{other.name, other.node, unit};
  for (const Operand& operand : other.operands) {
    const auto is_same = [&](const Operand& known) { return known.tensor == operand.tensor; };
    if (std::none_of(step->operands.begin(), step->operands.end(), is_same)) {
      beside.tensors.push_back(operand.tensor);
    }
  }
  step->beside.push_back(std::move(beside));
  std::vector<Operand> operands = step->operands;
  operands.insert(operands.end(), other.operands.begin(), other.operands.end());
  std::stable_partition(operands.begin(), operands.end(),
                        [](const Operand& operand) { return !operand.written; });
  std::vector<Operand> once;
  for (const Operand& operand : operands) {
    if (std::find(once.begin(), once.end(), operand) == once.end()) once.push_back(operand);
  }
  const auto places = [&](const std::vector<Operand>& of) {
    std::vector<size_t> at;
    at.reserve(of.size());
    for (const Operand& operand : of) {
      at.push_back(
          static_cast<size_t>(std::find(once.begin(), once.end(), operand) - once.begin()));
    }
    return at;
  };
  const std::vector<size_t> own = places(step->operands), added = places(other.operands);
  std::vector<Tiling> tilings(std::max(step->tilings.size(), other.tilings.size()));
  for (size_t i = 0; i < tilings.size(); ++i) {
    tilings[i].operands.resize(once.size());
    AddTiling(step->tilings[std::min(i, step->tilings.size() - 1)], own, &tilings[i]);
    AddTiling(other.tilings[std::min(i, other.tilings.size() - 1)], added, &tilings[i]);
  }
  step->operands = std::move(once);
  step->tilings = std::move(tilings);
  step->in_place.clear();  // what one node overwrites another may be reading
}

class Merger {
 public:
  explicit Merger(PlanProblem* problem)
      : problem_(*problem), taken_(problem->nodes.size(), 0), ready_(problem->tensors.size(), 1) {
    for (const PlanNode& node : problem_.nodes) {
      for (const Operand& operand : node.operands) {
        if (operand.written) ready_[operand.tensor] = 0;
      }
    }
  }

  void Merge() {
    std::vector<PlanNode> steps;
    for (size_t i = 0; i < problem_.nodes.size(); ++i) {
      if (taken_[i] == 0) steps.push_back(StepFrom(i));
    }
    problem_.nodes = std::move(steps);
  }

 private:
  PlanNode StepFrom(size_t first) {
    taken_[first] = 1;
    PlanNode step = problem_.nodes[first];
    if (Computes(step)) {
      std::vector<UnitId> free;
      for (const UnitId u : Ids(problem_.machine.units)) {
        if (u != step.unit && AreEqual(problem_.machine, u, step.unit)) free.push_back(u);
      }
      const size_t end = std::min(problem_.nodes.size(), first + 1 + kMostNodesAhead);
      for (size_t i = first + 1; i < end && step.beside.size() < free.size(); ++i) {
        const PlanNode& other = problem_.nodes[i];
        if (taken_[i] != 0 || other.unit != step.unit || !Computes(other)) continue;
        if (!IsReady(other)) continue;
        PlanNode both = step;
        inlay::Merge(other, free[step.beside.size()], &both);
        if (!HasRoom(both)) continue;
        taken_[i] = 1;
        step = std::move(both);
      }
    }
    for (const Operand& operand : step.operands) {
      if (operand.written) ready_[operand.tensor] = 1;
    }
    return step;
  }

  // Whether the workspaces of one of its tilings fit into an empty pad, with all operands off chip.
  bool HasRoom(const PlanNode& step) const {
    return std::any_of(step.tilings.begin(), step.tilings.end(), [&](const Tiling& tiling) {
      int64_t bytes = tiling.inside.workspace_bytes;
      for (const OperandTraffic& operand : tiling.operands) bytes += operand.workspace_bytes;
      if (bytes == 0) return true;
      const Scratchpad& pad = problem_.machine.pads[problem_.workspace_pad[step.unit]];
      return AlignedBytes(pad, bytes) <= pad.bytes;
    });
  }

  // Whether all that the node reads was written in steps before.
  bool IsReady(const PlanNode& node) const {
    return std::all_of(node.operands.begin(), node.operands.end(), [&](const Operand& operand) {
      return operand.written || ready_[operand.tensor] != 0;
    });
  }

  PlanProblem& problem_;
  std::vector<uint8_t> taken_;
  IndexedVector<ValueId, uint8_t> ready_;
};

}  // namespace

bool AreEqual(const Machine& machine, UnitId a, UnitId b) {
  const ComputeUnit &first = machine.units[a], &second = machine.units[b];
  if (first.macs_per_second != second.macs_per_second) return false;
  if (first.vector_ops_per_second != second.vector_ops_per_second) return false;
  if (first.architecture != second.architecture) return false;
  for (const PadId pad : Ids(machine.pads)) {
    if (Reaches(machine, a, pad) != Reaches(machine, b, pad)) return false;
  }
  return true;
}

void MergeIndependentNodes(PlanProblem* problem) { Merger(problem).Merge(); }

}  // namespace inlay
