#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/explanation.h"

namespace inlay::report {

// The expressions of a layer as the paper's Table I has them: tiles by level, then for every level
// the classes of loop orders, what each copies loop by loop, and which are never better than
// another.
std::string ExplanationText(const Explanation& explanation, const TextStyle& style);

}  // namespace inlay::report
