#include "inlay/core/fused_mapping.h"

#include <fmt/format.h>

#include <algorithm>

namespace inlay {

Architecture LeafArchitecture(const Architecture& architecture) {
  Architecture leaf = architecture;
  leaf.levels = {};
  leaf.constraints.clear();
  for (LevelId l : Ids(architecture.levels)) {
    if (l != LevelId(0)) leaf.levels.push_back(architecture.levels[l]);
  }
  return leaf;
}

Mapping DefaultLeafMapping(const Problem& problem, const Architecture& leaf_architecture) {
  Mapping mapping;
  mapping.levels.resize(leaf_architecture.levels.size());
  for (LevelId l : Ids(leaf_architecture.levels)) {
    for (TensorId t : Ids(problem.tensors)) {
      const std::string& tensor = problem.tensors[t].name;
      const bool may = KeepRuleOf(leaf_architecture.levels[l], tensor) != KeepRule::kBypass;
      if (l == LevelId(0) || may) mapping.levels[l].keep.insert(t);
    }
  }
  for (DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound > 1) mapping.levels[LevelId(0)].temporal.push_back({d, 1});
  }
  return mapping;
}

Mapping ClippedTo(const Problem& problem, Mapping mapping) {
  IndexedVector<DimId, int64_t> ranges;
  for (const Dimension& dim : problem.dims) ranges.push_back(dim.bound);
  for (LevelMapping& level : mapping.levels) {
    for (auto* loops : {&level.temporal, &level.spatial}) {
      for (Loop& loop : *loops) {
        loop.step = std::min(loop.step, ranges[loop.dim]);
        ranges[loop.dim] = loop.step;
      }
    }
  }
  return mapping;
}

Faults CheckFusedArchitecture(const FusedProblem& problem, const Architecture& architecture) {
  Faults faults;
  if (architecture.levels.size() < 2) {
    faults.push_back({"levels", "a fused mapping needs two levels, off-chip memory and a pad",
                      "add a level inside '" + architecture.levels[LevelId(0)].name + "'"});
    return faults;
  }
  if (HasTimeKeys(architecture)) faults.push_back(TimeKeysFault("the cost of fused mappings"));
  const Level& offchip = architecture.levels[LevelId(0)];
  if (offchip.fanout.x * offchip.fanout.y > 1) {
    faults.push_back({"levels." + offchip.name,
                      fmt::format("there are several '{}' below '{}'",
                                  architecture.levels[LevelId(1)].name, offchip.name),
                      "the tiles of a fused mapping lie in one memory above every fan-out"});
  }
  for (const LevelId l : {LevelId(0), LevelId(1)}) {
    const Level& level = architecture.levels[l];
    if (!level.partitions.empty()) {
      faults.push_back(
          {"levels." + level.name,
           fmt::format("'{}' has partitions, which fused mappings cannot share out", level.name),
           "give it one capacity"});
      continue;
    }
    for (const std::string& tensor : problem.tensors) {
      if (KeepRuleOf(level, tensor) != KeepRule::kBypass) continue;
      faults.push_back({"levels." + level.name,
                        fmt::format("'{}' must not keep '{}', but every tensor of a fused mapping "
                                    "passes through it",
                                    level.name, tensor),
                        "take it out of 'bypass', or call the tensor something else"});
    }
  }
  return faults;
}

}  // namespace inlay
