#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/map_result.h"

namespace inlay::report {

// What `map` found on one screen: a line per layer with its cost, its certificate and what limits
// it, then the totals; a single layer also with its loop nest; fronts as one table per layer. Says
// which layers have no mapping and why, and whether the run was interrupted.
std::string MapSummary(const MapResult& result, const Architecture& architecture,
                       const TextStyle& style);

// "optimal", "gap 1.3 %", "no proof".
std::string CertificateText(const Certificate& certificate);

}  // namespace inlay::report
