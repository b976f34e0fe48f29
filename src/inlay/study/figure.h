#pragma once

#include <string>
#include <vector>

#include "inlay/core/study_result.h"

namespace inlay::study {

// The label of an axis at a point; "" where its grid has no such axis.
std::string LabelAt(const StudyPoint& point, const std::string& axis);

// The table that the figure asks for. Points without an answer leave their cells empty.
StudyDrawing Draw(const StudyFigure& figure, const std::vector<StudyPoint>& points);

}  // namespace inlay::study
