#include "inlay/mapper/thistle/array_grid.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::thistle {

ArrayGrid::ArrayGrid(const Model& model, const std::vector<Chains>& chains,
                     const std::vector<OrderClass>& classes, std::optional<PerFree<int64_t>> lanes,
                     DeadlineWatch* watch)
    : model_(model), chains_(chains), lanes_(lanes), watch_(watch) {
  FindMain();
  tiles_.fill(1);
  int64_t lanes_left = model_.lanes();
  if (lanes_) {
    for (FreeIndex f = 0; f < model_.free_count(); ++f) lanes_left /= (*lanes_)[f];
  }
  if (!lanes_ || lanes_left > 0) Fill(0, 0, model_.lanes());
  Spread();
  FillPrefixes();
  MakeFronts(classes);
}

// `main_` is the dimension with the most ranges. The last of the sides, if there is one, is that
// whose register tile leaves room for that of `main_` in closed form.
void ArrayGrid::FindMain() {
  const auto ranges = [&](FreeIndex f) { return chains_[f].array_ranges().size(); };
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    if (ranges(f) > ranges(main_)) main_ = f;
    FindSplits(f);
  }
  std::optional<FreeIndex> last;
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    if (f == main_ || !model_.IsBilinear(f, main_)) continue;
    if (!last || ranges(f) > ranges(*last)) last = f;
  }
  for (FreeIndex f = 0; f < model_.free_count(); ++f) {
    if (f != main_ && f != last) sides_.push_back(f);
  }
  if (last) sides_.push_back(*last);
  has_bilinear_last_ = last.has_value();
  size_t columns = 1;
  prefixes_.push_back({kNone});
  for (const FreeIndex f : sides_) {
    columns *= ranges(f);
    prefixes_.emplace_back(columns, kNone);
  }
}

// The splits of each array range whose register tiles fit, however small those of the other
// dimensions are. Where chains are not listed a split serves every range of smaller tiles too,
// which Spread sees to: it is tried only for the first. The tile on so many lanes only falls from
// range to range, so the last one seen tells.
void ArrayGrid::FindSplits(FreeIndex f) {
  const Chains& chains = chains_[f];
  const auto lanes = lanes_ ? std::optional<int64_t>((*lanes_)[f]) : std::nullopt;
  const size_t ranges = chains.array_ranges().size();
  PerFree<int64_t> ones{};
  ones.fill(1);
  const int64_t largest = model_.LargestFitting(2, ones, f);
  std::vector<int64_t> last;  // by lanes
  if (!chains.is_listed()) last.resize(static_cast<size_t>(chains.lane_counts().back()) + 1);
  splits_[f].resize(ranges);
  for (size_t i = 0; i < ranges && !watch_->Passed(); ++i) {
    for (const LaneSplit& split : chains.LeastSplits(i, lanes)) {
      if (split.tile > largest) continue;
      if (!chains.is_listed()) {
        if (last[static_cast<size_t>(split.lanes)] == split.tile) continue;
        last[static_cast<size_t>(split.lanes)] = split.tile;
      }
      splits_[f][i].push_back(split);
    }
  }
}

void ArrayGrid::Spread() {
  std::vector<uint32_t>& mains = prefixes_.back();
  size_t unit = 1;
  for (size_t depth = sides_.size(); depth-- > 0;) {
    const Chains& chains = chains_[sides_[depth]];
    const size_t ranges = chains.array_ranges().size();
    for (size_t i = 0; i < mains.size() && !chains.is_listed(); ++i) {
      if (i / unit % ranges > 0) mains[i] = std::min(mains[i], mains[i - unit]);
    }
    unit *= ranges;
  }
}

bool ArrayGrid::MainMayFit(size_t range, int64_t lanes_left, int64_t tile) const {
  const std::vector<LaneSplit>& splits = splits_[main_][range];
  return std::any_of(splits.begin(), splits.end(), [&](const LaneSplit& split) {
    return split.lanes <= lanes_left && split.tile <= tile;
  });
}

// The first range of main that fits into `lanes_left` lanes of register tiles of at most `tile`.
void ArrayGrid::SetMain(size_t column, int64_t lanes_left, int64_t tile) {
  uint32_t& best = prefixes_.back()[column];
  const size_t end = std::min<size_t>(best, splits_[main_].size());
  if (end == 0) return;
  if (chains_[main_].is_listed()) {
    for (size_t i = 0; i < end; ++i) {
      if (!MainMayFit(i, lanes_left, tile)) continue;
      best = static_cast<uint32_t>(i);
      return;
    }
    return;
  }
  // Array tiles as large as this are possible; smaller ones, further back, need less.
  const int64_t lanes =
      lanes_ ? (*lanes_)[main_] : std::min(lanes_left, chains_[main_].lane_counts().back());
  const int64_t array = lanes * std::min(tile, chains_[main_].max_tile());
  const std::vector<TileRange>& ranges = chains_[main_].array_ranges();
  if (ranges[end - 1].smallest > array) return;
  const auto first =
      std::lower_bound(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(end), array,
                       [](const TileRange& range, int64_t size) { return range.smallest > size; });
  best = static_cast<uint32_t>(first - ranges.begin());
}

void ArrayGrid::Fill(size_t depth, size_t column, int64_t lanes_left) {
  if (watch_->Passed()) return;
  if (depth == sides_.size()) {
    tiles_[main_] = 1;
    const int64_t tile = model_.LargestFitting(2, tiles_, main_);
    if (tile > 0) SetMain(column, lanes_left, tile);
    return;
  }
  if (depth + 1 == sides_.size() && has_bilinear_last_) {
    FillLast(depth, column, lanes_left);
    return;
  }
  const FreeIndex f = sides_[depth];
  for (size_t i = 0; i < splits_[f].size(); ++i) {
    for (const LaneSplit& split : splits_[f][i]) {
      if (split.lanes > lanes_left) break;  // by lanes
      tiles_[f] = split.tile;
      if (model_.Fits(2, tiles_)) Fill(depth + 1, Next(depth, column, i), lanes_left / split.lanes);
    }
  }
  tiles_[f] = 1;
}

// The same for the last side, with what its tile leaves for main in closed form.
void ArrayGrid::FillLast(size_t depth, size_t column, int64_t lanes_left) {
  const FreeIndex f = sides_[depth];
  model_.BilinearRooms(2, tiles_, f, main_, &rooms_);
  const auto bound = static_cast<double>(model_.bound(main_));
  for (size_t i = 0; i < splits_[f].size(); ++i) {
    for (const LaneSplit& split : splits_[f][i]) {
      if (split.lanes > lanes_left || watch_->Passed()) break;
      const auto more = static_cast<double>(split.tile - 1);
      double tile = bound;
      for (const Model::Bilinear& room : rooms_) {
        const double left = room.capacity - room.c[0] - room.c[1] * more;
        const double each = room.c[2] + room.c[3] * more;
        tile = left < 0 ? 0 : each > 0 ? std::min(tile, 1 + left / each) : tile;
      }
      if (tile >= 1) {
        SetMain(Next(depth, column, i), lanes_left / split.lanes, static_cast<int64_t>(tile));
      }
    }
  }
}

void ArrayGrid::FillPrefixes() {
  for (size_t depth = sides_.size(); depth-- > 0;) {
    const size_t ranges = chains_[sides_[depth]].array_ranges().size();
    for (size_t i = 0; i < prefixes_[depth + 1].size(); ++i) {
      uint32_t& least = prefixes_[depth][i / ranges];
      least = std::min(least, prefixes_[depth + 1][i]);
    }
  }
}

Cuts ArrayGrid::CutsOf(size_t column) const {
  Cuts cuts;
  cuts[main_] = chains_[main_].array_ranges()[prefixes_.back()[column]].cut;
  for (size_t depth = sides_.size(); depth-- > 0;) {
    const std::vector<TileRange>& ranges = chains_[sides_[depth]].array_ranges();
    cuts[sides_[depth]] = ranges[column % ranges.size()].cut;
    column /= ranges.size();
  }
  return cuts;
}

// The lower left convex hull; the offset rises as the slope falls.
void ArrayGrid::KeepHull(std::vector<Point>* points) {
  std::sort(points->begin(), points->end(), [](const Point& a, const Point& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.slope < b.slope;
  });
  std::vector<Point> hull;
  for (const Point& next : *points) {
    if (!hull.empty() && next.slope >= hull.back().slope) continue;
    while (hull.size() >= 2) {
      const Point& a = hull[hull.size() - 2];
      const Point& b = hull.back();
      const double cross = (b.offset - a.offset) * (next.slope - a.slope) -
                           (b.slope - a.slope) * (next.offset - a.offset);
      if (cross > 0) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  *points = std::move(hull);
}

ArrayGrid::Front ArrayGrid::EmptyFront(const OrderClass& order) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Front front;
  front.order = &order;
  for (size_t t = 0; t < order.saved.size(); ++t) {
    const bool outside = model_.HasOutsideFactor(t, order.saved[t]);
    if (!model_.HasInsideFactor(t, order.saved[t])) {
      front.outside_only.push_back(t);
    } else {
      (outside ? front.mixed : front.inside_only).push_back(t);
    }
  }
  front.least.assign(front.mixed.size(), kInfinity);
  front.least_offset = kInfinity;
  return front;
}

void ArrayGrid::AddTo(const Cuts& cuts, Front* front) const {
  Point point;
  for (const size_t t : front->inside_only) {
    point.offset += model_.OutsideFactor(t, front->order->saved[t], cuts) *
                    model_.InsideFactor(t, front->order->saved[t], cuts);
  }
  for (size_t m = 0; m < front->mixed.size(); ++m) {
    const size_t t = front->mixed[m];
    point.slope = model_.InsideFactor(t, front->order->saved[t], cuts);
    front->least[m] = std::min(front->least[m], point.slope);
  }
  front->least_offset = std::min(front->least_offset, point.offset);
  if (front->mixed.size() == 1) front->hull.push_back(point);
}

// Is there no column with fewer pieces of one side and as few of main?
bool ArrayGrid::IsCorner(size_t column) const {
  const std::vector<uint32_t>& mains = prefixes_.back();
  size_t unit = 1, rest = column;
  for (size_t depth = sides_.size(); depth-- > 0;) {
    const size_t ranges = chains_[sides_[depth]].array_ranges().size();
    if (rest % ranges > 0 && mains[column - unit] <= mains[column]) return false;
    rest /= ranges;
    unit *= ranges;
  }
  return true;
}

void ArrayGrid::MakeFronts(const std::vector<OrderClass>& classes) {
  for (const OrderClass& order : classes) fronts_.push_back(EmptyFront(order));
  for (size_t column = 0; column < prefixes_.back().size() && !watch_->Passed(); ++column) {
    if (prefixes_.back()[column] == kNone || !IsCorner(column)) continue;
    const Cuts cuts = CutsOf(column);
    for (Front& front : fronts_) AddTo(cuts, &front);
  }
  for (Front& front : fronts_) KeepHull(&front.hull);
}

double ArrayGrid::LeastPj(const Cuts& outside) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Front& front : fronts_) {
    const auto factor = [&](size_t t) {
      return model_.OutsideFactor(t, front.order->saved[t], outside);
    };
    double pj = 0;
    for (const size_t t : front.outside_only) pj += factor(t);
    if (!front.hull.empty()) {
      const double alpha = factor(front.mixed[0]);
      const auto value = [&](const Point& point) { return alpha * point.slope + point.offset; };
      size_t low = 0, high = front.hull.size() - 1;  // convex along the hull
      while (low < high) {
        const size_t middle = (low + high) / 2;
        if (value(front.hull[middle]) <= value(front.hull[middle + 1])) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      pj += value(front.hull[low]);
    } else {
      pj += front.least_offset;
      for (size_t m = 0; m < front.mixed.size(); ++m) pj += factor(front.mixed[m]) * front.least[m];
    }
    least = std::min(least, pj);
  }
  return least;
}

}  // namespace inlay::thistle
