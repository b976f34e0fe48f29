#pragma once

#include <string>

#include "inlay/core/plan_result.h"

namespace inlay::io {

// A plan as a timeline for Perfetto and chrome://tracing, of one inference: every unit with its
// steps, the transfers by why they are made, and every memory with what lies in it and how full it
// is. Of a result whose steps have figures.
std::string WritePlanTrace(const PlanResult& result);

}  // namespace inlay::io
