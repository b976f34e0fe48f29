#pragma once

#include <string>

namespace inlay::io {

// The JSON Schema (draft 7) of what WriteEvalResults and WriteMapResult write.
std::string ResultSchema();

// Of plan.json.
std::string PlanSchema();

}  // namespace inlay::io
