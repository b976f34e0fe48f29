#pragma once

#include <vector>

#include "inlay/scratchpad/problem.h"

namespace inlay::testing {

// All orders in which the nodes can run.
std::vector<std::vector<size_t>> AllOrders(const PlanProblem& problem);

// The same problem with its nodes in another order; its plans are plans of the problem.
PlanProblem InOrder(const PlanProblem& problem, const std::vector<size_t>& order);

}  // namespace inlay::testing
