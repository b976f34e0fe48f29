#include "inlay/mapper/exact/chain_bounds.h"

#include <algorithm>
#include <limits>

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A minimum passes over what is not there.
double IfThere(bool there, double value) {
  if (there) return value;
  return kInfinity;
}

using exact::LoopRole;

double Real(int64_t n) { return static_cast<double>(n); }

}  // namespace

RowLayout::RowLayout(size_t levels) : levels_(levels) {
  size_ = 2 * levels;
  begin_.push_back(0);
  for (size_t c = 1; c <= levels; ++c) {
    begin_.push_back(size_);
    size_ += DistinctLanes(c, c, 0);
  }
}

RowFiller::RowFiller(const Space& space) {
  for (const Slot& slot : space.slots) slots_.push_back(slot);
}

void RowFiller::Fill(const RowLayout& layout, const Chain& chain, double* row) {
  loops_.clear();
  bool even = true;
  int64_t range = chain.bound;
  for (size_t s = 0; s < slots_.size(); ++s) {
    const int64_t step = chain.tiles[SlotId(s)];
    if (step < range) {
      loops_.push_back({step, (range + step - 1) / step, slots_[s].level.value(),
                        slots_[s].axis != Axis::kTime});
      even = even && range % step == 0;
    }
    range = step;
  }
  for (size_t l = 0; l < layout.levels(); ++l) {
    row[RowLayout::MayMove(l)] = row[RowLayout::MustMove(l)] = 0;
  }
  for (const Loop& loop : loops_) {
    if (loop.spatial) continue;
    row[RowLayout::MayMove(loop.level)] = row[RowLayout::MustMove(loop.level)] = 1;
  }
  for (size_t c = 1; c <= layout.levels(); ++c) {
    if (even) {
      FillEven(chain, c, row + layout.At(c));
    } else {
      FillRagged(chain, c, row + layout.At(c));
    }
  }
}

void RowFiller::FillEven(const Chain& chain, size_t level, double* row) const {
  int64_t tile = chain.bound, lanes = 1, steps = 1, stride = 0, last = 1;
  for (size_t q = 0; q < level; ++q) row[RowLayout::Between(level, q)] = 1;
  for (size_t j = 0; j <= level; ++j) row[RowLayout::Tiles(j)] = 1;
  for (const Loop& loop : loops_) {
    if (loop.level >= level) break;
    tile = loop.step;
    const double trips = Real(loop.trips);
    if (loop.spatial) {
      lanes *= loop.trips;
      for (size_t q = 0; q <= loop.level; ++q) row[RowLayout::Between(level, q)] *= trips;
    } else {
      steps *= loop.trips;
      stride = loop.step;
      last = loop.trips;
      for (size_t j = loop.level + 1; j <= level; ++j) row[RowLayout::Tiles(j)] *= trips;
    }
  }
  for (size_t j = 0; j <= level; ++j) {
    row[RowLayout::Tiles(j)] *= Real(lanes);
    for (size_t q = 0; q < level; ++q) {
      row[RowLayout::DistinctLanes(level, q, j)] =
          row[RowLayout::Tiles(j)] / row[RowLayout::Between(level, q)];
    }
  }
  const double tiles = Real(lanes) * Real(steps);
  const double size = Real(tile);
  const bool moves = steps > 1;
  const double next = moves ? tiles - tiles / Real(last) : 0;
  row[kTilesLo] = row[kTilesHi] = tiles;
  row[kSizeLo] = tiles * size;
  row[kRoundTilesLo] = IfThere(moves, tiles);
  row[kRoundTilesHi] = moves ? tiles : 0;
  row[kRoundSizeLo] = IfThere(moves, tiles * size);
  row[kNextTilesLo] = IfThere(moves, next);
  row[kNextTilesHi] = next;
  row[kNextSizeLo] = IfThere(moves, next * size);
  row[kLanesLo] = row[kLanesHi] = Real(lanes);
  row[kFirstSizeLo] = Real(lanes) * size;
  row[kTileHi] = Real(tile);
  row[kStrideLo] = moves ? Real(stride) : kInfinity;
  row[kMoves] = moves ? 1 : 0;
  row[kMayBeStill] = moves ? 0 : 1;
  row[kAloneLanesLo] = kInfinity;
  row[kEven] = 1;
}

RowFiller::Sum RowFiller::SumOf(int64_t bound, bool moved_only) {
  Sum sum;
  enumerator_.Enumerate(bound, parts_, &bundles_);
  for (const exact::Bundle& bundle : bundles_) {
    if (moved_only && bundle.Still()) continue;
    sum.tiles += Real(bundle.mult);
    sum.size += Real(bundle.mult) * Real(bundle.size);
  }
  return sum;
}

void RowFiller::FillRagged(const Chain& chain, size_t level, double* row) {
  size_t count = 0;
  size_t innermost = loops_.size();  // temporal
  while (count < loops_.size() && loops_[count].level < level) {
    if (!loops_[count].spatial) innermost = count;
    ++count;
  }
  const bool moves = innermost < loops_.size();
  const auto set = [&](LoopRole temporal, size_t shared_from) {
    parts_.clear();
    for (size_t i = 0; i < count; ++i) {
      const Loop& loop = loops_[i];
      const LoopRole spatial = loop.level >= shared_from ? LoopRole::kFirst : LoopRole::kLane;
      parts_.push_back({loop.step, loop.spatial ? spatial : temporal});
    }
  };
  const size_t none = level;
  set(LoopRole::kOutside, none);
  const Sum all = SumOf(chain.bound, false);
  set(LoopRole::kFirst, none);
  const Sum first = SumOf(chain.bound, false);
  Sum next, alone;
  if (moves) {
    set(LoopRole::kOutside, none);
    parts_[innermost].role = LoopRole::kAdvance;
    next = SumOf(chain.bound, false);
    parts_[innermost].role = LoopRole::kInside;
    // The first tile of every round whose lane has but this one.
    const Sum firsts = SumOf(chain.bound, false);
    const Sum moved = SumOf(chain.bound, true);
    alone = {firsts.tiles - moved.tiles, firsts.size - moved.size};
  }
  for (size_t q = 0; q < level; ++q) {
    double between = 1;
    for (size_t i = 0; i < count; ++i) {
      if (loops_[i].spatial && loops_[i].level >= q) between *= Real(loops_[i].trips);
    }
    row[RowLayout::Between(level, q)] = between;
  }
  for (size_t j = 0; j <= level; ++j) {
    for (size_t q = 0; q <= level; ++q) {
      set(LoopRole::kOutside, q);
      for (size_t i = 0; i < count; ++i) {
        if (!loops_[i].spatial && loops_[i].level >= j) parts_[i].role = LoopRole::kFirst;
      }
      const double pairs = Real(enumerator_.Count(chain.bound, parts_));
      row[q == level ? RowLayout::Tiles(j) : RowLayout::DistinctLanes(level, q, j)] = pairs;
    }
  }
  const double round_tiles = all.tiles - alone.tiles;
  const double round_size = all.size - alone.size;
  row[kTilesLo] = row[kTilesHi] = all.tiles;
  row[kSizeLo] = all.size;
  row[kRoundTilesLo] = IfThere(moves, round_tiles);
  row[kRoundTilesHi] = moves ? round_tiles : 0;
  row[kRoundSizeLo] = IfThere(moves, round_size);
  row[kNextTilesLo] = IfThere(moves, next.tiles);
  row[kNextTilesHi] = next.tiles;
  row[kNextSizeLo] = IfThere(moves, next.size);
  row[kLanesLo] = row[kLanesHi] = first.tiles;
  row[kFirstSizeLo] = first.size;
  row[kTileHi] = Real(count == 0 ? chain.bound : loops_[count - 1].step);
  row[kStrideLo] = moves ? Real(loops_[innermost].step) : kInfinity;
  row[kMoves] = moves ? 1 : 0;
  row[kMayBeStill] = moves ? 0 : 1;
  row[kAloneLanesLo] = IfThere(alone.tiles > 0, row[RowLayout::Between(level, 0)]);
  row[kEven] = alone.tiles > 0 ? 0 : 1;
}

void Cover(const RowLayout& layout, const double* row, double* set) {
  for (size_t l = 0; l < layout.levels(); ++l) {
    const size_t may = RowLayout::MayMove(l), must = RowLayout::MustMove(l);
    set[may] = std::max(set[may], row[may]);
    set[must] = std::min(set[must], row[must]);
  }
  for (size_t c = 1; c <= layout.levels(); ++c) {
    const double* from = row + layout.At(c);
    double* to = set + layout.At(c);
    for (const RowField f : {kTilesLo, kSizeLo, kRoundTilesLo, kRoundSizeLo, kNextTilesLo,
                             kNextSizeLo, kLanesLo, kFirstSizeLo, kStrideLo, kAloneLanesLo}) {
      to[f] = std::min(to[f], from[f]);
    }
    for (const RowField f :
         {kTilesHi, kRoundTilesHi, kNextTilesHi, kLanesHi, kTileHi, kMoves, kMayBeStill, kEven}) {
      to[f] = std::max(to[f], from[f]);
    }
    for (size_t i = RowLayout::Tiles(0); i < RowLayout::Between(c, 0); ++i) {
      to[i] = std::min(to[i], from[i]);
    }
    for (size_t i = RowLayout::Between(c, 0); i < RowLayout::DistinctLanes(c, 0, 0); ++i) {
      to[i] = std::max(to[i], from[i]);
    }
    for (size_t i = RowLayout::DistinctLanes(c, 0, 0); i < RowLayout::DistinctLanes(c, c, 0); ++i) {
      to[i] = std::min(to[i], from[i]);
    }
  }
}

}  // namespace inlay::exact_search
