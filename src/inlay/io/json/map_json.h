#pragma once

#include "inlay/core/map_result.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

// Parts that results of several commands have in common.
Json CostToJson(const LayerCost& cost);
Json CertificateToJson(const Certificate& certificate);

}  // namespace inlay::io
