#include "tests/support/box_sizes.h"

#include <algorithm>

namespace inlay::testing {

using exact_search::BoxRange;

BoxRange BoxSizesOf(const Space& space, const Mapping& mapping) {
  BoxRange sizes;
  size_t i = 0;
  for (const DimId d : Ids(space.problem.dims)) {
    int64_t range = space.problem.dims[d].bound;
    if (range == 1) continue;
    for (const Slot& slot : space.slots) {
      const size_t level = slot.level.value();
      const auto size = static_cast<int32_t>(range);
      if (slot.axis == Axis::kTime) sizes.tiles[level].lo[i] = sizes.tiles[level].hi[i] = size;
      const LevelMapping& loops = mapping.levels[slot.level];
      int64_t step = range;
      for (const Loop& loop : slot.axis == Axis::kTime ? loops.temporal : loops.spatial) {
        if (loop.dim == d && loop.axis == slot.axis) step = loop.step;
      }
      if (slot.axis != Axis::kTime) {
        BoxRange::Part& lanes = sizes.lanes[level];
        lanes.hi[i] = std::max(lanes.hi[i], 1) * static_cast<int32_t>((range + step - 1) / step);
        lanes.lo[i] = lanes.hi[i];
      }
      range = step;
    }
    ++i;
  }
  return sizes;
}

}  // namespace inlay::testing
