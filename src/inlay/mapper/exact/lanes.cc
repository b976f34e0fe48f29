#include "inlay/mapper/exact/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace inlay::exact_search {

LaneCounter::LaneCounter(const Space& space, const KeepCase& keep_case, const RowLayout& layout)
    : space_(space),
      keep_case_(keep_case),
      spatial_(SpatialSlotsOf(space)),
      own_steps_(layout.At(keep_case.levels) +
                 RowLayout::DistinctLanes(keep_case.levels, 0, keep_case.levels)),
      operations_(layout.At(keep_case.levels) + kTilesLo),
      lanes_(keep_case.dims + 1, std::vector<int64_t>(spatial_.size(), 1)),
      steps_(keep_case.dims + 1, 1),
      open_operations_(keep_case.dims + 1, 1),
      left_(keep_case.dims + 1, 1),
      state_(keep_case.dims + 1, 0) {
  ListStates();
}

void LaneCounter::ListStates() {
  constexpr size_t kMostStates = 4096;
  constexpr int64_t kMostLanes = 1 << 16;
  states_ = 1;
  for (const SlotId id : spatial_) {
    const int64_t most = space_.slots[id].max_lanes;
    if (most > kMostLanes) {
      states_ = 0;
      return;
    }
    Slot& slot = slots_.emplace_back();
    slot.rank.resize(static_cast<size_t>(most) + 1);
    for (int64_t left = 1; left <= most; ++left) {
      if (most / (most / left) != left) continue;
      slot.rank[static_cast<size_t>(left)] = static_cast<uint32_t>(slot.left.size());
      slot.left.push_back(left);
    }
    states_ *= slot.left.size();
    if (states_ > kMostStates) {
      states_ = 0;
      return;
    }
  }
}

void LaneCounter::Open(const std::vector<ChainTree>& trees, const std::vector<size_t>& dim_order) {
  for (size_t i = keep_case_.dims; i-- > 0;) {
    open_operations_[i] = open_operations_[i + 1] * trees[dim_order[i]].RootRow()[operations_];
  }
  left_[0] = 1;
  state_[0] = 0;
  for (size_t s = 0; s < spatial_.size(); ++s) {
    left_[0] *= static_cast<double>(space_.slots[spatial_[s]].max_lanes);
    if (states_ > 0) state_[0] = state_[0] * slots_[s].left.size() + slots_[s].left.size() - 1;
  }
  if (states_ == 0) return;
  trees_ = &trees;
  order_ = dim_order;
  table_ = &tables_[dim_order];
  if (table_->empty()) table_->assign(keep_case_.dims * states_, -1);
}

bool LaneCounter::Take(size_t depth, const ChainTree& tree, const ChainTree::Node& node) {
  double left = 1;
  size_t state = 0;
  for (size_t s = 0; s < spatial_.size(); ++s) {
    const int64_t most = space_.slots[spatial_[s]].max_lanes;
    const int64_t lanes = lanes_[depth][s] * tree.Lanes(node, s);
    if (lanes > most) return false;
    lanes_[depth + 1][s] = lanes;
    const int64_t times = most / lanes;  // whole: as often as the lanes fit
    left *= static_cast<double>(times);
    if (states_ > 0) {
      state = state * slots_[s].left.size() + slots_[s].rank[static_cast<size_t>(times)];
    }
  }
  left_[depth + 1] = left;
  state_[depth + 1] = state;
  return true;
}

double LaneCounter::StepsAt(size_t depth, double own) {
  return std::ceil(steps_[depth] * own * OpenSteps(depth + 1) * (1 - 1e-12));
}

// Of the dimensions from `depth` on.
double LaneCounter::OpenSteps(size_t depth) {
  if (states_ > 0) return FewestFrom(depth, state_[depth]);
  return std::max(1.0, open_operations_[depth] / left_[depth]);
}

double LaneCounter::FewestFrom(size_t depth, size_t state) {
  if (depth == keep_case_.dims) return 1;
  double& fewest = (*table_)[depth * states_ + state];
  if (fewest >= 0) return fewest;
  std::array<int64_t, 2 * kMaxLevels> left{};
  for (size_t s = spatial_.size(), rest = state; s-- > 0; rest /= slots_[s].left.size()) {
    left[s] = slots_[s].left[rest % slots_[s].left.size()];
  }
  double best = std::numeric_limits<double>::infinity();
  for (const ChainTree::LaneOption& option : (*trees_)[order_[depth]].lane_options()) {
    if (option.steps >= best) continue;  // what follows is 1 at least
    size_t next = 0;
    bool fits = true;
    for (size_t s = 0; fits && s < spatial_.size(); ++s) {
      fits = option.lanes[s] <= left[s];
      if (!fits) break;
      const auto times = static_cast<size_t>(left[s] / option.lanes[s]);
      next = next * slots_[s].left.size() + slots_[s].rank[times];
    }
    if (fits) best = std::min(best, option.steps * FewestFrom(depth + 1, next));
  }
  fewest = best;
  return best;
}

bool LaneCounter::Suffice() const {
  const std::vector<int64_t>& lanes = lanes_[keep_case_.dims];
  for (size_t s = 0; s < spatial_.size(); ++s) {
    if (lanes[s] < space_.slots[spatial_[s]].min_lanes) return false;
  }
  for (size_t l = 0; l < keep_case_.levels; ++l) {
    if (lanes[2 * l] * lanes[2 * l + 1] < space_.min_lanes[LevelId(l)]) return false;
  }
  return true;
}

}  // namespace inlay::exact_search
