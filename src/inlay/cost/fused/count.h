#pragma once

#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_part.h"
#include "inlay/core/fused_problem.h"

namespace inlay {

struct FusedCountOptions {
  // Goes through every turn of every loop, instead of one for all that count the same: for tests.
  bool every_turn = false;
};

// The counts of a fused mapping in closed form (docs/reference/fused-semantics.md): of the turns of
// each loop that differ in place only, one is counted for all. Problem, architecture and tree are
// valid; room is not looked at. A fault where a count does not fit into 64 bits.
tl::expected<FusedCounts, Fault> CountFused(const FusedProblem& problem,
                                            const Architecture& architecture, const FusedTree& tree,
                                            const FusedCountOptions& options = {});

// Adds the counts of a part, with the whole's numbers of its tensors, behind those of the parts
// before it.
void AddCounts(const FusedPart& part, const FusedCounts& counts, size_t tensors,
               FusedCounts* whole);

}  // namespace inlay
