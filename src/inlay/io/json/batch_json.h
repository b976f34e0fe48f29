#pragma once

#include "inlay/core/batch_result.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

// "policies" and "control", as `batch` and the points of its studies have them. What is measured is
// not among them.
void AddBatchFigures(const BatchFigures& figures, Json* json);
// The same, read from where it stands; what is wrong is noted.
BatchFigures ReadBatchFigures(const Json& json, const std::string& path, JsonReader* reader);

}  // namespace inlay::io
