#pragma once

#include <optional>
#include <string>

#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

struct FusedTestCase {
  FusedProblem problem;
  Architecture architecture;
  FusedTree tree;  // legal
};

// Chains of products, of convolutions in one and two dimensions with strides, attention with online
// and row softmaxes, two readers of one input, residuals; small enough to walk.
FusedProblem RandomFusedProblem(Random& random);
// Chains of convolutions whose windows go beyond what they read.
FusedProblem RandomBorders(Random& random);
// A legal tree with loops, retaining and other holds and splits in random places; none: the draws
// made no legal one.
std::optional<FusedTree> RandomFusedTree(Random& random, const FusedProblem& problem);
// A problem of these, or a RandomFusedGraph, with a tree, on an off-chip memory and a pad,
// sometimes with a level inside, with random bandwidths and lanes, and sometimes mappings of the
// leaves.
FusedTestCase RandomFusedCase(Random& random);

// As a file, for messages.
std::string Describe(const FusedTestCase& c);

}  // namespace inlay::testing
