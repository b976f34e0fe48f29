#pragma once

#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::testing {

// The cycles of a machine that executes a nest event by event: every port of every level serves one
// transfer after the other, every engine moves one tile after the other, buffers are full or free.
// The rules of docs/reference/time.md are a lower bound of it. Its words are the walker's, step by
// step and of the busiest instance; `dynamic_pj` is what they take.
double TwinCycles(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                  double dynamic_pj);

}  // namespace inlay::testing
