#pragma once

#include <deque>
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
  std::optional<double> x_value;                       // where x is a figure
  std::vector<std::optional<double>> y;                // one per series
  std::vector<std::optional<StudyCertificate>> proof;  // the worst of what y is the mean of
  std::vector<bool> on_front;                          // with `pareto`
};
// A figure of more cells than this, rows times series, is not drawn: it would be unreadable, and
// the points have the same values.
inline constexpr size_t kMostDrawn = 100'000;

struct StudyDrawing {
  StudyFigure figure;
  bool left_out = false;  // it has more cells than kMostDrawn, and so neither series nor rows here
  std::vector<std::string> series;
  std::vector<StudyFigureRow> rows;
};

struct StudyClaimResult {
  StudyClaim claim;
  std::optional<double> ours;                  // none: the points it needs are not there
  size_t compared = 0;                         // points or layers, or pairs of them
  bool measured = false;                       // depends on the machine
  std::optional<StudyCertificate> proof = {};  // the worst of both sides of all of them
  bool operator==(const StudyClaimResult&) const = default;
};

// What a summary says of the points that have run, without going through them again.
struct StudyCounts {
  size_t answered = 0;  // done, or cut short with figures
  size_t cut = 0;       // of these
  size_t unanswered = 0;
  static constexpr size_t kFirst = 5;
  std::vector<StudyPoint> first_unanswered;  // so many at most; settings, status and reasons
};

struct StudyResult {
  ResultHeader header;
  std::string study;
  StudyPoints points;
  StudyCounts counts = {};
  std::optional<StudyDrawing> drawing;
  std::vector<StudyClaimResult> claims;
  bool interrupted = false;
  double seconds = 0;  // measured: of the points, or of all that ran them
};
const Structure& StructureOf(const StudyClaimResult*);

// What result.json of `study` says. Its points are written one by one.
struct StudyDocument {
  using Figures = std::vector<std::pair<std::string, NumberOrText>>;
  struct Layer {
    std::string name;
    int64_t repeat = 1;
    Figures figures;
    std::optional<StudyCertificate> proof;
    bool operator==(const Layer&) const = default;
  };
  struct Point {
    StudyFilter settings;
    PointStatus status = PointStatus::kNotRun;
    bool timed = false;
    std::optional<StudyCertificate> proof;
    std::optional<BatchFigures> batch;  // all other figures follow from these
    Figures figures;
    std::vector<Layer> layers;
    std::vector<std::string> reasons;
  };
  struct Row {
    NumberOrText x;
    std::vector<std::optional<double>> y;
    std::deque<bool> on_front;
    std::vector<std::optional<CertificateStatus>> status;
    bool operator==(const Row&) const = default;
  };
  struct Drawing {
    std::string x, y;
    std::vector<std::string> series;
    bool left_out = false;
    std::vector<Row> rows;
  };
  ResultHeader header;
  std::string study;
  bool interrupted = false;
  std::vector<Point> points;
  std::optional<size_t> not_run;  // where only those that ran are listed
  std::optional<Drawing> figure;
  std::vector<StudyClaimResult> claims;
  std::vector<StudyClaimResult> measured_claims;  // that depend on the machine
  double seconds = 0;                             // measured
};
const Structure& StructureOf(const StudyDocument::Layer*);
const Structure& StructureOf(const StudyDocument::Point*);
const Structure& StructureOf(const StudyDocument::Row*);
const Structure& StructureOf(const StudyDocument::Drawing*);
const Structure& StructureOf(const StudyDocument*);
StudyDocument::Point ListedPoint(const StudyPoint& point);
StudyDocument DocumentOf(const StudyResult& result);  // without points

}  // namespace inlay
