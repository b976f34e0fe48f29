#pragma once

#include "inlay/core/fused_problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// Small enough to list every fused mapping in some milliseconds: chains of products and of
// elementwise nodes, attention, gates, an input that several nodes read, residuals, convolutions
// with strides and halos, norms, outputs that are read as well, bounds of 1 to 4; and the smallest
// of RandomFusedGraph.
FusedProblem TinyFusedProblem(Random& random);

// As a file, for messages.
std::string Describe(const FusedProblem& problem);

}  // namespace inlay::testing
