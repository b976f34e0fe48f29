#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "inlay/base/result.h"
#include "inlay/base/stop.h"
#include "inlay/core/study_result.h"
#include "inlay/io/load.h"

namespace inlay::study {

struct StudyOptions {
  int threads = 1;
  // Of the whole study. A point gets an equal share of what is left when it begins, and shares that
  // out among its layers; what it does not need goes to those after it.
  std::optional<double> time_limit_seconds;
  std::optional<size_t> limit;  // run only the first so many points
};

struct StudyProgress {
  size_t done = 0, points = 0;
  std::string now;  // the settings of the point that is running
};
using StudyProgressSink = std::function<void(const StudyProgress&)>;

// Runs every point of a study, one after the other, then draws the figure and judges the claims.
// Everything that a setting names is found and checked before the first point runs; all errors of
// all settings at once. A point without an answer does not stop the others. Without time limits the
// figures depend on the study alone. Header and seconds are the caller's to fill in.
Result<StudyResult> RunStudy(const Study& study, const StudyOptions& options, const StopFlag& stop,
                             io::LoadRecord* record, const StudyProgressSink& progress = {});

}  // namespace inlay::study
