#pragma once

#include <vector>

#include "inlay/core/map_result.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

// Parts that results of several commands have in common.
Json CostToJson(const LayerCost& cost);
Json CertificateToJson(const Certificate& certificate);
// Into what was measured, unless there are none; values in units of `unit`.
void AddProgress(const std::vector<SearchMoment>& moments, double unit, Json* measured);

}  // namespace inlay::io
