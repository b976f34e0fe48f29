#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "inlay/base/suggest.h"
#include "inlay/io/native/architecture_types.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/relation.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

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

const Type& ConstraintsType() {
  static const Type list = {
      .form = Form::kList,
      .what = "a list of constraints",
      .element = &TypeOf<Constraint>(
          {{"factors", &kFactors}, {"default_factor", &kFactor}, {"utilization", &kUtilization}})};
  return list;
}

Constraint BuildConstraint(const Node& node, const Architecture& architecture,
                           Diagnostics* diagnostics) {
  Constraint constraint;
  ReadKeys(node, {}, &constraint, diagnostics);
  const Node* at = node.Find("at");
  if (at != nullptr && at->IsScalar()) CheckPlace(node, *at, architecture, diagnostics);
  if (const Node* factors = node.Find("factors")) {
    for (const auto& [dim, value] : factors->entries) {
      auto factor = ParseFactor(value.text);
      if (!factor) continue;
      factor->dim = dim.text;
      constraint.factors.push_back(*std::move(factor));
    }
  }
  constraint.default_factor = ParsedKey<ParseFactor>(node, "default_factor");
  constraint.min_utilization = ParsedKey<ParseUtilization>(node, "utilization");
  constraint.place = node.Place();
  return constraint;
}

}  // namespace inlay::io
