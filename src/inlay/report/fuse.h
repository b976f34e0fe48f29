#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fuse_result.h"
#include "inlay/core/objective.h"

namespace inlay::report {

// What `fuse` found on one screen: the tree, the runs, what fusing saves, the bound, and the
// staircase where sizes of the pad were asked for.
std::string FuseSummary(const Architecture& architecture, const Objective& objective,
                        const FuseResult& result, const TextStyle& style);

// "8 650 752 words", "7.3 mJ": a value of the metric.
std::string MetricText(Metric metric, double value, const TextStyle& style);

}  // namespace inlay::report
