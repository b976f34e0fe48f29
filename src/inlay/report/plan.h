#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/plan_result.h"

namespace inlay::report {

// A screen: what the plan wins against keeping nothing on chip, its certificate, how full the
// memories are, what the time goes to, and the tensors that take the most room for the longest.
std::string PlanSummary(const PlanResult& result, const TextStyle& style);

}  // namespace inlay::report
