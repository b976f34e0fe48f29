#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/base/enum_names.h"
#include "inlay/base/structure.h"
#include "inlay/core/fault.h"
#include "inlay/core/study_axis.h"

namespace inlay {

// The commands that the points of a study can be calls of (study/run_kinds.h).
inline constexpr std::array<std::string_view, 7> kStudyRuns = {
    "map", "mapspace", "eval", "codesign", "plan", "fuse", "batch"};

// All combinations of the settings of all axes; the last axis changes fastest.
// With `deal` there are as many points as that axis has settings.
struct StudyGrid {
  std::string run;  // one of kStudyRuns: what each point is
  std::vector<StudyAxis> axes;
  // An axis whose settings are dealt out over the combinations of all others, one after the other
  // and round again, instead of being combined with them; empty: none.
  std::string deal;
  SourcePlace place = {};
  bool operator==(const StudyGrid&) const = default;
};

// What is drawn: one row per value of x, one column per series. Each name is an axis, a figure of
// a point ("edp"), "layer", or "policy", which is the same for runs of batch; series may be
// "policy" too. Where several points fall together their mean is drawn.
struct StudyFigure {
  std::string x, y;
  std::vector<std::string> series;
  bool pareto = false;  // mark the points that no other beats in both x and y
  bool operator==(const StudyFigure&) const = default;
};
const Structure& StructureOf(const StudyFigure*);

// The points with these settings: axis and label.
using StudyFilter = std::vector<std::pair<std::string, std::string>>;

// What a paper says, and how to get our figure for it.
struct StudyClaim {
  enum class Over : uint8_t { kPoints, kLayers };  // each layer of a point counts by itself
  enum class Show : uint8_t { kValue, kPercent, kChange, kRatio };  // change: of / against − 1
  enum class Take : uint8_t { kMean, kGeomean, kMin, kMax };
  std::string what;
  std::string paper;  // its figure, as printed
  std::string metric;
  StudyFilter of;
  StudyFilter against;  // each point is compared with the one that differs in these settings only
  Over over = Over::kPoints;
  Show show = Show::kValue;
  Take take = Take::kMean;
  std::string note;  // where and why the two differ
  // Instead of a figure, the smallest setting of the axis `along`, a number with whatever behind
  // it, at which the figure taken of the points there is at least so much.
  std::optional<double> reach = {};
  std::string along = {};
  bool operator==(const StudyClaim&) const = default;
};
const Structure& StructureOf(const StudyClaim*);
bool Compares(StudyClaim::Show show);  // two points, instead of showing one
template <>
inline constexpr auto kNames<StudyClaim::Over> = std::to_array<EnumName<StudyClaim::Over>>(
    {{StudyClaim::Over::kPoints, "points"}, {StudyClaim::Over::kLayers, "layers"}});
template <>
inline constexpr auto kNames<StudyClaim::Show> =
    std::to_array<EnumName<StudyClaim::Show>>({{StudyClaim::Show::kValue, "value"},
                                               {StudyClaim::Show::kPercent, "percent"},
                                               {StudyClaim::Show::kChange, "change"},
                                               {StudyClaim::Show::kRatio, "ratio"}});
template <>
inline constexpr auto kNames<StudyClaim::Take> =
    std::to_array<EnumName<StudyClaim::Take>>({{StudyClaim::Take::kMean, "mean"},
                                               {StudyClaim::Take::kGeomean, "geomean"},
                                               {StudyClaim::Take::kMin, "min"},
                                               {StudyClaim::Take::kMax, "max"}});

// Grids of runs, the figure drawn from them, and the claims it is compared with.
struct Study {
  std::string name;
  std::vector<StudyGrid> grids;
  std::optional<StudyFigure> figure;
  std::vector<StudyClaim> claims;
  bool operator==(const Study&) const = default;
};

// More points than this, of all grids together, are refused as a mistake in the file.
inline constexpr int64_t kMostStudyPoints = 1'000'000'000'000'000;

// The metric that is no figure: what the searches of a point took.
inline constexpr std::string_view kStudySeconds = "seconds";

// The names of the figures that points of a run have, or their layers.
std::vector<std::string> StudyFigureNames(std::string_view run, StudyClaim::Over over);

// An axis twice in a grid, a label twice on an axis, too many points, filters of axes or labels
// that no grid has, a comparison without both sides, figures that no run has. `where` is
// "grid.AXIS", "figure.KEY", "claims[i].KEY".
Faults Validate(const Study& study);

// How many points a grid has; a double because a mistake in a file may ask for any number.
double PointsOf(const StudyGrid& grid);
// Of all grids, as far as can be counted exactly: kMostStudyPoints + 1 stands for any number above
// kMostStudyPoints.
size_t PointsOf(const Study& study);

// A point: its grid, and its place on each axis.
struct StudyPlace {
  const StudyGrid* grid = nullptr;
  std::vector<size_t> settings;
};
// By its number among those of its grid.
StudyPlace PlaceOf(const StudyGrid& grid, size_t point);
// Axis and label of each setting of a point.
StudyFilter SettingsOf(const StudyPlace& place);

// The points of a valid study by their numbers among those of all grids. The study outlives it.
class StudyNumbers {
 public:
  explicit StudyNumbers(const Study& study);
  size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  StudyPlace PlaceOf(size_t point) const;
  StudyFilter SettingsOf(size_t point) const { return inlay::SettingsOf(PlaceOf(point)); }

 private:
  const Study* study_;
  std::vector<size_t> ends_;  // of each grid, the number of points up to its end
};

// In ascending order, points of a grid (counted within it) that between them have the probes of all
// axes: what is wrong with a setting is wrong with one of them. As many as settings, not as many as
// combinations.
std::vector<size_t> ProbesOf(const StudyGrid& grid);

// The first point whose settings are those of `fixed`, and those of `like` on every axis that
// `fixed` does not name; none if no grid has one.
std::optional<size_t> FindPoint(const Study& study, const StudyFilter& fixed,
                                const StudyFilter& like);

// Whether a figure is drawn of the parts of points, layers or policies.
bool DrawsParts(const StudyFigure& figure);

// The number that a label begins with: 16 of "16 MiB".
std::optional<double> LeadingNumber(std::string_view label);

}  // namespace inlay
