#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/study.h"
#include "inlay/core/study_result.h"

namespace inlay::report {

// The grids and the claims.
std::string ShowStudy(const Study& study, const TextStyle& style);

// The figure as a table, the claims beside our figures, and what has no answer.
std::string StudySummary(const StudyResult& result, const TextStyle& style);

}  // namespace inlay::report
