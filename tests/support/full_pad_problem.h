#pragma once

#include "inlay/scratchpad/problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// A problem of 5 nodes with a pad that is exactly as large as all that it pays to keep on chip, in
// the fullest step. Mostly that fits by its size and has no addresses.
PlanProblem FullPadProblem(Random& random);

}  // namespace inlay::testing
