#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/cost/timeloop/nest.h"

namespace inlay::timeloop {

// A place in the nest where words cross from a parent to its children: the tile of a child covers
// loops[tile …], the parent sees every loop outside.
struct Boundary {
  size_t tile = 0;
  std::vector<size_t> path;   // loops walked, outer to inner; spatial ones stand at lane 0
  std::vector<size_t> lanes;  // spatial loops between parent and children, outer to inner
  // The parent's innermost temporal loop if nothing lies between it and the child's tile. There the
  // last step of a loop with a remainder further in counts as the step before it.
  std::optional<size_t> direct;
  bool has_history = true;         // false: the children are compute lanes
  bool has_links = true;           // the children may pass words to their neighbours
  int64_t mesh_x = 1, mesh_y = 1;  // of the neighbourhood: the larger of physical and used lanes
};

// Between a level and the next inner one, or the compute lanes, as if both kept everything.
Boundary AdjacentBoundary(const Nest& nest, const Architecture& architecture, LevelId parent);
// Between a level and an inner one (the number of levels: the compute lanes) with everything in
// between removed. Only for perfect nests, where the order of lanes and steps does not matter.
Boundary MergedBoundary(const Nest& nest, const Architecture& architecture, LevelId parent,
                        LevelId child);

// Words that a parent sent to groups of children: `groups` groups of `multicast` children each.
struct AccessRecord {
  int64_t multicast = 1;
  int64_t groups = 1;
  double words = 0;  // counted once per group
};

// The words of all records.
inline double Sum(const std::vector<AccessRecord>& records) {
  double sum = 0;
  for (const AccessRecord& record : records) sum += record.words;
  return sum;
}

// What crosses a boundary for one tensor, per parent instance.
struct Traffic {
  std::vector<AccessRecord> records;  // in the order of their first occurrence
  double link_words = 0;              // passed between neighbouring children
  int64_t tile_words = 0;             // largest tile of a child
  int64_t spatial_tile_words = 0;     // largest tile of all children of a parent together
  double delivered_words = 0;         // to all children of all parents walked
  int64_t children = 0;               // of all parents walked
};

// The rules that shape the walk itself.
struct WalkRules {
  bool same_displacement = true;
  bool extrapolation = true;
  bool link_transfers = true;
};

// Walks lane 0 of every level, each loop by the steps that Timeloop evaluates, or by all of them
// where extrapolation is off. The other lanes are taken to be translated copies, so without
// extrapolation the nest must be perfect. A situation met twice is not walked twice.
Traffic AnalyseLaneZero(const Nest& nest, const Projection& projection, const Boundary& boundary,
                        const WalkRules& rules);

// Walks every step of every lane, and averages over the instances. A fault where that are too many
// steps.
tl::expected<Traffic, Fault> AnalyseAllLanes(const Nest& nest, const Projection& projection,
                                             const Boundary& boundary, const WalkRules& rules);

}  // namespace inlay::timeloop
