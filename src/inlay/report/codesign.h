#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/codesign_result.h"

namespace inlay::report {

// What `codesign` found on one screen: a line per layer or per architecture with the sizes chosen
// and what they cost, the totals, what is proven, and how that compares with the baseline.
std::string CodesignSummary(const CodesignResult& result, const TextStyle& style);

}  // namespace inlay::report
