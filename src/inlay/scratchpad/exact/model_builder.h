#pragma once

#include <vector>

#include "inlay/scratchpad/exact/copy_steps.h"
#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

// Makes a model, in the order of the functions below. For the files of this folder only.
class ModelBuilder {
 public:
  ModelBuilder(const PlanProblem& problem, std::vector<size_t> order, const ModelOptions& options,
               const Deadline& deadline);

  void AddTensors();     // model_tensors.cc: where tensors lie, and how they get there
  void AddSteps();       // model_steps.cc: what that costs
  void AddCapacities();  // model_capacity.cc: what fits

  Model model;
  // The model is not finished, and will not be.
  bool Stopped() const { return model.milp.columns.size() > most_columns_ || deadline_.Passed(); }

 private:
  // Bytes of a step by where they go, from which its cost follows.
  struct StepBytes {
    std::vector<std::vector<TimeGroups::Alternative>> offchip;  // bytes instead of seconds
    IndexedVector<PadId, Affine> pads;
    Affine dma;  // seconds of one engine
    Affine workspace;
  };

  int AddColumn(double lower, double upper, bool integer);
  int AddBinary() { return AddColumn(0, 1, true); }
  // lower ≤ sum ≤ upper, the constant on the right side.
  void AddRow(Affine sum, double lower, double upper);
  void AddCost(const Affine& figure, double factor);

  const PlanNode& NodeAt(int64_t step) const {
    return problem_.nodes[model.order[static_cast<size_t>(step)]];
  }
  bool IsNeededAtEnd(ValueId tensor) const {
    return problem_.tensors[tensor].needed_after && !ends_inside_;
  }
  bool MayLie(ValueId tensor, PadId pad, int64_t step) const;
  // Whether lying in a pad in this step can be better than off chip even if it is not kept.
  bool GainsAlone(ValueId tensor, const TensorUse& use) const;

  void AddTensor(ValueId tensor);
  void AddWritten(ValueId tensor);
  void AddStays(ValueId tensor);
  void AddRead(ValueId tensor, size_t read);
  void FindUsedOutside();
  void AddMoves(ValueId tensor, ReadColumns* columns);
  std::vector<int64_t> CopyStepsBetween(int64_t after, int64_t before) const;
  std::vector<int64_t> LateSteps(ValueId tensor) const;
  std::vector<HoldColumns> AddHolds(ValueId tensor, int64_t after, int64_t before);
  void AddLate(ValueId tensor);
  void AddFlow(ValueId tensor, size_t read);
  void AddPrefetchTimes(ValueId tensor, const ReadColumns& read);
  void AddLastFlow(ValueId tensor);
  // Off chip by a step before this one.
  Affine OffChipBefore(ValueId tensor, int64_t step) const;

  void AddTilings(size_t step, StepBytes* bytes);
  void AddInside(const PlanNode& node, const OperandTraffic& inside, const Affine& chosen,
                 StepBytes* bytes) const;
  void AddOperand(size_t step, size_t operand, StepBytes* bytes);
  void AddTraffic(size_t step, size_t operand, const Affine& off,
                  const std::vector<std::pair<PadId, Affine>>& in, StepBytes* bytes);
  void AddRead(size_t step, size_t operand, StepBytes* bytes);
  void AddWrite(size_t step, size_t operand, StepBytes* bytes);
  void AddCopies(ValueId tensor);
  void AddStepCost(size_t step);
  void AddTimeRow(size_t step, const Affine& seconds);
  double UpperOf(const Affine& sum) const;
  bool PadBytesMatter() const;

  void AddInPlace(size_t step);
  std::vector<std::vector<ValueId>> MayBePresent() const;
  std::vector<Knapsack::Item> ItemsOf(PadId pad, int64_t step,
                                      const std::vector<ValueId>& tensors) const;
  void KeepMaximal();

  const PlanProblem& problem_;
  size_t most_columns_;
  bool begins_inside_, ends_inside_;
  // Of an interval: whether a node outside uses the tensor, so that the interval can move it before
  // its own first use. What no node has used is not moved.
  IndexedVector<ValueId, uint8_t> used_outside_;
  const Deadline& deadline_;
  CopySteps copy_steps_;
  std::vector<StepBytes> bytes_;
};

}  // namespace inlay::exact
