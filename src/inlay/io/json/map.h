#pragma once

#include <string>

#include "inlay/base/result.h"
#include "inlay/core/map_result.h"
#include "inlay/io/file.h"

namespace inlay::io {

// result.json of `map`.
std::string WriteMapResult(const MapResult& result);

// What WriteMapResult wrote. All faults at once.
Result<MapResult> ReadMapResult(const Source& source);

}  // namespace inlay::io
