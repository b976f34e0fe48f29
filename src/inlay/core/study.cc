#include "inlay/core/study.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "inlay/base/suggest.h"
#include "inlay/core/batch_result.h"
#include "inlay/core/units.h"

namespace inlay {

const Structure& StructureOf(const StudyFigure*) {
  static constexpr KeyTraits kTitle = {.required = true, .text = TextForm::kTitle};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&StudyFigure::x>(
          "x", "an axis, a figure of a point, 'layer' or 'policy': a row for each of its values",
          kTitle)
          .InResults(),
      KeyOf<&StudyFigure::y>("y", "the figure that is shown", kTitle).InResults(),
      KeyOf<&StudyFigure::series>(
          "series", "axes, or 'policy': a column for each combination of their settings",
          {.by_hand = true})
          .InResults(),
      KeyOf<&StudyFigure::pareto>(
          "pareto", "whether to mark what no other point beats in both x and y (default {})")
          .InResults(),
  });
  return Describe<StudyFigure, kKeys>("StudyFigure", "a figure");
}

const Structure& StructureOf(const StudyClaim*) {
  static constexpr KeyTraits kTitle = {.required = true, .text = TextForm::kTitle};
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&StudyClaim::what>("what", "what the claim is about", kTitle).InResults(),
      KeyOf<&StudyClaim::paper>("paper", "the paper's figure, as printed", kTitle).InResults(),
      KeyOf<&StudyClaim::metric>("metric", "our figure: the name of a point's figure", kTitle)
          .InResults(),
      KeyOf<&StudyClaim::of>("of",
                             "the points it is taken from: axes and their settings (default: all)")
          .InResults(),
      KeyOf<&StudyClaim::against>("against",
                                  "settings of the points they are compared with, one by one")
          .InResults(),
      KeyOf<&StudyClaim::over>("over", "points, or every layer by itself (default {})").InResults(),
      KeyOf<&StudyClaim::show>("show",
                               "the value, the value in percent, its change against the other or "
                               "the ratio to it (default {})")
          .InResults(),
      KeyOf<&StudyClaim::take>("take", "mean, geomean, min or max of them (default {})")
          .InResults(),
      KeyOf<&StudyClaim::reach>("reach",
                                "instead, the smallest setting of the axis 'along' at which the "
                                "figure is at least so much")
          .InResults({.may_be_negative = true}),
      KeyOf<&StudyClaim::along>("along", "the axis, whose settings begin with numbers",
                                {.text = TextForm::kTitle})
          .InResults(),
      KeyOf<&StudyClaim::note>("note", "where and why the two differ").InResults(),
  });
  return Describe<StudyClaim, kKeys>("StudyClaim", "a claim");
}

namespace {

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

void CheckGrid(const StudyGrid& grid, Faults* faults) {
  std::set<std::string> names;
  for (const StudyAxis& axis : grid.axes) {
    const std::string where = "grid." + axis.name;
    if (!names.insert(axis.name).second) {
      faults->push_back({where, "the grid has the axis " + Quoted(axis.name) + " twice", ""});
    }
    if (axis.size() == 0) {
      faults->push_back({where, "the axis " + Quoted(axis.name) + " has no setting", ""});
    }
    for (const std::string& label : axis.Repeated()) {
      faults->push_back({where,
                         "the axis " + Quoted(axis.name) + " has " + Quoted(label) + " twice",
                         "leave one out, or give them labels"});
    }
  }
  if (!grid.deal.empty() && !names.contains(grid.deal)) {
    faults->push_back({"grid.deal", "the grid has no axis " + Quoted(grid.deal) + " to deal out",
                       SuggestionHint(grid.deal, {names.begin(), names.end()})});
  }
}

// Those of all grids that have the axis.
std::vector<const StudyAxis*> AxesOf(const Study& study, const std::string& name) {
  std::vector<const StudyAxis*> axes;
  for (const StudyGrid& grid : study.grids) {
    for (const StudyAxis& axis : grid.axes) {
      if (axis.name == name) axes.push_back(&axis);
    }
  }
  return axes;
}

// The labels to suggest from, at most kMostListed.
std::vector<std::string> LabelsOf(const std::vector<const StudyAxis*>& axes) {
  std::vector<std::string> labels;
  for (const StudyAxis* axis : axes) {
    for (size_t i = 0; i < axis->size() && labels.size() < kMostListed; ++i) {
      labels.push_back(axis->LabelAt(i));
    }
  }
  return labels;
}

std::vector<std::string> AxisNames(const Study& study) {
  std::vector<std::string> names;
  for (const StudyGrid& grid : study.grids) {
    for (const StudyAxis& axis : grid.axes) {
      if (std::find(names.begin(), names.end(), axis.name) == names.end()) {
        names.push_back(axis.name);
      }
    }
  }
  return names;
}

void CheckFilter(const Study& study, const StudyFilter& filter, const std::string& where,
                 Faults* faults) {
  for (const auto& [name, label] : filter) {
    const std::vector<const StudyAxis*> axes = AxesOf(study, name);
    const bool known = std::any_of(
        axes.begin(), axes.end(),
        [&text = label](const StudyAxis* axis) { return axis->Find(text).has_value(); });
    if (axes.empty()) {
      faults->push_back(
          {where, "no grid has an axis " + Quoted(name), SuggestionHint(name, AxisNames(study))});
    } else if (!known) {
      faults->push_back({where, "the axis " + Quoted(name) + " has no setting " + Quoted(label),
                         SuggestionHint(label, LabelsOf(axes))});
    }
  }
}

// Of all runs of the study, each name once.
std::vector<std::string> FigureNames(const Study& study, StudyClaim::Over over) {
  std::vector<std::string> names;
  for (const StudyGrid& grid : study.grids) {
    for (std::string& name : StudyFigureNames(grid.run, over)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

bool IsOneOf(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void CheckFigure(const Study& study, Faults* faults) {
  const StudyFigure& figure = *study.figure;
  const std::vector<std::string> axes = AxisNames(study);
  if (axes.empty()) return;  // reported when the runs are prepared
  const bool by_layer = DrawsParts(figure);
  const std::vector<std::string> figures =
      FigureNames(study, by_layer ? StudyClaim::Over::kLayers : StudyClaim::Over::kPoints);
  const bool is_part = figure.x == "layer" || figure.x == "policy";
  if (!is_part && !IsOneOf(figure.x, axes) && (by_layer || !IsOneOf(figure.x, figures))) {
    std::vector<std::string> all = axes;
    all.emplace_back("layer");
    all.insert(all.end(), figures.begin(), figures.end());
    faults->push_back({"figure.x", "there is neither an axis nor a figure " + Quoted(figure.x),
                       SuggestionHint(figure.x, all)});
  }
  if (!IsOneOf(figure.y, figures)) {
    faults->push_back(
        {"figure.y",
         (by_layer ? "layers have no figure " : "points have no figure ") + Quoted(figure.y),
         SuggestionHint(figure.y, figures)});
  }
  for (const std::string& name : figure.series) {
    if (IsOneOf(name, axes) || name == "policy") continue;
    faults->push_back(
        {"figure.series", "no grid has an axis " + Quoted(name), SuggestionHint(name, axes)});
  }
}

void CheckMetric(const Study& study, const StudyClaim& claim, const std::string& where,
                 Faults* faults) {
  const bool layers = claim.over == StudyClaim::Over::kLayers;
  std::vector<std::string> names = FigureNames(study, claim.over);
  if (!layers) names.emplace_back(kStudySeconds);
  if (IsOneOf(claim.metric, names)) return;
  faults->push_back(
      {where, (layers ? "layers have no figure " : "points have no figure ") + Quoted(claim.metric),
       SuggestionHint(claim.metric, names)});
}

void CheckClaim(const Study& study, size_t index, Faults* faults) {
  const StudyClaim& claim = study.claims[index];
  const std::string where = "claims[" + std::to_string(index) + "]";
  CheckMetric(study, claim, where + ".metric", faults);
  CheckFilter(study, claim.of, where + ".of", faults);
  CheckFilter(study, claim.against, where + ".against", faults);
  if (claim.reach.has_value() == claim.along.empty()) {
    faults->push_back({where, "'reach' and 'along' go together",
                       "say how much is to be reached, and along which axis"});
  } else if (claim.reach && AxesOf(study, claim.along).empty()) {
    faults->push_back({where + ".along", "no grid has an axis " + Quoted(claim.along),
                       SuggestionHint(claim.along, AxisNames(study))});
  }
  const bool compares = Compares(claim.show);
  if (compares == claim.against.empty()) {
    faults->push_back(
        {where,
         compares ? std::string("a ") + Name(claim.show) + " needs 'against'"
                  : "'against' is given, but the value itself is shown",
         compares ? "say which points are compared with" : "show a change or a ratio"});
  }
}

const std::string* LabelIn(const StudyFilter& filter, const std::string& axis) {
  const auto found = std::find_if(filter.begin(), filter.end(),
                                  [&](const auto& setting) { return setting.first == axis; });
  return found == filter.end() ? nullptr : &found->second;
}

// The place on each axis that a filter and the settings of another point leave; none: any.
// Nothing if there is no such point.
using Wanted = std::vector<std::optional<size_t>>;
std::optional<Wanted> WantedIn(const StudyGrid& grid, const StudyFilter& fixed,
                               const StudyFilter& like) {
  for (const auto& [name, label] : fixed) {
    const bool has = std::any_of(grid.axes.begin(), grid.axes.end(),
                                 [&axis = name](const StudyAxis& a) { return a.name == axis; });
    if (!has) return std::nullopt;
  }
  Wanted wanted;
  for (const StudyAxis& axis : grid.axes) {
    const std::string* label = LabelIn(fixed, axis.name);
    if (label == nullptr) label = LabelIn(like, axis.name);
    wanted.emplace_back();
    if (label == nullptr) continue;
    wanted.back() = axis.Find(*label);
    if (!wanted.back()) return std::nullopt;
  }
  return wanted;
}

// The place on each axis of a point, counted within its grid.
std::vector<size_t> PlaceIn(const StudyGrid& grid, size_t point) {
  std::vector<size_t> settings(grid.axes.size());
  size_t rest = point;
  for (size_t i = grid.axes.size(); i > 0; --i) {
    const StudyAxis& axis = grid.axes[i - 1];
    if (axis.name == grid.deal) {
      settings[i - 1] = point;
      continue;
    }
    settings[i - 1] = rest % axis.size();
    rest /= axis.size();
  }
  return settings;
}

std::optional<size_t> FindInGrid(const StudyGrid& grid, const StudyFilter& fixed,
                                 const StudyFilter& like) {
  const auto wanted = WantedIn(grid, fixed, like);
  if (!wanted) return std::nullopt;
  double number = 0;
  std::optional<size_t> dealt;
  for (size_t i = 0; i < grid.axes.size(); ++i) {
    const StudyAxis& axis = grid.axes[i];
    if (axis.name == grid.deal) {
      dealt = (*wanted)[i];
    } else {
      number =
          number * static_cast<double>(axis.size()) + static_cast<double>((*wanted)[i].value_or(0));
    }
  }
  // Dealt out, the combinations of the others may be more than there are points.
  if (!dealt) {
    return number < PointsOf(grid) ? std::optional(static_cast<size_t>(number)) : std::nullopt;
  }
  const std::vector<size_t> settings = PlaceIn(grid, *dealt);
  for (size_t i = 0; i < settings.size(); ++i) {
    if ((*wanted)[i] && *(*wanted)[i] != settings[i]) return std::nullopt;
  }
  return dealt;
}

// Of a policy; of a point the same behind the name of each.
std::vector<std::string> BatchFigureNames(bool of_policy) {
  std::vector<std::string> names = {
      "makespan_cycles", "throughput_per_s", "of_pu",          "of_pw",          "over_static",
      "pe_busy",         "utilization",      "idle_capacity",  "idle_bandwidth", "idle_dependency",
      "refetched_bytes", "spilled_bytes",    "streamed_bytes", "splits",         "merges",
      "remaps",          "deadlocks",        "peak_bytes"};
  if (of_policy) return names;
  std::vector<std::string> all = {"lb_cycles", "pu_cycles", "pw_cycles"};
  for (const std::string_view policy : kBatchPolicies) {
    for (const std::string& name : names) all.push_back(std::string(policy) + "." + name);
  }
  return all;
}

}  // namespace

double PointsOf(const StudyGrid& grid) {
  double points = 1;
  for (const StudyAxis& axis : grid.axes) {
    const auto settings = static_cast<double>(axis.size());
    if (axis.name == grid.deal) return settings;
    points *= settings;
  }
  return points;
}

size_t PointsOf(const Study& study) {
  double points = 0;  // exact, as far as it goes
  for (const StudyGrid& grid : study.grids) points += PointsOf(grid);
  return static_cast<size_t>(std::min(points, static_cast<double>(kMostStudyPoints) + 1));
}

StudyPlace PlaceOf(const StudyGrid& grid, size_t point) { return {&grid, PlaceIn(grid, point)}; }

StudyNumbers::StudyNumbers(const Study& study) : study_(&study) {
  for (const StudyGrid& grid : study.grids) {
    ends_.push_back(size() + static_cast<size_t>(PointsOf(grid)));
  }
}

StudyPlace StudyNumbers::PlaceOf(size_t point) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), point);
  const auto number = static_cast<size_t>(end - ends_.begin());
  const size_t begin = number == 0 ? 0 : ends_[number - 1];
  return inlay::PlaceOf(study_->grids[number], point - begin);
}

StudyFilter SettingsOf(const StudyPlace& place) {
  StudyFilter settings;
  for (size_t i = 0; i < place.settings.size(); ++i) {
    const StudyAxis& axis = place.grid->axes[i];
    settings.emplace_back(axis.name, axis.LabelAt(place.settings[i]));
  }
  return settings;
}

std::vector<size_t> ProbesOf(const StudyGrid& grid) {
  const auto points = static_cast<size_t>(PointsOf(grid));
  std::vector<size_t> probes = {0};
  size_t stride = 1;
  for (auto axis = grid.axes.rbegin(); axis != grid.axes.rend(); ++axis) {
    const bool dealt = axis->name == grid.deal;
    for (const size_t probe : axis->Probes()) {
      const double at = static_cast<double>(probe) * static_cast<double>(dealt ? 1 : stride);
      // Dealt out, the combinations of the others may be more than there are points.
      if (at < static_cast<double>(points)) probes.push_back(static_cast<size_t>(at));
    }
    if (!dealt) stride = std::min(stride * axis->size(), points);
  }
  std::sort(probes.begin(), probes.end());
  probes.erase(std::unique(probes.begin(), probes.end()), probes.end());
  return probes;
}

std::optional<size_t> FindPoint(const Study& study, const StudyFilter& fixed,
                                const StudyFilter& like) {
  size_t begin = 0;
  for (const StudyGrid& grid : study.grids) {
    if (const auto point = FindInGrid(grid, fixed, like)) return begin + *point;
    begin += static_cast<size_t>(PointsOf(grid));
  }
  return std::nullopt;
}

bool DrawsParts(const StudyFigure& figure) {
  return figure.x == "layer" || figure.x == "policy" || IsOneOf("policy", figure.series);
}

std::optional<double> LeadingNumber(std::string_view label) {
  double value = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

bool Compares(StudyClaim::Show show) {
  return show == StudyClaim::Show::kChange || show == StudyClaim::Show::kRatio;
}

std::vector<std::string> StudyFigureNames(std::string_view run, StudyClaim::Over over) {
  if (run == "mapspace") return {"size", "tilings", "bypass"};
  const bool layers = over == StudyClaim::Over::kLayers;
  if (run == "batch") return BatchFigureNames(layers);
  if ((run == "eval" || run == "plan" || run == "fuse") && layers) return {};
  if (run == "fuse") {
    return {"offchip_words",
            "energy_pj",
            "cycles",
            "edp",
            "operations",
            "recomputed_operations",
            "room_words",
            "runs",
            "compulsory_words",
            "bound_any_fusion",
            "unfused_offchip_words",
            "gap"};
  }
  if (run == "plan") return {"latency_us", "offchip_bytes", "energy_pj", "gap"};
  std::vector<std::string> names = {"operations",    "energy_pj",   "cycles",    "edp",
                                    "offchip_words", "utilization", "pj_per_op", "ops_per_cycle"};
  if (run == "eval") return names;
  if (run == "codesign") {
    for (const char* name : {"gap", "area_um2", "lanes"}) names.emplace_back(name);
    if (layers) return names;
    // A point may have several architectures.
    std::erase_if(names, [](const std::string& name) {
      return name == "offchip_words" || name == "utilization";
    });
    names.emplace_back("architectures");
    return names;
  }
  for (const char* name : {"padded_operations", "gap", "model_offchip_words", "array_cycles",
                           "points_visited", "points_in_space", "pruned"}) {
    names.emplace_back(name);
  }
  names.emplace_back(layers ? "model_over_exact" : "area_um2");
  return names;
}

Faults Validate(const Study& study) {
  Faults faults;
  if (study.grids.empty()) {
    faults.push_back({"grid", "the study has no grid, and so no point", "name an axis at least"});
  }
  for (const StudyGrid& grid : study.grids) CheckGrid(grid, &faults);
  if (PointsOf(study) > static_cast<size_t>(kMostStudyPoints)) {
    faults.push_back({"grid",
                      "the study has more than " + std::to_string(kMostStudyPoints) + " points",
                      "cut it into several studies"});
  }
  if (study.figure) CheckFigure(study, &faults);
  for (size_t i = 0; i < study.claims.size(); ++i) CheckClaim(study, i, &faults);
  return faults;
}

}  // namespace inlay
