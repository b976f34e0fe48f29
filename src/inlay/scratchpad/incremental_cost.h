#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "inlay/scratchpad/choices.h"
#include "inlay/scratchpad/step_cost.h"

namespace inlay {

// Choices that change one tensor at a time, and what every step costs meanwhile. Two decisions
// follow from the others and are made here: each step takes the cheapest tiling whose workspace
// fits beside what lies in the pads, and a tensor is written in place wherever it may be.
//
// Cost is the objective's figure plus some 1e-9 of what tells equal plans apart (off-chip bytes, or
// seconds where they are the objective); infinite where a step does not fit.
class IncrementalCost {
 public:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  IncrementalCost(const PlanProblem& problem, PlanObjective objective, const Choices& choices);

  const PlanProblem& problem() const { return *problem_; }
  PlanObjective objective() const { return objective_; }
  int64_t steps() const { return static_cast<int64_t>(nodes_.size()); }
  const PlanNode& NodeAt(int64_t step) const { return *nodes_[Index(step)]; }
  const TensorLife& LifeOf(ValueId tensor) const { return lives_[tensor]; }
  bool IsUsed(ValueId tensor) const {
    return lives_[tensor].written || !lives_[tensor].reads.empty();
  }
  const TensorChoice& ChoiceOf(ValueId tensor) const { return choices_[tensor]; }
  int64_t AlignedIn(PadId pad, ValueId tensor) const;

  double CostAt(int64_t step) const { return costs_[Index(step)]; }
  double Cost() const;  // the sum, always of the same sums in the same order
  // Limits the bytes in each pad to this share of its capacity: tensors that leave some room get
  // addresses more easily. A step that needs more already costs infinitely much.
  void LeaveRoom(double share);

  // What the step would cost more if a further tensor of so many bytes, rounded up, lay in the pad.
  double CostOfHolding(int64_t step, PadId pad, int64_t bytes);

  // Replaces the choice for a tensor.
  void Set(ValueId tensor, TensorChoice choice);
  // Takes a tensor out: it lies and copies nowhere until the next Set; the costs of the steps that
  // use it mean nothing until then.
  void TakeOut(ValueId tensor);

  // What the step would cost if, beside what is so: the operand (if any) lay in `lies`, a tensor of
  // `bytes` was copied, and it lay in the pads `in` and `also_in`.
  struct Trial {
    std::optional<size_t> operand;
    std::optional<PadId> lies;
    bool still_needed = false;  // as in StepState
    std::optional<TransferKind> copy;
    std::optional<PadId> from, to;   // of the copy
    bool also_written_back = false;  // of a move: from the pad that it leaves
    int64_t bytes = 0;               // of the copy
    // Pads in which the tensor lies in this step, with its rounded size there.
    std::optional<PadId> in, also_in;
    int64_t in_bytes = 0, also_bytes = 0;
  };
  double CostWith(int64_t step, const Trial& trial);

  // What a byte to or from off chip costs where it costs time.
  double CostOfByte() const;
  // No copy of so many bytes from off chip into the pad costs less, in any step.
  double LeastCopyCost(PadId pad, int64_t bytes) const;

  // The choices as they are, with the tilings and in-place pairs that follow.
  Choices Snapshot() const;

 private:
  struct Applier;
  static size_t Index(int64_t step) { return static_cast<size_t>(step); }

  // A step whose first written tensor may take a place: the operands that can give theirs.
  struct InPlace {
    size_t written = 0;
    std::vector<size_t> under;
  };
  // Adds (1) or takes back (−1) what the choice for a tensor does; touched_ says where.
  void Apply(ValueId tensor, int sign);
  void Refresh(size_t step) {
    costs_[step] = Evaluate(step, &tilings_[step]);
    block_costs_[step / kBlock] = kStale;
  }
  // The least cost of the step as it stands, and the first tiling that has it.
  double Evaluate(size_t step, size_t* tiling) const;
  double CostOfTiling(size_t step, const Tiling& tiling) const;
  // The operand whose place the first written tensor takes.
  std::optional<size_t> TakenPlace(size_t step) const;
  int64_t ResidentBytes(size_t step, PadId pad) const;  // what shares its bytes counted once
  int64_t FreeBytes(size_t step, PadId pad) const;      // besides the workspace of its tiling

  const PlanProblem* problem_;
  PlanObjective objective_;
  double tie_weight_ = 0;
  std::vector<size_t> order_;
  std::vector<const PlanNode*> nodes_;  // by step
  IndexedVector<ValueId, TensorLife> lives_;
  IndexedVector<ValueId, TensorChoice> choices_;
  std::vector<StepState> states_;
  std::vector<std::optional<InPlace>> in_place_;
  IndexedVector<PadId, int64_t> capacity_;
  std::vector<int> dma_copies_;  // by step; where there are none dma_seconds is exactly 0
  std::vector<double> costs_;
  // Sums of kBlock steps each, so that the cost of many steps is found by a few.
  static constexpr size_t kBlock = 64;
  static constexpr double kStale = -1;
  mutable std::vector<double> block_costs_;
  std::vector<size_t> tilings_;
  std::optional<ValueId> taken_out_;
  std::vector<size_t> touched_;             // scratch of Apply, with duplicates
  mutable std::vector<int64_t> pad_bytes_;  // scratch of Evaluate
};

}  // namespace inlay
