#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/result.h"
#include "inlay/core/study.h"
#include "inlay/core/study_points.h"

namespace inlay {

struct StudyFigureRow {
  std::string x;
  std::optional<double> x_value;                 // where x is a figure
  std::vector<std::optional<double>> y;          // one per series
  std::vector<std::optional<StudyProof>> proof;  // the worst of what y is the mean of
  std::vector<bool> on_front;                    // with `pareto`
};
struct StudyDrawing {
  StudyFigure figure;
  std::vector<std::string> series;
  std::vector<StudyFigureRow> rows;
};

struct StudyClaimResult {
  StudyClaim claim;
  std::optional<double> ours;            // none: the points it needs are not there
  size_t compared = 0;                   // points or layers, or pairs of them
  bool measured = false;                 // depends on the machine
  std::optional<StudyProof> proof = {};  // the worst of both sides of all of them
};

struct StudyResult {
  ResultHeader header;
  std::string study;
  StudyPoints points;
  std::optional<StudyDrawing> drawing;
  std::vector<StudyClaimResult> claims;
  bool interrupted = false;
  double seconds = 0;  // measured
};

}  // namespace inlay
