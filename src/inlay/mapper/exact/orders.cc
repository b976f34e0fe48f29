#include "inlay/mapper/exact/orders.h"

#include <algorithm>
#include <utility>

namespace inlay::exact_search {
namespace {

bool IsEven(const Chain& chain) {
  int64_t range = chain.bound;
  for (const int64_t tile : chain.tiles) {
    if (range % tile != 0) return false;
    range = tile;
  }
  return true;
}

}  // namespace

OrderLister::OrderLister(const Space& space, const KeepCase& keep_case, bool skip)
    : keep_case_(keep_case), skip_(skip) {
  innermost_.resize(keep_case.levels);
  outermost_.resize(keep_case.levels);
  for (size_t l = 0; l < keep_case.levels; ++l) {
    const OrderRule& rule = space.orders[LevelId(l)];
    for (DimId d : rule.innermost) innermost_[l].push_back(d.value());
    for (DimId d : rule.outermost) outermost_[l].push_back(d.value());
  }
  waiting_.assign(keep_case.levels, std::vector<uint8_t>(keep_case.dims, 0));
  loop_.assign(keep_case.levels, std::vector<Loop>(keep_case.dims));
  placed_.resize(keep_case.levels);
  state_.resize(keep_case.levels + 1);
  never_parts_.resize(keep_case.levels + 1);
}

bool OrderLister::ForEach(const std::vector<const Chain*>& chains,
                          const std::vector<const double*>& rows, const RowLayout& layout,
                          int inner, Mapping* mapping, const Visit& visit) {
  inner_ = inner;
  rows_ = &rows;
  layout_ = &layout;
  mapping_ = mapping;
  visit_ = &visit;
  for (size_t l = 0; l < keep_case_.levels; ++l) {
    placed_[l].clear();
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      const SlotId slot(3 * l);
      waiting_[l][d] = chains[d]->steps[slot] > 1 ? 1 : 0;
      loop_[l][d] = {DimId(d), chains[d]->tiles[slot], Axis::kTime};
    }
  }
  for (size_t c = 0; c <= keep_case_.levels; ++c) {
    state_[c].assign(keep_case_.edges[c].size(), State::kUnmoved);
  }
  MarkMeetings(chains);
  return Place(keep_case_.levels - 1);
}

void OrderLister::MarkMeetings(const std::vector<const Chain*>& chains) {
  for (size_t c = 1; c < keep_case_.levels; ++c) {
    never_parts_[c].assign(keep_case_.edges[c].size(), 0);
    for (size_t e = 0; e < keep_case_.edges[c].size(); ++e) {
      const Edge& edge = keep_case_.edges[c][e];
      for (const auto& rank : keep_case_.tensors[edge.tensor].ranks) {
        int unrolled = 0;
        bool even = true;
        for (const KeepCase::Term& term : rank) {
          const double* row = (*rows_)[term.dim] + layout_->At(c);
          unrolled += row[RowLayout::Between(c, edge.parent)] > 1 ? 1 : 0;
          even = even && IsEven(*chains[term.dim]);
        }
        if (unrolled > 1 && !even) never_parts_[c][e] = 1;
      }
    }
  }
}

// Whether every tile below the level (compute has no past) is parted from it.
bool OrderLister::AllParted(size_t level) const {
  for (size_t c = level + 1; c < keep_case_.levels; ++c) {
    for (const State state : state_[c]) {
      if (state != State::kParted) return false;
    }
  }
  return true;
}

// Whether a loop concerns a tile that is not parted yet; *moved is set if one of these has moved.
bool OrderLister::Concerns(size_t level, size_t dim, bool* moved) const {
  bool concerns = false;
  for (size_t c = level + 1; c < keep_case_.levels; ++c) {
    for (size_t e = 0; e < state_[c].size(); ++e) {
      if (state_[c][e] == State::kParted) continue;
      if (state_[c][e] == State::kMoved) *moved = true;
      concerns = concerns || keep_case_.tensors[keep_case_.edges[c][e].tensor].rank_of[dim] >= 0;
    }
  }
  return concerns;
}

// The dimensions whose loop may come next, going outwards.
std::vector<size_t> OrderLister::Candidates(size_t level) const {
  const std::vector<uint8_t>& waiting = waiting_[level];
  for (const size_t d : innermost_[level]) {
    if (waiting[d] != 0) return {d};
  }
  std::vector<size_t> free;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const auto& last = outermost_[level];
    if (waiting[d] != 0 && std::find(last.begin(), last.end(), d) == last.end()) free.push_back(d);
  }
  if (!free.empty()) return free;
  for (size_t i = outermost_[level].size(); i-- > 0;) {
    if (waiting[outermost_[level][i]] != 0) return {outermost_[level][i]};
  }
  return {};
}

bool OrderLister::Place(size_t level) {
  const std::vector<size_t> candidates = Candidates(level);
  if (candidates.empty()) return NextLevel(level);
  if (inner_ >= 0 && level + 1 < keep_case_.levels) {
    const auto first = static_cast<size_t>(inner_);
    if (std::find(candidates.begin(), candidates.end(), first) == candidates.end()) return true;
    const int inner = std::exchange(inner_, -2);
    const bool go_on = PlaceOne(level, first);
    inner_ = inner;
    return go_on;
  }
  if (skip_) {
    if (candidates.size() == 1 || AllParted(level)) return PlaceOne(level, candidates[0]);
    for (const size_t d : candidates) {
      bool moved = false;
      if (!Concerns(level, d, &moved) && !moved) return PlaceOne(level, d);
    }
  }
  for (const size_t d : candidates) {
    if (!PlaceOne(level, d)) return false;
  }
  return true;
}

bool OrderLister::NextLevel(size_t level) {
  std::vector<Loop>& temporal = mapping_->levels[LevelId(level)].temporal;
  temporal.assign(placed_[level].rbegin(), placed_[level].rend());
  return level == 0 ? (*visit_)() : Place(level - 1);
}

bool OrderLister::PlaceOne(size_t level, size_t dim) {
  const std::vector<std::vector<State>> before = state_;
  for (size_t c = level + 1; c < keep_case_.levels; ++c) {
    const double* row = (*rows_)[dim] + layout_->At(c);
    // Every round of the innermost loop has at least two tiles: the tile is elsewhere after it.
    const bool rounds = row[kRoundTilesLo] >= row[kTilesHi];
    for (size_t e = 0; e < state_[c].size(); ++e) {
      const KeepCase::TensorRanks& tensor = keep_case_.tensors[keep_case_.edges[c][e].tensor];
      const int rank = tensor.rank_of[dim];
      if (rank < 0 || state_[c][e] == State::kParted) continue;
      const bool alone = tensor.ranks[static_cast<size_t>(rank)].size() == 1;
      state_[c][e] = alone && rounds && never_parts_[c][e] == 0 ? State::kParted : State::kMoved;
    }
  }
  waiting_[level][dim] = 0;
  placed_[level].push_back(loop_[level][dim]);
  const bool go_on = Place(level);
  placed_[level].pop_back();
  waiting_[level][dim] = 1;
  state_ = before;
  return go_on;
}

}  // namespace inlay::exact_search
