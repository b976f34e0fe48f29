#pragma once

#include <optional>
#include <string>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

// C99 programs that do what a mapping says: an array for the tiles of each tensor in each level
// that keeps it, copies between these arrays, lanes as loops over instances. A program counts the
// words that it copies, runs the plain loops beside it and compares what the two computed; it
// prints "ok" and the counts, which are those of the `exact` semantics, and returns 0. It compiles
// without warnings and needs the standard library only.

// The problem and the architecture are valid, and the mapping is one of them.
std::string EmitC(const Problem& problem, const Architecture& architecture, const Mapping& mapping);

// The problem, the tree and the mappings of its leaves are valid, and the architecture is one for
// fused mappings. A softmax or a norm is some function of one word in the program: which function
// it is changes no count.
std::string EmitC(const FusedProblem& problem, const Architecture& architecture,
                  const FusedTree& tree);
// Why there is no program of a problem: its windows read borders.
std::optional<Fault> CannotEmit(const FusedProblem& problem);

}  // namespace inlay
