#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// An order of the nodes (order[step] is one of them) that plans well: the best, by a quick plan, of
// the given one, of some that rules give (what was written last is read first; what frees most is
// run first), and of what moving single nodes makes of it. Every node follows those it needs.
std::vector<size_t> ChooseOrder(const PlanProblem& problem, PlanObjective objective, uint64_t seed,
                                const Deadline& deadline);

// By node, those whose outputs it reads; each once, ascending.
std::vector<std::vector<size_t>> NeedsOf(const PlanProblem& problem);

}  // namespace inlay
