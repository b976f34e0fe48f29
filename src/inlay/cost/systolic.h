#pragma once

#include <tl/expected.hpp>

#include "inlay/core/fault.h"
#include "inlay/core/problem.h"
#include "inlay/core/systolic.h"

namespace inlay {

// Sorts the dimensions of a valid problem by the tensors they occur in: all three → groups, inputs
// and output → pixels, weights and output → filters, no output → reduction. The tensor named
// "Weights" plays the weights; without one, the first input. A fault if there are not exactly two
// inputs, or if a dimension is in the output only.
tl::expected<SystolicShape, Fault> SystolicShapeOf(const Problem& problem);

// SCALE-Sim's analytical model: the array is filled, streams and drains once per fold, and folds do
// not overlap. A fault where the array has no elements or a count does not fit into 64 bits.
tl::expected<SystolicCost, Fault> EvaluateSystolic(const SystolicShape& shape,
                                                   const SystolicArray& array);
tl::expected<SystolicCost, Fault> EvaluateSystolic(const Problem& problem,
                                                   const SystolicArray& array);

}  // namespace inlay
