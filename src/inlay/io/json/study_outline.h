#pragma once

#include "inlay/core/study_journal.h"
#include "inlay/io/json/study_json.h"

namespace inlay::io {

// A study whose settings are labels alone: grids, figure and claims.
Json OutlineToJson(const Study& outline);
Study ReadOutline(const Json& json, JsonReader* reader);

}  // namespace inlay::io
