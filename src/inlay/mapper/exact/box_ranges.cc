#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapper/exact/box_bound_parts.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Real(int64_t n) { return static_cast<double>(n); }

// The least iterations of a range that takes so many parts of at least `part`.
double Extent(int64_t parts, double part) { return parts == 1 ? part : Real(parts - 1) * part + 1; }

// The same of lanes on x of parts of lanes on y, so many together.
double LeastExtent(int32_t lanes, double part, int64_t most_x, int64_t most_y) {
  if (lanes == 1) return part;
  double least = kInfinity;
  for (int64_t x = 1; x <= std::min<int64_t>(lanes, most_x); ++x) {
    const int64_t y = CeilDiv(int64_t{lanes}, x);
    if (y <= most_y) least = std::min(least, Extent(x, Extent(y, part)));
  }
  return least < kInfinity ? least : part;
}

// The most lanes, on x and y together, into which a range can be cut by parts of that size: those
// on y cut what one on x has, and the last ones on x may be without some.
int64_t MostLanesOf(int64_t range, int64_t part, int64_t most_x, int64_t most_y) {
  const int64_t parts = (range - 1) / part + 1;
  if (most_x == 1 || most_y == 1 || parts == 1) return std::min(parts, most_x * most_y);
  if (most_x > 64) return std::min(parts, most_x) * std::min(parts, most_y);  // would take long
  int64_t most = std::min(parts, most_y);
  for (int64_t x = 2; x <= std::min(parts, most_x); ++x) {
    const int64_t of_one = (range - 1) / (x - 1);  // at most
    most = std::max(most, x * std::min((of_one - 1) / part + 1, most_y));
  }
  return most;
}

}  // namespace

std::optional<BoxRange> BoxBounder::Whole() const {
  BoxRange range;
  for (size_t l = 0; l < keep_case_.levels; ++l) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      const auto bound = static_cast<int32_t>(bounds_[d]);
      range.tiles[l].lo[d] = l == 0 ? bound : 1;
      range.tiles[l].hi[d] = bound;
      const FactorRange x = LanesOf(l, d, Axis::kX), y = LanesOf(l, d, Axis::kY);
      const FactorRange& both = space_.unrolling[LevelId(l)][DimId(dims_[d])];
      const int64_t least = std::max(x.min * y.min, both.min);
      // On two axes the last lanes may be left without any iteration.
      const int64_t most = std::min(
          {std::min<int64_t>(bound, x.max) * std::min<int64_t>(bound, y.max), both.max, kMostSize});
      if (least > most) return std::nullopt;
      range.lanes[l].lo[d] = static_cast<int32_t>(least);
      range.lanes[l].hi[d] = static_cast<int32_t>(most);
    }
  }
  if (!Narrow(&range)) return std::nullopt;
  return range;
}

// Every dimension gets at least its least lanes, some on x, the others on y: no more than is left
// for it in the best case.
bool BoxBounder::NarrowLanes(size_t level, BoxRange::Part* lanes) const {
  const int64_t most_x = MostLanes(level, Axis::kX), most_y = MostLanes(level, Axis::kY);
  const size_t dims = dims_.size();
  if (most_x == 1 && most_y == 1) return true;
  if (most_x == 1 || most_y == 1 || most_x > 64 || most_y > 64) {
    const int64_t most = SaturatingMultiply(most_x, most_y);
    int64_t least = 1;
    for (size_t d = 0; d < dims; ++d) {
      least = SaturatingMultiply(least, lanes->lo[d]);
      if (least > most) return false;
    }
    for (size_t d = 0; d < dims; ++d) {
      const int64_t left = most / (least / lanes->lo[d]);
      lanes->hi[d] = static_cast<int32_t>(std::min<int64_t>(lanes->hi[d], left));
    }
    return true;
  }
  std::array<int64_t, kMostDims> most{};
  std::array<int64_t, kMostDims> x{}, y{};
  const auto share_out = [&](const auto& self, size_t d, int64_t on_x, int64_t on_y) -> void {
    if (d == dims) {
      for (size_t i = 0; i < dims; ++i) {
        const FactorRange range_x = LanesOf(level, i, Axis::kX);
        const FactorRange range_y = LanesOf(level, i, Axis::kY);
        most[i] = std::max(most[i], std::min(range_x.max, most_x / (on_x / x[i])) *
                                        std::min(range_y.max, most_y / (on_y / y[i])));
      }
      return;
    }
    const FactorRange range_x = LanesOf(level, d, Axis::kX);
    const FactorRange range_y = LanesOf(level, d, Axis::kY);
    const auto last = std::min<int64_t>({lanes->lo[d], range_x.max, most_x / on_x});
    for (x[d] = std::min(range_x.min, last + 1); x[d] <= last; ++x[d]) {
      y[d] = std::max(CeilDiv(int64_t{lanes->lo[d]}, x[d]), range_y.min);
      if (y[d] <= range_y.max && on_y * y[d] <= most_y) {
        self(self, d + 1, on_x * x[d], on_y * y[d]);
      }
    }
  };
  share_out(share_out, 0, 1, 1);
  for (size_t d = 0; d < dims; ++d) {
    lanes->hi[d] = static_cast<int32_t>(std::min<int64_t>(lanes->hi[d], most[d]));
    if (lanes->lo[d] > lanes->hi[d]) return false;
  }
  return true;
}

// The tile fits with the least sizes of the other dimensions.
bool BoxBounder::NarrowTile(size_t level, BoxRange* range) const {
  std::array<double, 64> tile{};
  if (keep_case_.dims > tile.size()) return true;
  for (size_t d = 0; d < keep_case_.dims; ++d) tile[d] = 1;
  BoxRange::Part& part = range->tiles[level];
  for (size_t d = 0; d < dims_.size(); ++d) tile[dims_[d]] = part.lo[d];
  if (!keep_case_.Fits(level, tile.data())) return false;
  for (size_t d = 0; d < dims_.size(); ++d) {
    tile[dims_[d]] = part.hi[d];
    if (!keep_case_.Fits(level, tile.data())) {
      int32_t fits = part.lo[d], too_large = part.hi[d];
      while (too_large - fits > 1) {
        const int32_t middle = fits + (too_large - fits) / 2;
        tile[dims_[d]] = middle;
        (keep_case_.Fits(level, tile.data()) ? fits : too_large) = middle;
      }
      part.hi[d] = fits;
    }
    tile[dims_[d]] = part.lo[d];
  }
  return true;
}

bool BoxBounder::Narrow(BoxRange* range) const {
  const size_t levels = keep_case_.levels;
  for (size_t l = 0; l < levels; ++l) {
    if (!NarrowLanes(l, &range->lanes[l])) return false;
  }
  // From the inside out: no more steps than allowed, and no tile is smaller than what it is cut
  // into.
  for (size_t l = levels; l-- > 0;) {
    BoxRange::Part& part = range->tiles[l];
    for (size_t d = 0; d < dims_.size(); ++d) {
      const bool last = l + 1 == levels;
      const int64_t inner_lo = last ? 1 : range->tiles[l + 1].lo[d];
      const int64_t inner_hi = last ? 1 : range->tiles[l + 1].hi[d];
      const int64_t steps = space_.factors[SlotId(3 * l)][DimId(dims_[d])].max;
      const double most = Real(inner_hi) * range->lanes[l].hi[d] * Real(steps);
      part.lo[d] = std::max(part.lo[d], static_cast<int32_t>(inner_lo));
      if (most < part.hi[d]) part.hi[d] = static_cast<int32_t>(most);
      if (part.lo[d] > part.hi[d]) return false;
    }
  }
  for (size_t l = 1; l < levels; ++l) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      range->tiles[l].hi[d] = std::min(range->tiles[l].hi[d], range->tiles[l - 1].hi[d]);
      if (range->tiles[l].lo[d] > range->tiles[l].hi[d]) return false;
      BoxRange::Part& lanes = range->lanes[l - 1];
      const int64_t most =
          MostLanesOf(range->tiles[l - 1].hi[d], range->tiles[l].lo[d],
                      LanesOf(l - 1, d, Axis::kX).max, LanesOf(l - 1, d, Axis::kY).max);
      lanes.hi[d] = static_cast<int32_t>(std::min<int64_t>(lanes.hi[d], most));
      if (lanes.lo[d] > lanes.hi[d]) return false;
    }
    if (!NarrowTile(l, range)) return false;
  }
  return true;
}

void BoxBounder::Measure(const BoxRange& range, Sizes* sizes) const {
  const size_t levels = keep_case_.levels, dims = dims_.size();
  for (size_t l = 0; l <= levels; ++l) {
    for (size_t d = 0; d < dims; ++d) {
      sizes->tile[l][d] = l == levels ? 1 : range.tiles[l].hi[d];
      sizes->tile_lo[l][d] = l == levels ? 1 : range.tiles[l].lo[d];
      sizes->lanes[l][d] = l == levels ? 1 : range.lanes[l].hi[d];
      sizes->lanes_lo[l][d] = l == levels ? 1 : range.lanes[l].lo[d];
      if (l == levels) continue;
      const double inner = l + 1 == levels ? 1 : range.tiles[l + 1].lo[d];
      sizes->step_lo[l][d] = LeastExtent(range.lanes[l].lo[d], inner, LanesOf(l, d, Axis::kX).max,
                                         LanesOf(l, d, Axis::kY).max);
    }
  }
  for (size_t l = 0; l < levels; ++l) {
    sizes->moved_above[l + 1] = sizes->moved_above[l];
    sizes->moved_at[l] = 0;
    for (size_t d = 0; d < dims; ++d) {
      if (space_.factors[SlotId(3 * l)][DimId(dims_[d])].max < 2) continue;
      if (sizes->tile[l][d] > sizes->step_lo[l][d]) {
        sizes->moved_at[l] |= uint32_t{1} << d;
      }
    }
    sizes->moved_above[l + 1] |= sizes->moved_at[l];
  }
  MeasureProducts(sizes);
}

// The products that tiles and lanes of several dimensions can have, less than what each by itself
// could.
void BoxBounder::MeasureProducts(Sizes* sizes) const {
  const size_t levels = keep_case_.levels, dims = dims_.size(), count = tensors_.size();
  for (size_t l = 0; l <= levels; ++l) {
    auto& tiles = sizes->tile_product[l];
    auto& lanes = sizes->lanes_product[l];
    for (size_t t = 0; t < count; ++t) {
      tiles[t] = lanes[t] = 1;
      if (l == levels) continue;
      double others = 1, on_x = 1, on_y = 1;
      for (size_t d = 0; d < dims; ++d) {
        if (!Has(skipped_by_[t], d)) {
          others *= sizes->lanes_lo[l][d];
          continue;
        }
        tiles[t] *= sizes->tile[l][d];
        lanes[t] *= sizes->lanes[l][d];
        if (LanesOf(l, d, Axis::kX).max > 1) on_x = Real(MostLanes(l, Axis::kX));
        if (LanesOf(l, d, Axis::kY).max > 1) on_y = Real(MostLanes(l, Axis::kY));
      }
      const double all = Real(MostLanes(l, Axis::kX)) * Real(MostLanes(l, Axis::kY));
      lanes[t] = std::min({lanes[t], std::floor(all / others), on_x * on_y});
    }
    sizes->tile_words[l].fill(kInfinity);
    sizes->all_words[l].fill(kInfinity);
    if (l == 0 || l == levels) continue;
    std::array<double, 64> tile{};
    for (size_t d = 0; d < keep_case_.dims; ++d) tile[d] = 1;
    for (size_t d = 0; d < dims; ++d) tile[dims_[d]] = sizes->tile_lo[l][d];
    for (const Room& room : keep_case_.rooms[l]) {
      double left = room.usable_bits;
      for (size_t i = 0; i < room.tensors.size(); ++i) {
        left -= room.bits[i] * keep_case_.TileWords(room.tensors[i], tile.data());
      }
      for (size_t i = 0; i < room.tensors.size(); ++i) {
        const size_t v = room.tensors[i];
        const double words = keep_case_.TileWords(v, tile.data());
        {
          double all_lanes = keep_case_.instances[l];
          for (size_t q = 0; q < l; ++q) {
            for (size_t d = 0; d < dims; ++d) {
              if (Has(skipped_by_[v], d)) all_lanes /= sizes->lanes_lo[q][d];
            }
          }
          sizes->tile_words[l][v] =
              (left / room.bits[i] + words) / ShareOf(v, sizes->tile[l], -1, false);
          sizes->all_words[l][v] = sizes->tile_words[l][v] * all_lanes;
        }
        for (size_t t = 0; t < count; ++t) {
          if (t == v) continue;
          double least = 1;
          bool alone = true;
          for (size_t d = 0; d < dims; ++d) {
            if (!Has(skipped_by_[t], d)) continue;
            const auto& rank =
                keep_case_.tensors[v]
                    .ranks[static_cast<size_t>(keep_case_.tensors[v].rank_of[dims_[d]])];
            alone = alone && rank.size() == 1;
            least *= 1 + rank[0].coefficient * (sizes->tile_lo[l][d] - 1);
          }
          if (!alone) continue;
          tiles[t] = std::min(tiles[t], (left / room.bits[i] + words) / words * least);
        }
      }
    }
  }
}

}  // namespace inlay::exact_search
