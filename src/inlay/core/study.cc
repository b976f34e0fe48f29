#include "inlay/core/study.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "inlay/base/suggest.h"
#include "inlay/core/batch_result.h"

namespace inlay {
namespace {

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

void CheckGrid(const StudyGrid& grid, Faults* faults) {
  std::set<std::string> names;
  for (const StudyAxis& axis : grid.axes) {
    const std::string where = "grid." + axis.name;
    if (!names.insert(axis.name).second) {
      faults->push_back({where, "the grid has the axis " + Quoted(axis.name) + " twice", ""});
    }
    if (axis.settings.empty()) {
      faults->push_back({where, "the axis " + Quoted(axis.name) + " has no setting", ""});
    }
    std::set<std::string> labels;
    for (const StudySetting& setting : axis.settings) {
      if (labels.insert(setting.label).second) continue;
      faults->push_back(
          {where, "the axis " + Quoted(axis.name) + " has " + Quoted(setting.label) + " twice",
           "leave one out, or give them labels"});
    }
  }
  if (!grid.deal.empty() && !names.contains(grid.deal)) {
    faults->push_back({"grid.deal", "the grid has no axis " + Quoted(grid.deal) + " to deal out",
                       SuggestionHint(grid.deal, {names.begin(), names.end()})});
  }
  if (PointsOf(grid) > static_cast<double>(kMostStudyPoints)) {
    faults->push_back({"grid",
                       "the grid has more than " + std::to_string(kMostStudyPoints) + " points",
                       "cut it into several studies"});
  }
}

// Labels of an axis over all grids; nothing if no grid has the axis.
std::vector<std::string> LabelsOf(const Study& study, const std::string& name) {
  std::vector<std::string> labels;
  for (const StudyGrid& grid : study.grids) {
    for (const StudyAxis& axis : grid.axes) {
      if (axis.name != name) continue;
      for (const StudySetting& setting : axis.settings) labels.push_back(setting.label);
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
    const std::vector<std::string> labels = LabelsOf(study, name);
    if (labels.empty()) {
      faults->push_back(
          {where, "no grid has an axis " + Quoted(name), SuggestionHint(name, AxisNames(study))});
    } else if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      faults->push_back({where, "the axis " + Quoted(name) + " has no setting " + Quoted(label),
                         SuggestionHint(label, labels)});
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
  if (axes.empty()) return;  // that is what is wrong, and is said when its runs are prepared
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
  } else if (claim.reach && LabelsOf(study, claim.along).empty()) {
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
    const auto settings = static_cast<double>(axis.settings.size());
    if (axis.name == grid.deal) return settings;
    points *= settings;
  }
  return points;
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

const char* Name(StudyClaim::Over over) {
  return over == StudyClaim::Over::kPoints ? "points" : "layers";
}

bool Compares(StudyClaim::Show show) {
  return show == StudyClaim::Show::kChange || show == StudyClaim::Show::kRatio;
}

const char* Name(StudyClaim::Show show) {
  switch (show) {
    case StudyClaim::Show::kValue:
      return "value";
    case StudyClaim::Show::kPercent:
      return "percent";
    case StudyClaim::Show::kChange:
      return "change";
    case StudyClaim::Show::kRatio:
      return "ratio";
  }
  return "";
}

const char* Name(StudyClaim::Take take) {
  switch (take) {
    case StudyClaim::Take::kMean:
      return "mean";
    case StudyClaim::Take::kGeomean:
      return "geomean";
    case StudyClaim::Take::kMin:
      return "min";
    case StudyClaim::Take::kMax:
      return "max";
  }
  return "";
}

std::vector<std::string> StudyFigureNames(std::string_view run, StudyClaim::Over over) {
  if (run == "mapspace") return {"size", "tilings", "bypass"};
  const bool layers = over == StudyClaim::Over::kLayers;
  if (run == "batch") return BatchFigureNames(layers);
  if ((run == "eval" || run == "plan") && layers) return {};
  if (run == "plan") return {"latency_us", "offchip_bytes", "energy_pj", "gap"};
  std::vector<std::string> names = {"operations",    "energy_pj",   "cycles",    "edp",
                                    "offchip_words", "utilization", "pj_per_op", "ops_per_cycle"};
  if (run == "eval") return names;
  if (run == "codesign") {
    for (const char* name : {"gap", "area_um2", "lanes"}) names.emplace_back(name);
    if (!layers) names.emplace_back("architectures");
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
  if (study.figure) CheckFigure(study, &faults);
  for (size_t i = 0; i < study.claims.size(); ++i) CheckClaim(study, i, &faults);
  return faults;
}

}  // namespace inlay
