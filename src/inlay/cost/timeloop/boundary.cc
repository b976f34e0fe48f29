#include "inlay/cost/timeloop/boundary.h"

#include <algorithm>

namespace inlay::timeloop {

Boundary AdjacentBoundary(const Nest& nest, const Architecture& architecture, LevelId parent) {
  const LevelRange& range = nest.levels[parent];
  const Fanout& fanout = architecture.levels[parent].fanout;
  Boundary boundary;
  boundary.tile = range.end;
  for (size_t k = 0; k < range.spatial; ++k) boundary.path.push_back(k);
  for (size_t k = range.spatial; k < range.end; ++k) boundary.lanes.push_back(k);
  if (boundary.lanes.empty() && range.temporal < range.spatial) {
    boundary.direct = range.spatial - 1;
  }
  boundary.has_history = parent.value() + 1 < nest.levels.size();
  boundary.mesh_x = std::max(fanout.x, LaneCount(nest, range.spatial, range.end, Axis::kX));
  boundary.mesh_y = std::max(fanout.y, LaneCount(nest, range.spatial, range.end, Axis::kY));
  return boundary;
}

Boundary MergedBoundary(const Nest& nest, const Architecture& architecture, LevelId parent,
                        LevelId child) {
  if (child.value() == parent.value() + 1) return AdjacentBoundary(nest, architecture, parent);
  Boundary boundary;
  const bool is_compute = child.value() == nest.levels.size();
  boundary.tile = is_compute ? nest.loops.size() : nest.levels[child].temporal;
  for (size_t k = 0; k < boundary.tile; ++k) {
    const bool between = nest.loops[k].IsSpatial() && nest.loops[k].level >= parent;
    (between ? boundary.lanes : boundary.path).push_back(k);
  }
  boundary.has_history = !is_compute;
  boundary.has_links = false;  // the removed level lies between neighbours
  return boundary;
}

}  // namespace inlay::timeloop
