#pragma once

#include "inlay/core/fused_problem.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// Up to four nodes that read each other in any way: windows with strides and dilations, words that
// are left out, ranks without dimensions, several readers of one tensor that see it differently,
// norms, softmaxes, outputs that are read as well. Valid, and small enough to walk.
FusedProblem RandomFusedGraph(Random& random);

}  // namespace inlay::testing
