#include "inlay/cost/timeloop/lanes.h"

#include <algorithm>
#include <numeric>

namespace inlay::timeloop {
namespace {

std::vector<GroupCount> CountSizes(std::span<const int64_t> members) {
  std::vector<GroupCount> counts;
  for (int64_t size : members) {
    if (size == 0) continue;
    auto it = std::find_if(counts.begin(), counts.end(),
                           [size](const GroupCount& count) { return count.members == size; });
    if (it == counts.end()) it = counts.insert(it, GroupCount{size, 0});
    ++it->groups;
  }
  return counts;
}

}  // namespace

std::vector<GroupCount> CountGroups(std::span<const uint32_t> group_of,
                                    const std::vector<bool>& left_out) {
  // Groups are ordered by their first member that is not left out.
  std::vector<int64_t> members;
  std::vector<int64_t> place(group_of.size(), -1);
  for (size_t lane = 0; lane < group_of.size(); ++lane) {
    if (left_out[lane]) continue;
    int64_t& at = place[group_of[lane]];
    if (at < 0) {
      at = static_cast<int64_t>(members.size());
      members.push_back(0);
    }
    ++members[static_cast<size_t>(at)];
  }
  return CountSizes(members);
}

std::vector<GroupCount> CountGroups(std::span<const uint32_t> group_of) {
  std::vector<int64_t> members;
  for (uint32_t group : group_of) {
    if (group == members.size()) members.push_back(0);
    ++members[group];
  }
  return CountSizes(members);
}

LaneTable::LaneTable(const Nest& nest, const Projection& projection, const Boundary& boundary,
                     DimMask at_last)
    : ranks_(projection.ranks()), at_last_(at_last), lane_zero_(at_last) {
  for (size_t k : boundary.lanes) lane_zero_ = timeloop::Enter(nest.loops[k], 0, lane_zero_);
  std::vector<int64_t> moves(boundary.lanes.size() * ranks_);
  std::vector<bool> moved(ranks_, false);
  bool separable = true;  // no two loops move the same rank
  for (size_t i = 0; i < boundary.lanes.size(); ++i) {
    int64_t* move = moves.data() + i * ranks_;
    projection.Move(nest.loops[boundary.lanes[i]], move);
    for (size_t r = 0; r < ranks_; ++r) {
      if (move[r] == 0) continue;
      separable = separable && !moved[r];
      moved[r] = true;
    }
  }
  std::vector<int64_t> offset(ranks_, 0);
  Enumerate(nest, boundary.lanes, moves.data(), at_last, 0, &offset);
  if (!separable) GroupByOffset();
  groups_ = CountGroups(group_of_);
  for (const GroupCount& count : groups_) group_total_ += count.groups;
}

// Numbers the groups by the steps of the loops that move the tile; right where no two of them can
// make up for each other.
void LaneTable::Enumerate(const Nest& nest, std::span<const size_t> loops, const int64_t* moves,
                          DimMask at_last, uint32_t group, std::vector<int64_t>* offset) {
  if (loops.empty()) {
    offsets_.insert(offsets_.end(), offset->begin(), offset->end());
    group_of_.push_back(group);
    ++lanes_;
    return;
  }
  const NestLoop& loop = nest.loops[loops.front()];
  const bool moving = std::any_of(moves, moves + ranks_, [](int64_t move) { return move != 0; });
  const int64_t steps = Steps(loop, at_last);
  for (int64_t i = 0; i < steps; ++i) {
    const uint32_t inner =
        moving ? group * static_cast<uint32_t>(steps) + static_cast<uint32_t>(i) : group;
    Enumerate(nest, loops.subspan(1), moves + ranks_, timeloop::Enter(loop, i, at_last), inner,
              offset);
    for (size_t r = 0; r < ranks_; ++r) (*offset)[r] += moves[r];
  }
  for (size_t r = 0; r < ranks_; ++r) (*offset)[r] -= steps * moves[r];
}

void LaneTable::GroupByOffset() {
  const auto lanes = static_cast<size_t>(lanes_);
  std::vector<uint32_t> order(lanes);
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [this](uint32_t a, uint32_t b) {
    return std::lexicographical_compare(Offset(a), Offset(a) + ranks_, Offset(b),
                                        Offset(b) + ranks_);
  };
  std::stable_sort(order.begin(), order.end(), less);
  // The first lane of each run stands for the group; then groups are numbered by that lane.
  std::vector<uint32_t> first(lanes);
  for (size_t i = 0; i < lanes; ++i) {
    const bool starts = i == 0 || less(order[i - 1], order[i]);
    first[order[i]] = starts ? order[i] : first[order[i - 1]];
  }
  group_of_.resize(lanes);
  uint32_t next = 0;
  for (size_t lane = 0; lane < lanes; ++lane) {
    group_of_[lane] = first[lane] == lane ? next++ : group_of_[first[lane]];
  }
}

LinkTable::LinkTable(const LaneTable& now, const LaneTable& before, const Boundary& boundary,
                     size_t ranks)
    : now_(now),
      before_(before),
      mesh_x_(boundary.mesh_x),
      mesh_y_(boundary.mesh_y),
      ranks_(ranks) {
  std::vector<int64_t> distance(ranks);
  ForEachPair([&](size_t lane, size_t neighbour) {
    for (size_t r = 0; r < ranks_; ++r) {
      distance[r] = now_.Offset(lane)[r] - before_.Offset(neighbour)[r];
    }
    if (Occurs(distance.data())) return;
    distances_.insert(distances_.end(), distance.begin(), distance.end());
    ++distance_count_;
  });
}

template <typename Visit>
void LinkTable::ForEachPair(const Visit& visit) const {
  const int64_t steps[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  for (int64_t lane = 0; lane < now_.lanes(); ++lane) {
    const int64_t x = lane % mesh_x_;
    const int64_t y = lane / mesh_x_;
    if (y >= mesh_y_) break;
    for (const auto& step : steps) {
      const int64_t nx = x + step[0];
      const int64_t ny = y + step[1];
      if (nx < 0 || nx >= mesh_x_ || ny < 0 || ny >= mesh_y_) continue;
      const int64_t neighbour = ny * mesh_x_ + nx;
      if (neighbour < before_.lanes()) {
        visit(static_cast<size_t>(lane), static_cast<size_t>(neighbour));
      }
    }
  }
}

bool LinkTable::Occurs(const int64_t* distance) const {
  for (size_t i = 0; i < distance_count_; ++i) {
    if (std::equal(distance, distance + ranks_, distances_.data() + i * ranks_)) return true;
  }
  return false;
}

std::optional<LinkTable::Saving> LinkTable::At(const int64_t* distance) const {
  if (!Occurs(distance)) return std::nullopt;
  std::vector<bool> linked(static_cast<size_t>(now_.lanes()), false);
  ForEachPair([&](size_t lane, size_t neighbour) {
    if (linked[lane]) return;
    for (size_t r = 0; r < ranks_; ++r) {
      if (now_.Offset(lane)[r] - before_.Offset(neighbour)[r] != distance[r]) return;
    }
    linked[lane] = true;
  });
  Saving saving;
  saving.linked_lanes = std::count(linked.begin(), linked.end(), true);
  saving.groups = CountGroups(now_.group_of(), linked);
  int64_t groups = 0;
  for (const GroupCount& count : saving.groups) groups += count.groups;
  if (groups >= now_.group_total()) return std::nullopt;
  return saving;
}

}  // namespace inlay::timeloop
