#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// The level that a directive is about, by name or by index (0 = innermost storage).
std::optional<LevelId> FindLevelTarget(const Architecture& architecture, const Node& target,
                                       Report* report);

// The levels whose fan-outs a spatial directive is about: the fan-out below the named level; where
// containers with fan-outs stand between that level and the next storage, those, outer to inner; a
// container, by its name; and, in the 0.4 form (`own_fanouts`), the fan-out of the named component
// under its parent. Empty without a message: there is no fan-out there.
std::vector<LevelId> FindFanoutTargets(const Architecture& architecture, const Node& target,
                                       bool own_fanouts, Report* report);

// Whether a level stands for the fan-out of a container and holds nothing.
bool IsContainerFanout(const Level& level);
std::string ContainerFanoutName(std::string_view container);

}  // namespace inlay::io::timeloop
