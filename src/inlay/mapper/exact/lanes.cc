#include "inlay/mapper/exact/lanes.h"

#include <algorithm>
#include <cmath>

namespace inlay::exact_search {

LaneCounter::LaneCounter(const Space& space, const Frame& frame, const ReachLayout& layout)
    : space_(space),
      frame_(frame),
      spatial_(SpatialSlotsOf(space)),
      own_steps_(layout.At(frame.levels) + ReachLayout::Leaders(frame.levels, 0, frame.levels)),
      operations_(layout.At(frame.levels) + kTilesLo),
      lanes_(frame.dims + 1, std::vector<int64_t>(spatial_.size(), 1)),
      steps_(frame.dims + 1, 1),
      open_operations_(frame.dims + 1, 1),
      left_(frame.dims + 1, 1) {}

void LaneCounter::Open(const std::vector<ChainTree>& trees, const std::vector<size_t>& dim_order) {
  for (size_t i = frame_.dims; i-- > 0;) {
    open_operations_[i] = open_operations_[i + 1] * trees[dim_order[i]].RootRow()[operations_];
  }
}

bool LaneCounter::Take(size_t depth, const ChainTree& tree, const ChainTree::Node& node) {
  double left = 1;
  for (size_t s = 0; s < spatial_.size(); ++s) {
    const int64_t most = space_.slots[spatial_[s]].max_lanes;
    const int64_t lanes = lanes_[depth][s] * tree.Lanes(node, s);
    if (lanes > most) return false;
    lanes_[depth + 1][s] = lanes;
    const int64_t times = most / lanes;  // whole: as often as the lanes fit
    left *= static_cast<double>(times);
  }
  left_[depth + 1] = left;
  return true;
}

double LaneCounter::StepsAt(size_t depth, double own) const {
  const double open = open_operations_[depth + 1] / left_[depth + 1];
  return std::ceil(steps_[depth] * own * std::max(1.0, open) * (1 - 1e-12));
}

bool LaneCounter::Suffice() const {
  const std::vector<int64_t>& lanes = lanes_[frame_.dims];
  for (size_t s = 0; s < spatial_.size(); ++s) {
    if (lanes[s] < space_.slots[spatial_[s]].min_lanes) return false;
  }
  for (size_t l = 0; l < frame_.levels; ++l) {
    if (lanes[2 * l] * lanes[2 * l + 1] < space_.min_lanes[LevelId(l)]) return false;
  }
  return true;
}

}  // namespace inlay::exact_search
