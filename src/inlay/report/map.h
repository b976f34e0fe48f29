#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/map_result.h"

namespace inlay::report {

// What `map` found on one screen: a line per layer with its cost, its certificate and what limits
// it, then the totals; a single layer also with its loop nest; fronts as one table per layer. Says
// which layers have no mapping, and whether the run was interrupted.
std::string MapSummary(const MapResult& result, const Architecture& architecture,
                       const TextStyle& style);

// Why layers have no mapping, a line each; "" if all have one.
std::string MapReasons(const MapResult& result);

// "optimal", "gap 1.3 %" (of the first metric), "no proof". Where the first of several metrics
// ("delay,energy") is proven and the next is not: "optimal in delay".
std::string CertificateText(const Certificate& certificate);

}  // namespace inlay::report
