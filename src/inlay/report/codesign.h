#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/codesign_result.h"

namespace inlay::report {

// What `codesign` found on one screen. One architecture reads as advice: what to build, the area it
// takes, where the energy goes. Several are a line each. Then how they compare with the baseline,
// what is proven, what that rests on, and another method's answer where there is one.
std::string CodesignSummary(const CodesignResult& result, const TextStyle& style);

// The architectures of a front as CSV: what was chosen, area, energy, cycles, EDP.
std::string FrontCsv(const CodesignResult& result);

}  // namespace inlay::report
