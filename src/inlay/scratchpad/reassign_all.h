#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/tensor_reassigner.h"

namespace inlay {

// The tensors that a plan decides about, by their first use, then by number.
std::vector<ValueId> TensorsToAssign(const IncrementalCost& costs);

// Decides the tensors again, one after the other, as long as that makes the plan cheaper.
void ReassignUntilStable(const std::vector<ValueId>& tensors, IncrementalCost* costs,
                         TensorReassigner* reassigner, const Deadline* deadline = nullptr);

// Decides them again and again while the price of lying in a pad falls from `from` to `to`, each
// time by `ratio` (in (0, 1)), then without: those that save most for each byte and step come
// first.
struct FallingPrice {
  double from = 0, to = 0, ratio = 0.5;
};
void ReassignByFallingPrice(const std::vector<ValueId>& tensors, const FallingPrice& fall,
                            IncrementalCost* costs, TensorReassigner* reassigner,
                            const Deadline* deadline = nullptr);

// No tensor of the plan saves more for each byte that lies in a pad for a step.
double HighestPrice(const IncrementalCost& costs);

}  // namespace inlay
