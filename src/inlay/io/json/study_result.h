#pragma once

#include "inlay/base/long_text.h"
#include "inlay/core/study_result.h"

namespace inlay::io {

// result.json of `study`. Everything that is measured, and claims about it, is in `measured`.
// Made as it is written, one point at a time: the result outlives it.
LongText WriteStudyResult(const StudyResult& result);

}  // namespace inlay::io
