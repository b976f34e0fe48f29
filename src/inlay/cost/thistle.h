#pragma once

#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/fault.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

// The model of the Thistle paper (its Algorithm 1 and equation 3): volumes by hoisting, level by
// level; a word sent to several lanes is counted once on both sides; latency is compute cycles
// only. What is charged where: docs/reference/thistle-semantics.md. Only for reproducing that
// paper; the truth is `exact`. A fault where a rank has more than two dimensions, or a count does
// not fit.
tl::expected<Cost, Fault> EvaluateThistle(const Problem& problem, const Architecture& architecture,
                                          const Mapping& mapping,
                                          Accounting accounting = Accounting::kElide);

}  // namespace inlay
