#include "inlay/core/study.h"

#include <algorithm>
#include <set>

#include "inlay/base/suggest.h"

namespace inlay {
namespace {

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

void CheckGrid(const StudyGrid& grid, Faults* faults) {
  std::set<std::string> names;
  double points = 1;
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
    points *= static_cast<double>(axis.settings.size());
  }
  if (points > static_cast<double>(kMostStudyPoints)) {
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

void CheckClaim(const Study& study, size_t index, Faults* faults) {
  const StudyClaim& claim = study.claims[index];
  const std::string where = "claims[" + std::to_string(index) + "]";
  CheckFilter(study, claim.of, where, faults);
  CheckFilter(study, claim.against, where, faults);
  const bool compares = Compares(claim.show);
  if (compares == claim.against.empty()) {
    faults->push_back(
        {where,
         compares ? std::string("a ") + Name(claim.show) + " needs 'against'"
                  : "'against' is given, but the value itself is shown",
         compares ? "say which points are compared with" : "show a change or a ratio"});
  }
}

}  // namespace

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

Faults Validate(const Study& study) {
  Faults faults;
  for (const StudyGrid& grid : study.grids) CheckGrid(grid, &faults);
  for (size_t i = 0; i < study.claims.size(); ++i) CheckClaim(study, i, &faults);
  return faults;
}

}  // namespace inlay
