#pragma once

#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/problem.h"

namespace inlay {

// A fault of MakeSpace or ExplainInfeasible as an error at the constraint that it is about, the
// last one given if there are several; the hint names the places of the others. Without a place
// where no constraint has a say: a memory that is too small, say.
Diagnostic ErrorAtConstraint(const Fault& fault, const Problem& problem,
                             const Architecture& architecture, const std::vector<Constraint>& more);

}  // namespace inlay
