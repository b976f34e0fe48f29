#pragma once

#include <string>

#include "inlay/base/result.h"
#include "inlay/core/plan_result.h"
#include "inlay/io/file.h"

namespace inlay::io {

// plan.json: what other programs need to carry the plan out.
std::string WritePlan(const PlanResult& result);

// The plan in a plan.json or a result.json. All faults at once.
Result<NamedPlan> ReadPlan(const Source& source);

}  // namespace inlay::io
