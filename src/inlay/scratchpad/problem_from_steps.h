#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/scratchpad/problem.h"

namespace inlay {

// A node of another compiler's graph, as far as a plan needs to know it.
struct StepSpec {
  std::string name;
  int64_t macs = 0;             // 0: it only moves bytes
  std::vector<ValueId> reads;   // indices of tensors
  std::vector<ValueId> writes;  // at least one
  bool in_place = false;        // computes element by element
};

// The planning problem of nodes in an order in which they can run, every operand read or written
// once, on a valid machine whose units have peaks. Faults: names used twice, tensors of no bytes,
// indices out of range, activations that no node or several nodes write, or that are read before.
tl::expected<PlanProblem, Faults> MakePlanProblem(Machine machine,
                                                  const std::vector<PlanTensor>& tensors,
                                                  const std::vector<StepSpec>& steps,
                                                  bool weights_stay);

}  // namespace inlay
