#pragma once

#include "inlay/core/study_journal.h"
#include "inlay/io/json/fields.h"

namespace inlay::io {

// The labels of an axis, a text each. Of more than kMostListed what they are put together of:
// objects with `label` and `choices` (`key`, and `values`: texts, and ranges `first` to `last`).
Json LabelsToJson(const StudyAxis& axis);

// A study whose settings are labels alone: grids, figure and claims.
Json OutlineToJson(const Study& outline);
Study ReadOutline(const Json& json, JsonReader* reader);

}  // namespace inlay::io
