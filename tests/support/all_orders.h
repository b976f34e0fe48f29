#pragma once

#include <vector>

#include "inlay/scratchpad/problem.h"

namespace inlay::testing {

// All orders in which the nodes can run.
std::vector<std::vector<size_t>> AllOrders(const PlanProblem& problem);

}  // namespace inlay::testing
