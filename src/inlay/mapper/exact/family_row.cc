#include "inlay/mapper/exact/family_row.h"

#include <algorithm>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Real(int64_t n) { return static_cast<double>(n); }

// A tile that is cut into `parts` on an axis, all but the last full: what is summed over the parts
// is at least this if it is `full` for a full one and at least 1 for the last.
int64_t Cut(int64_t parts, int64_t full) { return parts == 1 ? full : (parts - 1) * full + 1; }

// The figures of one family, level by level.
class FamilyRow {
 public:
  FamilyRow(const RowLayout& layout, const Family& family, double* row)
      : layout_(layout), family_(family), row_(row), levels_(layout.levels()) {}

  bool Fill();

 private:
  // What the chains with one size of the tile of level 1 add up to, at least; summed over its tiles
  // in the bound. Only if level 0 has no lanes, so that all but the last of them are full, and
  // there are not too many sizes to look at each.
  struct PerTile {
    int64_t tile = 1, full = 0, rest = 0;
  };
  int64_t Lanes(size_t from, size_t to) const;  // at most, below levels [from, to)
  int64_t ActiveLanes(size_t from, size_t to, int64_t each) const;
  int64_t LeastStep(size_t level) const;
  int64_t LargestStep(size_t level, int64_t tile) const;
  int64_t Pairs(size_t child, size_t shared, size_t loops, const PerTile* tile) const;
  int64_t Steps(const PerTile& tile) const;
  bool ListTiles();
  bool Possible(int64_t tile) const;
  void FillLevel(size_t child, double* at) const;
  void FillRounds(size_t child, double* at) const;

  const RowLayout& layout_;
  const Family& family_;
  double* row_;
  size_t levels_;
  bool regular_ = false;
  std::vector<PerTile> tiles_;
};

int64_t FamilyRow::Lanes(size_t from, size_t to) const {
  int64_t lanes = 1;
  for (size_t l = from; l < to; ++l) lanes *= family_.x[l] * family_.y[l];
  return lanes;
}

// Summed over the lanes below levels [from, to) that work on a full tile of level `from`, all
// temporal loops at their first step: at least this, if it is `each` for a lane with a full tile.
int64_t FamilyRow::ActiveLanes(size_t from, size_t to, int64_t each) const {
  for (size_t l = to; l-- > from;) each = Cut(family_.x[l], Cut(family_.y[l], each));
  return each;
}

// The step of the temporal loop of a level, or the level's tile if it has none.
int64_t FamilyRow::LeastStep(size_t level) const {
  const int64_t least = ActiveLanes(level, level + 1, family_.lo[level + 1]);
  return family_.moves[level] != 0 ? least : std::max(least, family_.lo[level]);
}
int64_t FamilyRow::LargestStep(size_t level, int64_t tile) const {
  const int64_t most = Lanes(level, level + 1) * family_.hi[level + 1];
  return std::min(most, family_.moves[level] != 0 ? tile - 1 : tile);
}

// Whether some chain can have this tile at level 1.
bool FamilyRow::Possible(int64_t tile) const {
  const int64_t step = LargestStep(1, tile);
  return step >= LeastStep(1) && (family_.moves[1] != 0 || step == tile);
}

bool FamilyRow::ListTiles() {
  constexpr int64_t kMostListed = 1 << 16;
  regular_ = levels_ > 1 && Lanes(0, 1) == 1 && family_.hi[1] - family_.lo[1] < kMostListed;
  if (!regular_) return true;
  for (int64_t tile = family_.lo[1]; tile <= family_.hi[1]; ++tile) {
    if ((tile < family_.bound) != (family_.moves[0] != 0)) continue;
    if (Possible(tile)) tiles_.push_back({tile, family_.bound / tile, family_.bound % tile});
  }
  return !tiles_.empty();
}

// (Step, lane) pairs with a tile of level `child`: steps of the temporal loops of levels below
// `loops`, lanes below levels before `shared`, everything else at its first.
int64_t FamilyRow::Pairs(size_t child, size_t shared, size_t loops, const PerTile* tile) const {
  const int64_t tile_of_loops = tile != nullptr && loops == 1 ? tile->tile : family_.hi[loops];
  // A pair holds at most this many iterations of a tile of level `loops`.
  const int64_t most = tile_of_loops * (shared < loops ? Lanes(shared, loops) : 1);
  int64_t pairs = std::max(ActiveLanes(0, shared, 1), CeilDiv(family_.bound, most));
  if (tile == nullptr || loops == 0) return pairs;
  pairs = std::max(pairs, tile->full * CeilDiv(tile->tile, most) + CeilDiv(tile->rest, most));
  if (shared <= 1 && loops > 1) {  // each step of level 1 at least once
    const int64_t step = LargestStep(1, tile->tile);
    pairs = std::max(pairs, tile->full * CeilDiv(tile->tile, step) + CeilDiv(tile->rest, step));
  }
  if (shared > 1) {
    int64_t rest = tile->rest > 0 ? 1 : 0;
    if (shared == 2) rest = CeilDiv(std::min(tile->rest, LeastStep(1)), family_.hi[2]);
    pairs = std::max(pairs, tile->full * ActiveLanes(1, shared, 1) + rest);
  }
  if (child == levels_ && levels_ == 3 && shared <= 1 && loops == 3) {
    pairs = std::max(pairs, Steps(*tile));
  }
  return pairs;
}

// Steps of lane 0 if it works through tiles of one size: full ones, but for the last of each tile
// of level 1. Longer steps of the loop around them make them no more.
int64_t FamilyRow::Steps(const PerTile& tile) const {
  const int64_t own = family_.hi[2];
  if (family_.lo[2] != own || Lanes(2, 3) > 1) return 1;
  const int64_t step = LargestStep(1, tile.tile);
  const auto of = [&](int64_t range) { return range / step * own + std::min(own, range % step); };
  return tile.full * of(tile.tile) + of(tile.rest);
}

bool FamilyRow::Fill() {
  if (!ListTiles()) return false;
  for (size_t l = 0; l < levels_; ++l) {
    row_[RowLayout::MayMove(l)] = row_[RowLayout::MustMove(l)] = family_.moves[l];
  }
  for (size_t c = 1; c <= levels_; ++c) {
    FillLevel(c, row_ + layout_.At(c));
    FillRounds(c, row_ + layout_.At(c));
  }
  return true;
}

void FamilyRow::FillLevel(size_t child, double* at) const {
  const auto least_pairs = [&](size_t shared, size_t loops) {
    if (!regular_) return Real(Pairs(child, shared, loops, nullptr));
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const PerTile& tile : tiles_) least = std::min(least, Pairs(child, shared, loops, &tile));
    return Real(least);
  };
  for (size_t j = 0; j <= child; ++j) {
    at[RowLayout::Tiles(j)] = least_pairs(child, j);
    for (size_t q = 0; q < child; ++q)
      at[RowLayout::DistinctLanes(child, q, j)] = least_pairs(q, j);
  }
  int64_t most = 1;
  for (size_t l = 0; l < child; ++l) {
    const int64_t trips = family_.moves[l] != 0 ? CeilDiv(family_.hi[l], LeastStep(l)) : 1;
    most = std::min(family_.bound, most * trips * Lanes(l, l + 1));
  }
  for (size_t q = 0; q < child; ++q) at[RowLayout::Between(child, q)] = Real(Lanes(q, child));
  at[kTilesLo] = at[RowLayout::Tiles(child)];
  at[kTilesHi] = Real(most);
  at[kSizeLo] = Real(family_.bound);
  at[kLanesLo] = Real(ActiveLanes(0, child, 1));
  at[kLanesHi] = Real(Lanes(0, child));
  at[kFirstSizeLo] = Real(ActiveLanes(0, child, family_.lo[child]));
  at[kTileHi] = Real(family_.hi[child]);
}

void FamilyRow::FillRounds(size_t child, double* at) const {
  size_t inner = child;  // the level of the innermost temporal loop, and one
  while (inner > 0 && family_.moves[inner - 1] == 0) --inner;
  at[kMoves] = inner > 0 ? 1 : 0;
  at[kEven] = 1;
  at[kAloneLanesLo] = kInfinity;
  at[kMayBeStill] = inner > 0 ? 0 : 1;
  at[kRoundTilesLo] = at[kRoundSizeLo] = at[kNextTilesLo] = at[kNextSizeLo] = kInfinity;
  at[kRoundTilesHi] = at[kNextTilesHi] = 0;
  at[kStrideLo] = kInfinity;
  if (inner == 0) return;
  // Iterations of the tiles that are alone in their round, at most; those of the first steps.
  const auto alone = [](int64_t range, int64_t step) {
    return range <= step ? range : std::max<int64_t>(0, 2 * step - range);
  };
  const int64_t bound = family_.bound;
  int64_t round = family_.lo[child] + 1, next = 1;
  if (inner == 1) {
    const int64_t step = LargestStep(0, bound);
    round = std::max(round, bound - alone(bound, step));
    next = std::max(next, bound - step);
  } else if (inner == 2 && regular_) {
    int64_t all_round = bound, all_next = bound;
    for (const PerTile& tile : tiles_) {
      const int64_t step = LargestStep(1, tile.tile);
      all_round =
          std::min(all_round, bound - tile.full * alone(tile.tile, step) - alone(tile.rest, step));
      all_next = std::min(all_next,
                          tile.full * (tile.tile - step) + std::max<int64_t>(0, tile.rest - step));
    }
    round = std::max(round, all_round);
    next = std::max(next, all_next);
  }
  const int64_t tile = family_.hi[child];
  if (round < bound) at[kAloneLanesLo] = Real(Lanes(0, child));
  at[kRoundSizeLo] = Real(round);
  at[kNextSizeLo] = Real(next);
  at[kRoundTilesLo] = Real(std::max<int64_t>(2, CeilDiv(round, tile)));
  at[kNextTilesLo] = Real(CeilDiv(next, tile));
  at[kRoundTilesHi] = at[kTilesHi];
  at[kNextTilesHi] = at[kTilesHi] - 1;
  at[kStrideLo] = Real(LeastStep(inner - 1));
}

}  // namespace

bool FillFamily(const RowLayout& layout, const Family& family, double* row) {
  return FamilyRow(layout, family, row).Fill();
}

}  // namespace inlay::exact_search
