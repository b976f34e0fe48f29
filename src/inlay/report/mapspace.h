#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/io/json/show.h"

namespace inlay::report {

// A line per layer: the size of its mapspace and what it is the product of.
std::string MapspaceSummary(const std::string& workload, const std::string& architecture,
                            const io::MapspaceResult& result, const TextStyle& style);

}  // namespace inlay::report
