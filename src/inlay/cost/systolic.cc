#include "inlay/cost/systolic.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

// A product of non-negative factors that remembers whether it still fits into 64 bits.
class Count {
 public:
  explicit Count(std::optional<int64_t> value) : value_(value) {}
  Count operator*(const Count& other) const {
    if (!value_ || !other.value_) return Count(std::nullopt);
    return Count(CheckedMultiply(*value_, *other.value_));
  }
  Count operator+(const Count& other) const {
    if (!value_ || !other.value_) return Count(std::nullopt);
    return Count(CheckedAdd(*value_, *other.value_));
  }
  bool fits() const { return value_.has_value(); }
  int64_t value() const { return *value_; }

 private:
  std::optional<int64_t> value_;
};

// What the three dataflows differ in, for one group.
struct FoldPlan {
  int64_t along_rows, along_columns;                 // extents laid out over the array
  Count streamed;                                    // steps per fold while data stream through
  Count input_passes, weight_passes, output_passes;  // how often each matrix crosses the edge
};

FoldPlan PlanOf(const SystolicShape& shape, const SystolicArray& array) {
  const auto by_rows = [&](int64_t extent) { return Count(CeilDiv(extent, array.rows)); };
  const auto by_columns = [&](int64_t extent) { return Count(CeilDiv(extent, array.columns)); };
  const Count one(1);
  // Skew at both edges; a stationary operand is first shifted in through the rows.
  const Count skew = Count(array.rows) + Count(array.columns) + Count(-2);
  const Count skew_and_load = Count(array.rows) + skew;
  switch (array.dataflow) {
    case Dataflow::kOutputStationary:
      return {shape.pixels,
              shape.filters,
              Count(shape.reduction) + skew,
              by_columns(shape.filters),
              by_rows(shape.pixels),
              one};
    case Dataflow::kWeightStationary:
      return {shape.reduction,           shape.filters, Count(shape.pixels) + skew_and_load,
              by_columns(shape.filters), one,           by_rows(shape.reduction)};
    case Dataflow::kInputStationary:
      break;
  }
  return {shape.reduction,
          shape.pixels,
          Count(shape.filters) + skew_and_load,
          one,
          by_columns(shape.pixels),
          by_rows(shape.reduction)};
}

}  // namespace

tl::expected<SystolicShape, Fault> SystolicShapeOf(const Problem& problem) {
  std::vector<TensorId> inputs;
  for (TensorId t : Ids(problem.tensors)) {
    if (!problem.tensors[t].is_output) inputs.push_back(t);
  }
  if (inputs.size() != 2) {
    return tl::unexpected(Fault{"tensors",
                                "a systolic array multiplies two tensors, '" + problem.name +
                                    "' has " + std::to_string(inputs.size()) + " inputs",
                                ""});
  }
  if (problem.tensors[inputs[1]].name == "Weights") std::swap(inputs[0], inputs[1]);
  const Tensor& weights = problem.tensors[inputs[0]];
  const Tensor& activations = problem.tensors[inputs[1]];
  const Tensor& output = problem.tensors[OutputTensor(problem)];
  SystolicShape shape;
  for (DimId d : Ids(problem.dims)) {
    const bool in_weights = IsRelevant(weights, d), in_inputs = IsRelevant(activations, d);
    // Products of a subset of the bounds: they fit, because all of them together do.
    int64_t* extent = &shape.reduction;
    if (IsRelevant(output, d)) {
      extent = in_weights ? (in_inputs ? &shape.groups : &shape.filters) : &shape.pixels;
      if (!in_weights && !in_inputs) {
        return tl::unexpected(
            Fault{"dims." + problem.dims[d].name,
                  "dimension '" + problem.dims[d].name + "' is in the output only",
                  "a systolic array computes products of two matrices"});
      }
    }
    *extent *= problem.dims[d].bound;
  }
  return shape;
}

tl::expected<SystolicCost, Fault> EvaluateSystolic(const SystolicShape& shape,
                                                   const SystolicArray& array) {
  if (array.rows < 1 || array.columns < 1) {
    return tl::unexpected(Fault{"array",
                                "the array has " + std::to_string(array.rows) + " rows and " +
                                    std::to_string(array.columns) + " columns",
                                "both are whole numbers from 1"});
  }
  const FoldPlan plan = PlanOf(shape, array);
  const Count groups(shape.groups), pixels(shape.pixels), filters(shape.filters),
      reduction(shape.reduction);
  const Count group_folds = Count(CeilDiv(plan.along_rows, array.rows)) *
                            Count(CeilDiv(plan.along_columns, array.columns));
  const Count cycles = groups * (group_folds * plan.streamed + Count(-1));
  const Count inputs = groups * pixels * reduction * plan.input_passes;
  const Count weights = groups * filters * reduction * plan.weight_passes;
  const Count outputs = groups * pixels * filters * plan.output_passes;
  const Count elements = Count(array.rows) * Count(array.columns);
  const Count operations = groups * pixels * filters * reduction;
  for (const Count& count : {cycles, inputs, weights, outputs, elements, operations}) {
    if (count.fits()) continue;
    return tl::unexpected(
        Fault{"array", "the cycles or words of the array do not fit into 64 bits", ""});
  }
  SystolicCost cost;
  cost.operations = operations.value();
  cost.folds = (groups * group_folds).value();
  cost.cycles_per_fold = plan.streamed.value();
  cost.cycles = cycles.value();
  cost.mapping_efficiency =
      static_cast<double>(plan.along_rows) * static_cast<double>(plan.along_columns) /
      (static_cast<double>(group_folds.value()) * static_cast<double>(elements.value()));
  // SCALE-Sim divides by the index of the last cycle, so an array without skew would exceed 1.
  cost.utilization = std::min(1.0, static_cast<double>(cost.operations) /
                                       (static_cast<double>(elements.value()) *
                                        static_cast<double>(std::max<int64_t>(cost.cycles, 1))));
  cost.input_reads = inputs.value();
  cost.weight_reads = weights.value();
  cost.output_writes = outputs.value();
  return cost;
}

tl::expected<SystolicCost, Fault> EvaluateSystolic(const Problem& problem,
                                                   const SystolicArray& array) {
  const auto shape = SystolicShapeOf(problem);
  if (!shape) return tl::unexpected(shape.error());
  return EvaluateSystolic(*shape, array);
}

}  // namespace inlay
