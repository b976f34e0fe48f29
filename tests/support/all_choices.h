#pragma once

#include <functional>
#include <vector>

#include "inlay/scratchpad/choices.h"

namespace inlay::testing {

// Every choice there is for a tensor, whether it fits or not.
std::vector<TensorChoice> ChoicesForTensor(const PlanProblem& problem,
                                           const std::vector<size_t>& order, ValueId tensor);

// Calls `visit` with every way in which the order can be planned, whether it fits or not. False,
// before anything is visited, where there would be more than `most` (in-place pairs not counted).
bool ForEachChoices(const PlanProblem& problem, const std::vector<size_t>& order, double most,
                    const std::function<void(const Choices&)>& visit);

}  // namespace inlay::testing
