#pragma once

#include <vector>

#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

// Rows that every answer of the model satisfies in which write-backs are 0 or 1, and that `values`
// violate. Why they are valid: docs/reference/scratchpad-bounds.md.

// Of tensors that do not lie in a pad together, not all do.
std::vector<milp::Row> CoverCuts(const Model& model, const std::vector<double>& values);

// A step waits for what is not hidden behind its computing.
std::vector<milp::Row> TimeCuts(const Model& model, const std::vector<double>& values);

}  // namespace inlay::exact
