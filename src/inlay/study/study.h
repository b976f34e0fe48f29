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
#include "inlay/study/run_kinds.h"

namespace inlay::study {

struct StudyOptions {
  int threads = 1;
  // The limit of the whole run. A point gets an equal share of what is left when it begins, and
  // shares that out among its layers; what it does not need goes to those after it.
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

// The same in steps. First what the points are made of, found and checked; it refers to the study.
Result<PreparedStudy> PrepareStudy(const Study& study, const Deadline& deadline,
                                   io::LoadRecord* record);

// Then those that are due and not in the journal, if there is one; each enters it when it is
// finished, and stays there. What a stop cut short does not: it is run again the next time. An
// error if the journal cannot be written. Memory is proportional to the points that run, not to all
// that there are.
Result<StudyResult> RunPoints(const Study& study, const PreparedStudy& points,
                              const StudyOptions& options, const StopFlag& stop, Journal* journal,
                              const StudyProgressSink& progress = {});

// One of them.
StudyPoint RunOne(const PreparedPoint& point, const RunLimits& limits, const StopFlag& stop);

// Seconds that a point may take of those that are left: a share of them, but some at least, so that
// of many points a few have an answer rather than none.
double ShareOf(double left, double share);

// How many points are to be run at most.
size_t DueOf(size_t points, const std::optional<size_t>& limit);

// The points of a run that are due and have not run yet, in order.
class DuePoints {
 public:
  // `points`: all of the study, with what has run. What Next has given may be added.
  DuePoints(const StudyPoints& points, const StudyOptions& options);
  size_t all() const { return all_; }    // of this part, whether they have run or not
  size_t left() const { return left_; }  // that Next will give
  std::optional<size_t> Next();

 private:
  const StudyPoints& known_;
  size_t step_, next_, end_;
  size_t all_ = 0, left_ = 0;
};

// The figure and the claims from the points, however they came about.
StudyResult Conclude(const Study& study, StudyPoints points);

}  // namespace inlay::study
