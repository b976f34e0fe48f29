#pragma once

#include <cstdint>
#include <functional>
#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"
#include "inlay/cost/walker.h"

namespace inlay {

struct FusedWalkOptions {
  int64_t most_operations = kMostWalkedOperations;  // a larger problem is refused
  std::function<bool()> stop = nullptr;  // polled now and then; true ends the walk with a fault
};

struct FusedWalk {
  FusedCounts counts;
  // The outputs, computed by the tree on integers, are what the nodes give one after the other.
  bool numeric_check = false;
};

// The definition of what fused mappings cost (docs/reference/fused-semantics.md): executes the tree
// in the order of time with sets of words, and a state of each: how often it was added to, on chip
// or off chip. Slow and obvious; the closed form is tested against it. The problem is valid and the
// architecture is one for fused mappings. The walk ends with a fault where the tree reads a word
// that is not in the pad, or not finished, leaves out a word of an output, or shows a softmax or a
// norm less than whole rows. Some trees that are not legal end that way, others do not.
tl::expected<FusedWalk, Fault> WalkFused(const FusedProblem& problem,
                                         const Architecture& architecture, const FusedTree& tree,
                                         const FusedWalkOptions& options = {});

}  // namespace inlay
