#pragma once

// Private to io: what the results and the journals of studies have in common.

#include <optional>

#include "inlay/core/study_result.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

// Axis → label.
Json SettingsToJson(const StudyFilter& settings);

// "certificate", as far as there is one.
void AddProof(const std::optional<StudyProof>& proof, Json* json);

// A finished point with all that it consists of, so that nothing has to be computed again.
Json WholePointToJson(const StudyPoint& point);
StudyPoint ReadWholePoint(const Json& json, JsonReader* reader);

}  // namespace inlay::io
