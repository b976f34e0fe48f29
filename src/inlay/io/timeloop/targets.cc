#include "inlay/io/timeloop/targets.h"

#include <fmt/format.h>

#include "inlay/base/suggest.h"
#include "inlay/io/timeloop/components.h"

namespace inlay::io::timeloop {
namespace {

bool HasFanout(const Level& level) { return level.fanout.x > 1 || level.fanout.y > 1; }

}  // namespace

std::string ContainerFanoutName(std::string_view container) {
  return fmt::format("inter_{}_spatial", container);
}

bool IsContainerFanout(const Level& level) {
  return level.bypass && level.bypass->all && level.name.starts_with("inter_") &&
         level.name.ends_with("_spatial");
}

std::optional<LevelId> FindLevelTarget(const Architecture& architecture, const Node& target,
                                       Report* report) {
  if (!target.IsScalar()) {
    report->Error(target, "a target must be the name of a level");
    return std::nullopt;
  }
  const auto ranged = ParseRangedName(target.text);
  if (const auto level = FindLevel(architecture, ranged ? ranged->name : target.text)) return level;
  const auto levels = static_cast<int64_t>(architecture.levels.size());
  if (const auto index = AsInt(target, "target")) {
    if (*index >= 0 && *index < levels) return LevelId(static_cast<size_t>(levels - 1 - *index));
    report->Error(target, fmt::format("there is no level {}", *index),
                  fmt::format("levels are counted from 0, the innermost, to {}", levels - 1));
    return std::nullopt;
  }
  report->Error(target, fmt::format("there is no level '{}'", target.text),
                SuggestionHint(target.text, LevelNames(architecture)));
  return std::nullopt;
}

std::vector<LevelId> FindFanoutTargets(const Architecture& architecture, const Node& target,
                                       bool own_fanouts, Report* report) {
  if (target.IsScalar()) {
    if (const auto container = FindLevel(architecture, ContainerFanoutName(target.text))) {
      return {*container};
    }
  }
  const auto level = FindLevelTarget(architecture, target, report);
  if (!level) return {};
  if (HasFanout(architecture.levels[*level])) return {*level};
  std::vector<LevelId> containers;
  for (size_t l = level->value() + 1; l < architecture.levels.size(); ++l) {
    if (!IsContainerFanout(architecture.levels[LevelId(l)])) break;
    containers.emplace_back(l);
  }
  if (containers.empty() && own_fanouts && level->value() > 0) {
    const LevelId above(level->value() - 1);
    if (HasFanout(architecture.levels[above])) return {above};
  }
  return containers;
}

}  // namespace inlay::io::timeloop
