#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/problem.h"

namespace inlay::exact {

// A lower bound on the figure of all plans of an order that is too long for one program: the sum of
// the bounds of intervals of it. In an interval, what lies in pads at its begin is free, and
// nothing is asked for at its end, so the steps of an interval cost at least that in every plan.
// Intervals that the deadline leaves no time for count with what is compulsory in them. Memory does
// not depend on the length of the order. An interval has `steps` steps, or fewer where its program
// would be too large.
double BoundByIntervals(const PlanProblem& problem, const std::vector<size_t>& order,
                        PlanObjective objective, const Deadline& deadline, size_t steps = 256);

}  // namespace inlay::exact
