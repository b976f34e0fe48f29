#include "inlay/mapper/exact/families.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact_search {
namespace {

int64_t Times(int64_t a, int64_t b) {
  return CheckedMultiply(a, b).value_or(FactorRange::kUnlimited);
}

// The least iterations of a range that takes x × y lanes of tiles of at least `tile`.
int64_t Extent(int64_t x, int64_t y, int64_t tile) {
  const int64_t column = y == 1 ? tile : Times(y - 1, tile) + 1;
  return x == 1 ? column : Times(x - 1, column) + 1;
}

// Lists families from the innermost level outwards.
class FamilyWalk {
 public:
  FamilyWalk(const Space& space, DimId dim, double width,
             const std::function<bool(const Family&)>& visit, DeadlineWatch* watch)
      : space_(space),
        dim_(dim),
        visit_(visit),
        watch_(watch),
        levels_(space.architecture.levels.size()),
        bound_(space.problem.dims[dim].bound),
        classes_(TileClasses(bound_, width)) {
    family_.bound = bound_;
    family_.lo.assign(levels_ + 1, 1);
    family_.hi.assign(levels_ + 1, 1);
    family_.x.assign(levels_, 1);
    family_.y.assign(levels_, 1);
    family_.moves.assign(levels_, 0);
  }

  bool Run() { return Unroll(levels_ - 1); }

 private:
  FactorRange RangeOf(size_t slot) const {
    FactorRange range = space_.factors[SlotId(slot)][dim_];
    if (slot % 3 != 0) range.max = std::min(range.max, space_.slots[SlotId(slot)].max_lanes);
    return range;
  }

  // The lanes below a level whose next tile is decided.
  bool Unroll(size_t level) {
    const FactorRange on_x = RangeOf(3 * level + 1), on_y = RangeOf(3 * level + 2);
    const FactorRange& both = space_.unrolling[LevelId(level)][dim_];
    const int64_t tile = family_.lo[level + 1];
    for (int64_t y = on_y.min; y <= on_y.max && Extent(1, y, tile) <= bound_; ++y) {
      for (int64_t x = on_x.min; x <= on_x.max && Extent(x, y, tile) <= bound_; ++x) {
        if (x * y < both.min || x * y > both.max) continue;
        family_.x[level] = x;
        family_.y[level] = y;
        if (!Loop(level)) return false;
      }
    }
    return true;
  }

  // The temporal loop of the level, and with it the sizes that its tile can have.
  bool Loop(size_t level) {
    const FactorRange range = RangeOf(3 * level);
    const int64_t x = family_.x[level], y = family_.y[level];
    const int64_t least = Extent(x, y, family_.lo[level + 1]);
    const int64_t most = std::min(bound_, Times(x * y, family_.hi[level + 1]));
    family_.moves[level] = 0;
    if (range.min <= 1 && !Tile(level, least, most)) return false;
    if (range.max < 2) return true;
    family_.moves[level] = 1;
    const int64_t steps = std::max<int64_t>(range.min, 2);
    return Tile(level, Times(steps - 1, least) + 1, std::min(bound_, Times(range.max, most)));
  }

  bool Tile(size_t level, int64_t least, int64_t most) {
    if (level == 0) return least > bound_ || most < bound_ || Found();
    for (size_t i = 0; i < classes_.size(); ++i) {
      if (watch_ != nullptr && watch_->Passed()) return false;
      const int64_t last = i + 1 < classes_.size() ? classes_[i + 1] - 1 : bound_;
      family_.lo[level] = std::max(least, classes_[i]);
      family_.hi[level] = std::min(most, last);
      if (family_.lo[level] > family_.hi[level]) continue;
      const uint8_t moves = family_.moves[level];
      if (!Unroll(level - 1)) return false;
      family_.moves[level] = moves;
    }
    return true;
  }

  bool Found() {
    family_.lo[0] = family_.hi[0] = bound_;
    return visit_(family_);
  }

  const Space& space_;
  DimId dim_;
  const std::function<bool(const Family&)>& visit_;
  DeadlineWatch* watch_;
  size_t levels_;
  int64_t bound_;
  std::vector<int64_t> classes_;
  Family family_;
};

double Real(int64_t n) { return static_cast<double>(n); }

// What a tree needs to know of a family.
Chain StandIn(const Space& space, const Family& family) {
  Chain chain;
  chain.bound = family.bound;
  chain.steps.assign(space.slots.size(), 1);
  chain.tiles.assign(space.slots.size(), 1);
  for (size_t l = 0; l < family.x.size(); ++l) {
    chain.steps[SlotId(3 * l + 1)] = family.x[l];
    chain.steps[SlotId(3 * l + 2)] = family.y[l];
    chain.tiles[SlotId(3 * l + 2)] = family.lo[l + 1];
  }
  return chain;
}

}  // namespace

std::vector<int64_t> TileClasses(int64_t bound, double width) {
  // Above this there are too many sizes to tell their numbers of tiles apart.
  constexpr int64_t kMostSorted = int64_t{1} << 32;
  constexpr double kNarrowest = 1.0 / 1024, kWidest = 1;
  const double share = std::clamp(width, kNarrowest, kWidest);
  std::vector<int64_t> classes;
  for (int64_t first = 1; first <= bound;) {
    classes.push_back(first);
    if (bound > kMostSorted) {
      const int64_t step = std::max<int64_t>(1, static_cast<int64_t>(Real(first) * share));
      if (first > bound - step) break;
      first += step;
      continue;
    }
    const int64_t tiles = CeilDiv(bound, first);
    const int64_t same = tiles == 1 ? bound : CeilDiv(bound, tiles - 1) - 1;
    const double wide = Real(first) * (1 + width);
    first = wide < Real(same) ? static_cast<int64_t>(wide) + 1 : same + 1;
  }
  return classes;
}

bool ForEachFamily(const Space& space, DimId dim, double width,
                   const std::function<bool(const Family&)>& visit, DeadlineWatch* watch) {
  return FamilyWalk(space, dim, width, visit, watch).Run();
}

bool Holds(const Space& space, const Family& family, const Chain& chain) {
  for (SlotId s : Ids(space.slots)) {
    const size_t level = space.slots[s].level.value();
    const int64_t steps = chain.steps[s];
    switch (space.slots[s].axis) {
      case Axis::kTime:
        if ((steps > 1) != (family.moves[level] != 0)) return false;
        break;
      case Axis::kX:
        if (steps != family.x[level]) return false;
        break;
      case Axis::kY:
        if (steps != family.y[level]) return false;
        if (chain.tiles[s] < family.lo[level + 1] || chain.tiles[s] > family.hi[level + 1]) {
          return false;
        }
        break;
    }
  }
  return chain.bound == family.bound;
}

tl::expected<Chains, ChainFault> BuildFamilies(const Space& space, std::vector<Stage> stages,
                                               double width, const Deadline& deadline) {
  const size_t levels = space.architecture.levels.size();
  Chains all{RowLayout(levels), std::move(stages), {}, {}, true};
  const size_t most = 40'000'000 / all.layout.size();  // some 300 MB of figures, twice
  std::vector<double> row(all.layout.size());
  size_t count = 0;
  for (DimId d : Ids(space.problem.dims)) {
    std::vector<Chain> chains;
    std::vector<double> rows;
    DeadlineWatch watch(deadline);
    const auto add = [&](const Family& family) {
      if (watch.PassedNow()) return false;
      if (!FillFamily(all.layout, family, row.data())) return true;
      if (++count > most) return false;
      chains.push_back(StandIn(space, family));
      rows.insert(rows.end(), row.begin(), row.end());
      return true;
    };
    const bool complete = ForEachFamily(space, d, width, add, &watch);
    if (deadline.Passed()) return tl::unexpected(ChainFault::kStopped);
    if (!complete) return tl::unexpected(ChainFault::kTooMany);
    if (chains.empty()) return tl::unexpected(ChainFault::kNone);
    all.trees.emplace_back(space, all.layout, all.stages, std::move(chains), &rows, &watch);
    if (watch.PassedNow()) return tl::unexpected(ChainFault::kStopped);
  }
  if (!AddTiles(levels, deadline, &all)) return tl::unexpected(ChainFault::kStopped);
  return all;
}

}  // namespace inlay::exact_search
