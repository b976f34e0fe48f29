#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/systolic_result.h"

namespace inlay::report {

// A line per layer: folds, cycles, utilisation and SRAM accesses; then the sums over all repeats.
std::string SystolicSummary(const std::string& workload, const SystolicResult& result,
                            const TextStyle& style);

}  // namespace inlay::report
