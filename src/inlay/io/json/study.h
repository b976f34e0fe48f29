#pragma once

#include <string>

#include "inlay/core/study_result.h"

namespace inlay::io {

// result.json of `study`. Everything that is measured, and claims about it, is in `measured`.
std::string WriteStudyResult(const StudyResult& result);

}  // namespace inlay::io
