#pragma once

#include <vector>

#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

// Rows that every answer of the model satisfies in which write-backs are 0 or 1, and that `values`
// violate. Why they are valid: docs/reference/scratchpad-bounds.md.

// Cover cuts: not all of the tensors that do not fit into a pad together lie there.
std::vector<milp::Row> CoverCuts(const Model& model, const std::vector<double>& values);

// Time cuts: a step waits for what is not hidden behind its computing.
std::vector<milp::Row> TimeCuts(const Model& model, const std::vector<double>& values);

}  // namespace inlay::exact
