#pragma once

#include "inlay/core/mix.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

Json ArrivalsToJson(const Arrivals& arrivals);  // null: one batch at the start
Json MixToJson(const Mix& mix);

}  // namespace inlay::io
