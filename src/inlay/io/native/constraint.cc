#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "inlay/base/suggest.h"
#include "inlay/io/native/architecture_types.h"
#include "inlay/io/native/relation.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

constinit const Type kDimensions = {
    .form = Form::kList, .what = "a list of dimensions", .element = &kDimensionText};
constinit const Type kTensors = {
    .form = Form::kList, .what = "a list of tensors", .element = &kNameText};
constinit const Type kFactor = {.form = Form::kText,
                                .what = "a number of steps such as '4', '<= 16' or 'all'",
                                .check = CheckBy<ParseFactor>,
                                .pattern = FactorPattern,
                                .bare_integer = true};
constinit const Type kFactors = {.form = Form::kMap,
                                 .what = "a mapping from dimensions to numbers of steps",
                                 .check = CheckDimensionName,
                                 .pattern = DimensionNamePattern,
                                 .element = &kFactor};
constinit const Type kUtilization = {.form = Form::kText,
                                     .what = "a utilization such as '>= 0.5'",
                                     .check = CheckBy<ParseUtilization>,
                                     .pattern = UtilizationPattern};

constexpr std::array kConstraintKeys = {
    Key{"at", "the level or fan-out that is constrained", &kNameText, true},
    Key{"x", "fan-out: only these dimensions may be unrolled on x", &kDimensions},
    Key{"y", "fan-out: only these dimensions may be unrolled on y", &kDimensions},
    Key{"not_x", "fan-out: these dimensions may not be unrolled on x", &kDimensions},
    Key{"not_y", "fan-out: these dimensions may not be unrolled on y", &kDimensions},
    Key{"loops", "level: only these dimensions may have loops there", &kDimensions},
    Key{"factors",
        "the number of steps of a dimension there: '4', '<= 16', '>= 2', 'all' that the dimension "
        "has, or '4 if it fits', which has no effect on a dimension of fewer",
        &kFactors},
    Key{"default_factor", "the same for every dimension that 'factors' does not name", &kFactor},
    Key{"innermost", "level: the innermost loops, innermost first", &kDimensions},
    Key{"outermost", "level: the outermost loops, outermost first", &kDimensions},
    Key{"keep", "level: tensors that must be held there", &kTensors},
    Key{"bypass", "level: tensors that must not be held there", &kTensors},
    Key{"utilization", "the share of the capacity, or of the lanes, that must be used",
        &kUtilization},
    Key{"remainders",
        "the most steps that a loop with a remainder may have there; 1: no remainders (no effect "
        "in "
        "the mapspace 'any')",
        &kPositiveInteger}};

// Keys that mean something at one of the two only.
constexpr std::array<std::string_view, 4> kFanoutOnly = {"x", "y", "not_x", "not_y"};
constexpr std::array<std::string_view, 5> kLevelOnly = {"loops", "innermost", "outermost", "keep",
                                                        "bypass"};

void CheckPlace(const Node& node, const Node& at, const Architecture& architecture,
                Diagnostics* diagnostics) {
  const bool is_level = FindLevel(architecture, at.text).has_value();
  std::vector<std::string> names = LevelNames(architecture);
  bool is_fanout = false;
  for (const Level& level : architecture.levels) {
    if (level.fanout.name.empty()) continue;
    is_fanout = is_fanout || level.fanout.name == at.text;
    names.push_back(level.fanout.name);
  }
  if (!is_level && !is_fanout) {
    diagnostics->push_back(
        at.Error(fmt::format("the architecture has no level or fan-out '{}'", at.text),
                 SuggestionHint(at.text, names)));
    return;
  }
  for (const auto& [key, value] : node.entries) {
    const auto in = [&name = key.text](const auto& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (!is_fanout && in(kFanoutOnly)) {
      diagnostics->push_back(
          key.Error(fmt::format("'{}' is a level; '{}' constrains a fan-out", at.text, key.text),
                    "the loops of a level are constrained by 'loops'"));
    } else if (!is_level && in(kLevelOnly)) {
      diagnostics->push_back(
          key.Error(fmt::format("'{}' is a fan-out; '{}' constrains a level", at.text, key.text),
                    "what a fan-out unrolls is constrained by 'x' and 'y'"));
    }
  }
}

}  // namespace

constinit const Type kConstraintType = {
    .form = Form::kObject, .what = "a constraint", .keys = kConstraintKeys};
constinit const Type kConstraintsType = {
    .form = Form::kList, .what = "a list of constraints", .element = &kConstraintType};

Constraint BuildConstraint(const Node& node, const Architecture& architecture,
                           Diagnostics* diagnostics) {
  Constraint constraint;
  constraint.at = TextOr(node, "at");
  const Node* at = node.Find("at");
  if (at != nullptr && at->IsScalar()) CheckPlace(node, *at, architecture, diagnostics);
  const auto names = [&node](std::string_view key) -> std::optional<std::vector<std::string>> {
    const Node* list = node.Find(key);
    if (list == nullptr) return std::nullopt;
    return ScalarTexts(*list);
  };
  constraint.x = names("x");
  constraint.y = names("y");
  constraint.not_x = names("not_x").value_or(std::vector<std::string>());
  constraint.not_y = names("not_y").value_or(std::vector<std::string>());
  constraint.loops = names("loops");
  constraint.innermost = names("innermost").value_or(std::vector<std::string>());
  constraint.outermost = names("outermost").value_or(std::vector<std::string>());
  constraint.keep = names("keep").value_or(std::vector<std::string>());
  constraint.bypass = names("bypass").value_or(std::vector<std::string>());
  if (const Node* factors = node.Find("factors")) {
    for (const auto& [dim, value] : factors->entries) {
      auto factor = ParseFactor(value.text);
      if (!factor) continue;
      factor->dim = dim.text;
      constraint.factors.push_back(*std::move(factor));
    }
  }
  constraint.default_factor = ParsedKey<ParseFactor>(node, "default_factor");
  if (const Node* most = node.Find("remainders")) constraint.remainders = AsPositive(*most);
  constraint.min_utilization = ParsedKey<ParseUtilization>(node, "utilization");
  constraint.place = node.Place();
  return constraint;
}

}  // namespace inlay::io
