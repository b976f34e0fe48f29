#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/base/stop.h"
#include "inlay/core/study_journal.h"
#include "inlay/io/load.h"
#include "inlay/study/journal.h"
#include "inlay/study/prepare.h"

namespace inlay::study {

struct StudyOptions {
  int threads = 1;
  // Of the whole run. A point gets an equal share of what is left when it begins, and shares that
  // out among its layers; what it does not need goes to those after it.
  std::optional<double> time_limit_seconds;
  std::optional<size_t> limit;  // run only the first so many points
  StudyShard shard = {};        // and of these its own
};

struct StudyProgress {
  size_t done = 0, points = 0;  // of this part, those of earlier runs among them
  std::string now;              // the settings of the point that is running
  size_t earlier = 0;           // of `done`, what the journal had
};
using StudyProgressSink = std::function<void(const StudyProgress&)>;

// Runs every point of a study, one after the other, then draws the figure and judges the claims.
// Everything that a setting names is found and checked before the first point runs; all errors of
// all settings at once. A point without an answer does not stop the others. Without time limits the
// figures depend on the study alone. Header and seconds are the caller's to fill in.
Result<StudyResult> RunStudy(const Study& study, const StudyOptions& options, const StopFlag& stop,
                             io::LoadRecord* record, const StudyProgressSink& progress = {});

// The same in steps. First the points, checked and ready; they refer to the study.
Result<std::vector<PreparedPoint>> PrepareStudy(const Study& study, io::LoadRecord* record);

// Then those that are due and not in the journal, if there is one; each enters it when it is
// finished. What a stop cut short does not: it is run again the next time. An error if the journal
// cannot be written.
Result<StudyResult> RunPoints(const Study& study, const std::vector<PreparedPoint>& points,
                              const StudyOptions& options, const StopFlag& stop, Journal* journal,
                              const StudyProgressSink& progress = {});

// One of them.
StudyPoint RunOne(const PreparedPoint& point, const RunLimits& limits, const StopFlag& stop);

// How many points are to be run at most.
size_t DueOf(size_t points, const std::optional<size_t>& limit);

// The figure and the claims from the points, however they came about.
StudyResult Conclude(const Study& study, std::vector<StudyPoint> points);

}  // namespace inlay::study
