#include "tests/support/uneven_listing.h"

#include <algorithm>
#include <vector>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::testing {
namespace {

class Listing {
 public:
  Listing(const Space& space, int64_t most_steps, const std::function<bool(const Mapping&)>& visit)
      : space_(space), steps_left_(most_steps), visit_(visit) {
    mapping_.levels.resize(space.architecture.levels.size());
    for (const Dimension& dim : space.problem.dims) ranges_.push_back(dim.bound);
  }

  bool Run() { return BeginLevel(LevelId(0)); }

 private:
  bool BeginLevel(LevelId level) {
    if (level.value() == mapping_.levels.size()) return Complete();
    for (const TensorSet keep : space_.keeps[level]) {
      LevelMapping& here = mapping_.levels[level];
      here.keep = keep;
      std::vector<TensorId> kept;
      for (TensorId t : Ids(space_.problem.tensors)) {
        if (keep.contains(t)) kept.push_back(t);
      }
      // Which of them enter before the first loop.
      for (uint64_t first = 0; first < uint64_t{1} << kept.size(); ++first) {
        std::vector<TensorId> waiting;
        for (size_t i = 0; i < kept.size(); ++i) {
          if ((first >> i & 1) == 0) waiting.push_back(kept[i]);
        }
        if (!InTime(level, waiting, 0)) return false;
      }
      here.keep = TensorSet();
    }
    return true;
  }

  // The next temporal loop or the next tensor that enters, or neither. `since`: loops before the
  // last entry.
  bool InTime(LevelId level, const std::vector<TensorId>& waiting, size_t since) {
    if (--steps_left_ < 0) return false;
    LevelMapping& here = mapping_.levels[level];
    if (waiting.empty() && !InSpace(level, Axis::kX, DimId(0))) return false;
    for (DimId d : Ids(ranges_)) {
      const bool again =
          std::any_of(here.temporal.begin() + static_cast<std::ptrdiff_t>(since),
                      here.temporal.end(), [&](const Loop& loop) { return loop.dim == d; });
      if (again) continue;
      const int64_t range = ranges_[d];
      for (int64_t step = 1; step < range; ++step) {
        here.temporal.push_back({d, step, Axis::kTime});
        ranges_[d] = step;
        const bool go_on = InTime(level, waiting, since);
        ranges_[d] = range;
        here.temporal.pop_back();
        if (!go_on) return false;
      }
    }
    if (here.temporal.empty()) return true;
    for (size_t i = 0; i < waiting.size(); ++i) {
      std::vector<TensorId> others = waiting;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const std::vector<LateEntry> late = here.late;
      here.late.push_back({waiting[i], here.temporal.size()});
      std::sort(here.late.begin(), here.late.end(),
                [](const LateEntry& a, const LateEntry& b) { return a.tensor < b.tensor; });
      const bool go_on = InTime(level, others, here.temporal.size());
      here.late = late;
      if (!go_on) return false;
    }
    return true;
  }

  bool InSpace(LevelId level, Axis axis, DimId dim) {
    if (--steps_left_ < 0) return false;
    if (dim.value() == ranges_.size()) {
      if (axis == Axis::kY) return BeginLevel(LevelId(level.value() + 1));
      return InSpace(level, Axis::kY, DimId(0));
    }
    const DimId next(dim.value() + 1);
    if (!InSpace(level, axis, next)) return false;
    const Slot& slot = space_.slots[SlotId(3 * level.value() + static_cast<size_t>(axis))];
    std::vector<Loop>& loops = mapping_.levels[level].spatial;
    const int64_t range = ranges_[dim];
    for (int64_t step = 1; step < range; ++step) {
      if (CeilDiv(range, step) > slot.max_lanes) continue;
      loops.push_back({dim, step, axis});
      ranges_[dim] = step;
      const bool go_on = InSpace(level, axis, next);
      ranges_[dim] = range;
      loops.pop_back();
      if (!go_on) return false;
    }
    return true;
  }

  bool Complete() {
    for (const int64_t range : ranges_) {
      if (range > 1) return true;
    }
    if (!Validate(space_.problem, space_.architecture, mapping_).empty()) return true;
    return !CheckMembership(space_, mapping_).empty() || visit_(mapping_);
  }

  const Space& space_;
  int64_t steps_left_;
  const std::function<bool(const Mapping&)>& visit_;
  Mapping mapping_;
  IndexedVector<DimId, int64_t> ranges_;
};

}  // namespace

bool ForEachUnevenMapping(const Space& space, int64_t most_steps,
                          const std::function<bool(const Mapping&)>& visit) {
  return Listing(space, most_steps, visit).Run();
}

void MakeUneven(Random& random, Mapping* mapping) {
  for (LevelId l : Ids(mapping->levels)) {
    LevelMapping& level = mapping->levels[l];
    if (l.value() == 0 || level.temporal.empty()) continue;
    for (size_t t = 0; t < 64; ++t) {
      if (!level.keep.contains(TensorId(t)) || !Chance(random, 0.6)) continue;
      const auto loops = Pick(random, 1, static_cast<int64_t>(level.temporal.size()));
      level.late.push_back({TensorId(t), static_cast<size_t>(loops)});
    }
  }
}

}  // namespace inlay::testing
