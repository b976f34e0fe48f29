#pragma once

#include <vector>

#include "inlay/core/study_result.h"

namespace inlay::study {

// Our figure for a claim. The metric "seconds" is what the searches of a point took.
StudyClaimResult Judge(const StudyClaim& claim, const std::vector<StudyPoint>& points);

}  // namespace inlay::study
