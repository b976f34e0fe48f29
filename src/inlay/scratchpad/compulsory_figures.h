#pragma once

#include "inlay/core/plan.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

// What every plan costs at least, in any order of the nodes, each figure for itself: what comes
// from outside is read once, outputs are written once, a node whose unit reaches no pad that holds
// an operand accesses it off chip, and every node computes.
PlanFigures CompulsoryFigures(const PlanProblem& problem);

}  // namespace inlay
