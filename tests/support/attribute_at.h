#pragma once

#include <optional>
#include <string>

#include "inlay/core/attribute.h"

namespace inlay::testing {

// The attribute of a level that files call so behind its name ("capacity", "energy.read",
// "partition.Inputs"), or of its fan-out ("x", "y"), whatever both are called.
inline std::optional<Attribute> AttributeAt(Architecture architecture, LevelId level,
                                            const std::string& key) {
  architecture.levels[level].name = "the level";
  architecture.levels[level].fanout.name = "the fan-out";
  const auto of_level = FindAttribute(architecture, "the level." + key);
  return of_level ? of_level : FindAttribute(architecture, "the fan-out." + key);
}

}  // namespace inlay::testing
