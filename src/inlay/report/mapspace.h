#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/mapspace_result.h"

namespace inlay::report {

// A line per layer: the size of its mapspace and what it is the product of.
std::string MapspaceSummary(const std::string& workload, const std::string& architecture,
                            const MapspaceResult& result, const TextStyle& style);

}  // namespace inlay::report
