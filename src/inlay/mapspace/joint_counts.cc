#include "inlay/mapspace/joint_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {}  // namespace

std::optional<JointCode> JointCode::Make(const Space& space) {
  JointCode code(space);
  std::optional<int64_t> unit = 1;
  const auto add = [&unit](int64_t radix) {
    const Digit digit{static_cast<uint64_t>(unit.value_or(1)), static_cast<uint64_t>(radix)};
    if (unit) unit = CheckedMultiply(*unit, radix);
    return digit;
  };
  for (const SlotId slot : code.spatial_) code.lanes_.push_back(add(space.slots[slot].max_lanes));
  code.free_levels_.assign(space.problem.dims.size(), 0);
  for (LevelId l : Ids(space.architecture.levels)) {
    const OrderRule& rule = space.orders[l];
    int64_t free = 0;
    for (DimId d : Ids(space.problem.dims)) {
      if (Contains(rule.outermost, d) || Contains(rule.innermost, d)) continue;
      if (space.factors[SlotId(3 * l.value())][d].max <= 1 || space.problem.dims[d].bound <= 1) {
        continue;
      }
      code.free_levels_[d] |= uint64_t{1} << l.value();
      ++free;
    }
    code.loops_.push_back(add(free > 1 ? free + 1 : 1));
  }
  if (!unit) return std::nullopt;
  return code;
}

std::optional<JointKey> JointCode::Join(JointKey key, DimId dim, const ChainLoops& loops) const {
  JointKey next = key;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (loops.lanes[i] == 1) continue;
    const auto before = lanes_[i].Of(key) + 1;
    const auto after = before * static_cast<uint64_t>(loops.lanes[i]);
    if (after > lanes_[i].radix) return std::nullopt;
    next += (after - before) * lanes_[i].unit;
  }
  for (size_t l = 0; l < loops_.size(); ++l) {
    const bool free = ((loops.temporal & free_levels_[dim]) >> l & 1) != 0;
    if (free && loops_[l].radix > 1) next += loops_[l].unit;
  }
  return next;
}

std::optional<JointKey> JointCode::Leave(JointKey key, DimId dim, const ChainLoops& loops) const {
  JointKey before = key;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const auto lanes = lanes_[i].Of(key) + 1;
    const auto steps = static_cast<uint64_t>(loops.lanes[i]);
    if (lanes % steps != 0) return std::nullopt;
    before -= (lanes - lanes / steps) * lanes_[i].unit;
  }
  for (size_t l = 0; l < loops_.size(); ++l) {
    const bool free = ((loops.temporal & free_levels_[dim]) >> l & 1) != 0;
    if (!free || loops_[l].radix == 1) continue;
    if (loops_[l].Of(key) == 0) return std::nullopt;
    before -= loops_[l].unit;
  }
  return before;
}

bool JointCode::HasMinLanes(JointKey key) const {
  for (LevelId l : Ids(space_->min_lanes)) {
    int64_t lanes = 1;
    for (size_t i = 0; i < spatial_.size(); ++i) {
      if (space_->slots[spatial_[i]].level == l)
        lanes *= static_cast<int64_t>(lanes_[i].Of(key)) + 1;
    }
    if (lanes < space_->min_lanes[l]) return false;
  }
  return true;
}

std::vector<uint64_t> JointCode::FreeLoops(JointKey key) const {
  std::vector<uint64_t> loops;
  for (const Digit& digit : loops_) loops.push_back(digit.Of(key));
  return loops;
}

Fault CountingStopped() {
  return {"mapspace", "the time was up before the mappings were counted", "allow more time"};
}

tl::expected<std::vector<ChainCounter>, Faults> CountChains(const Space& space,
                                                            const Deadline* deadline) {
  std::vector<ChainCounter> counters;
  Faults faults;
  for (DimId d : Ids(space.problem.dims)) {
    const Dimension& dim = space.problem.dims[d];
    if (auto counter = ChainCounter::Make(space, d, deadline)) {
      counters.push_back(std::move(*counter));
      continue;
    }
    if (deadline != nullptr && deadline->Passed()) {
      return tl::unexpected(Faults{CountingStopped()});
    }
    faults.push_back(
        {"dims." + dim.name,
         fmt::format("'{}' of {} iterations has too many tilings in the mapspace '{}' to "
                     "be counted",
                     dim.name, dim.bound, Name(space.mapspace)),
         "use a smaller mapspace, or constrain the dimension"});
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return counters;
}

tl::expected<JointCode, Faults> MakeJointCode(const Space& space) {
  if (auto code = JointCode::Make(space)) return std::move(*code);
  return tl::unexpected(
      Faults{{"architecture",
              "the architecture has too many levels and lanes for its mapspaces to "
              "be counted",
              "constrain what may be unrolled"}});
}

}  // namespace inlay
