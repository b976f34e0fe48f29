#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/batch_result.h"

namespace inlay::report {

// A screen: the policies side by side against the controls, where the arrays' idle cycles went,
// latencies where batches arrive, the slices that were chosen, deadlocks explained, and what
// follows from it all.
std::string BatchSummary(const BatchResult& result, const TextStyle& style);

}  // namespace inlay::report
