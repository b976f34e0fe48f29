#include "inlay/mapper/exact/box_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr int64_t kMostSize = int64_t{1} << 30;

double Real(int64_t n) { return static_cast<double>(n); }

bool Has(uint32_t set, size_t i) { return (set >> i & 1) != 0; }

// Different values of a·i + b·j for n values of i and m of j, over n·m; a and b have no common
// divisor. Falls with n and m.
double ShareOfSums(double a, double b, double n, double m) {
  return 1 - std::max(0.0, 1 - b / n) * std::max(0.0, 1 - a / m);
}

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

// Two costs, each inversely proportional to a size; the product of the sizes is `excess` times too
// large. What it costs more to make them as small as they have to be.
double LeastRaise(double a, double b, double excess) {
  if (!(excess > 1) || a <= 0 || b <= 0) return 0;
  const double factor = std::clamp(std::sqrt(excess * b / a), 1.0, excess);
  return a * (factor - 1) + b * (excess / factor - 1);
}

}  // namespace

BoxBounder::BoxBounder(const Space& space, const Frame& frame) : space_(space), frame_(frame) {
  const Problem& problem = space.problem;
  if (frame.tensors.size() > kMostTensors || frame.levels > kMostLevels) return;
  for (const DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound == 1) continue;
    if (dims_.size() == kMostDims || problem.dims[d].bound > kMostSize) return;
    bounds_[dims_.size()] = Real(problem.dims[d].bound);
    operations_ *= Real(problem.dims[d].bound);
    dims_.push_back(d.value());
  }
  skips_.fill(-1);
  tensors_.resize(frame.tensors.size());
  for (size_t t = 0; t < tensors_.size(); ++t) {
    BoxTensor& tensor = tensors_[t];
    tensor.rank_of.fill(-1);
    for (const auto& terms : frame.tensors[t].ranks) {
      std::vector<Term> rank;
      for (const Frame::Term& term : terms) {
        const auto at = std::find(dims_.begin(), dims_.end(), term.dim);
        if (at == dims_.end()) continue;
        const auto d = static_cast<size_t>(at - dims_.begin());
        tensor.rank_of[d] = static_cast<int>(tensor.ranks.size());
        rank.push_back({d, term.coefficient});
      }
      tensor.slides = tensor.slides || rank.size() > 1;
      for (const Term& term : rank) {
        if (rank.size() > 1) sliding_ |= uint32_t{1} << term.dim;
      }
      // What all coefficients have in common makes no difference to how many words there are.
      int64_t common = 0;
      for (const Term& term : rank) {
        common = std::gcd(common, static_cast<int64_t>(term.coefficient));
      }
      for (Term& term : rank) term.coefficient /= Real(common);
      if (!rank.empty()) tensor.ranks.push_back(rank);
    }
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (tensor.rank_of[d] >= 0) continue;
      if (skips_[d] >= 0) return;  // of two tensors
      skips_[d] = static_cast<int>(t);
      skipped_by_[t] |= uint32_t{1} << d;
      skipped_ |= uint32_t{1} << d;
    }
    whole_share_[t] = ShareOf(t, bounds_, -1, false);
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (tensor.rank_of[d] < 0) whole_share_[t] /= bounds_[d];
    }
  }
  for (size_t l = 0; l < frame.levels; ++l) {
    for (const size_t axis : {size_t{1}, size_t{2}}) {
      const SlotId slot(3 * l + axis);
      most_lanes_[l][axis - 1] = space.slots[slot].max_lanes;
      for (size_t d = 0; d < dims_.size(); ++d) {
        const FactorRange& factor = space.factors[slot][DimId(dims_[d])];
        lanes_of_[l][axis - 1][d] = {
            std::clamp<int64_t>(factor.min, 1, kMostSize),
            std::min({factor.max, space.slots[slot].max_lanes, kMostSize})};
      }
    }
  }
  for (const Edge& edge : frame.edges[frame.levels]) computes_from_[edge.tensor] = edge.parent;
  // Where tensors slide, or some lanes are shorter than others, the bound is wrong in rare cases
  // (docs/reference/mapper-bounds.md).
  const bool equal_lanes = space.mapspace == Mapspace::kPerfect ||
                           space.mapspace == Mapspace::kRubyT ||
                           ComputeLanes(space.architecture) == 1;
  applies_ = sliding_ == 0 && equal_lanes;
}

std::optional<BoxRange> BoxBounder::Whole() const {
  BoxRange range;
  for (size_t l = 0; l < frame_.levels; ++l) {
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
  if (frame_.dims > tile.size()) return true;
  for (size_t d = 0; d < frame_.dims; ++d) tile[d] = 1;
  BoxRange::Part& part = range->tiles[level];
  for (size_t d = 0; d < dims_.size(); ++d) tile[dims_[d]] = part.lo[d];
  if (!frame_.Fits(level, tile.data())) return false;
  for (size_t d = 0; d < dims_.size(); ++d) {
    tile[dims_[d]] = part.hi[d];
    if (!frame_.Fits(level, tile.data())) {
      int32_t fits = part.lo[d], too_large = part.hi[d];
      while (too_large - fits > 1) {
        const int32_t middle = fits + (too_large - fits) / 2;
        tile[dims_[d]] = middle;
        (frame_.Fits(level, tile.data()) ? fits : too_large) = middle;
      }
      part.hi[d] = fits;
    }
    tile[dims_[d]] = part.lo[d];
  }
  return true;
}

bool BoxBounder::Narrow(BoxRange* range) const {
  const size_t levels = frame_.levels;
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
      // So many lanes on one axis; on both, each.
      const int64_t parts = (range->tiles[l - 1].hi[d] - 1) / range->tiles[l].lo[d] + 1;
      const int64_t x = std::min(parts, LanesOf(l - 1, d, Axis::kX).max);
      const int64_t y = std::min(parts, LanesOf(l - 1, d, Axis::kY).max);
      BoxRange::Part& lanes = range->lanes[l - 1];
      lanes.hi[d] = static_cast<int32_t>(std::min<int64_t>(lanes.hi[d], x * y));
      if (lanes.lo[d] > lanes.hi[d]) return false;
    }
    if (!NarrowTile(l, range)) return false;
  }
  return true;
}

// Per level; sizes at most but where it says otherwise. Level `levels` is compute.
struct BoxBounder::Sizes {
  std::array<Extents, kMostLevels + 1> tile, tile_lo, lanes, lanes_lo;
  std::array<Extents, kMostLevels> step_lo;  // iterations that all lanes take in a step, at least
  std::array<uint32_t, kMostLevels + 1> moved_at{};  // dimensions that a loop of the level may move
  std::array<uint32_t, kMostLevels + 1> moved_above{};  // … of any level further out
  // By level and tensor: products over the dimensions that do not concern it.
  std::array<std::array<double, kMostTensors>, kMostLevels + 1> tile_product, lanes_product;
  // By level and tensor: iterations of the dimensions that concern it in a tile at most, and in the
  // tiles of all lanes.
  std::array<std::array<double, kMostTensors>, kMostLevels + 1> tile_words, all_words;
};

void BoxBounder::Measure(const BoxRange& range, Sizes* sizes) const {
  const size_t levels = frame_.levels, dims = dims_.size();
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
  const size_t levels = frame_.levels, dims = dims_.size(), count = tensors_.size();
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
    for (size_t d = 0; d < frame_.dims; ++d) tile[d] = 1;
    for (size_t d = 0; d < dims; ++d) tile[dims_[d]] = sizes->tile_lo[l][d];
    for (const Room& room : frame_.rooms[l]) {
      double left = room.usable_bits;
      for (size_t i = 0; i < room.tensors.size(); ++i) {
        left -= room.bits[i] * frame_.TileWords(room.tensors[i], tile.data());
      }
      for (size_t i = 0; i < room.tensors.size(); ++i) {
        const size_t v = room.tensors[i];
        const double words = frame_.TileWords(v, tile.data());
        {
          double all_lanes = frame_.instances[l];
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
                frame_.tensors[v].ranks[static_cast<size_t>(frame_.tensors[v].rank_of[dims_[d]])];
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

// A dimension of the tensor moves through all its tiles again and again. When it goes back, its
// partner in the rank may undo some of the way: that share of its new words, at most.
double BoxBounder::UndoneShare(size_t tensor, size_t dim, uint32_t movable, const Extents& tile,
                               const Extents& tile_lo) const {
  const int rank_of = tensors_[tensor].rank_of[dim];
  if (rank_of < 0) return 0;
  const auto& rank = tensors_[tensor].ranks[static_cast<size_t>(rank_of)];
  double way = 0;
  const Term* partner = nullptr;
  for (const Term& term : rank) {
    if (term.dim == dim || !Has(movable, term.dim)) continue;
    partner = &term;
    way += term.coefficient * (bounds_[term.dim] - tile_lo[term.dim]);
  }
  if (partner == nullptr) return 0;
  const double back = tile[dim] / bounds_[dim];  // so often
  if (rank.size() != 2) return back;
  const double lost = way / (bounds_[dim] * tile_lo[partner->dim]);
  return std::min(back, lost / RankShare(rank, tile, static_cast<int>(dim), false));
}

// Instances of a level that hold the same word of a tensor, at most.
double BoxBounder::CopiesIn(const Sizes& sizes, size_t tensor, size_t level) const {
  double copies = 1;
  for (size_t l = 0; l < level; ++l) copies *= sizes.lanes_product[l][tensor];
  return std::min(copies, frame_.instances[level]);
}

// Words along a rank over iterations; those that are new when dimension `moved` of the rank moves.
double BoxBounder::RankShare(const std::vector<Term>& rank, const Extents& extents, int moved,
                             bool gaps) const {
  if (rank.size() == 1) return 1;
  if (rank.size() == 2 && !gaps) {
    const auto [x, a] = rank[0];
    const auto [y, b] = rank[1];
    const double share = ShareOfSums(a, b, extents[x], extents[y]);
    if (moved < 0) return share;
    const bool first = x == static_cast<size_t>(moved);
    const bool dense = a == 1 || b == 1;
    const double step = dense ? (first ? a : b) : 1;
    return std::min(share, step / (first ? extents[y] : extents[x]));
  }
  double most = 1, all = 1;
  for (const Term& term : rank) {
    most = std::max(most, extents[term.dim]);
    all *= extents[term.dim];
  }
  if (moved < 0) return most / all;
  return gaps ? 0 : extents[static_cast<size_t>(moved)] / all;
}

double BoxBounder::ShareOf(size_t tensor, const Extents& extents, int moved, bool gaps) const {
  double share = 1;
  const BoxTensor& t = tensors_[tensor];
  const int rank_moved = moved < 0 ? -1 : t.rank_of[static_cast<size_t>(moved)];
  for (size_t r = 0; r < t.ranks.size(); ++r) {
    share *= RankShare(t.ranks[r], extents, static_cast<int>(r) == rank_moved ? moved : -1, gaps);
  }
  return share;
}

// The least over the dimensions that may move.
double BoxBounder::EnteringShare(size_t tensor, const Extents& extents, uint32_t movable,
                                 bool gaps) const {
  const BoxTensor& t = tensors_[tensor];
  if (!t.slides) return 1;
  double least = kInfinity;
  for (const auto& rank : t.ranks) {
    size_t moving = 0;
    for (const Term& term : rank) {
      if (!Has(movable, term.dim)) continue;
      ++moving;
      least = std::min(least, ShareOf(tensor, extents, static_cast<int>(term.dim), gaps));
    }
    if (moving > 1) return 0;  // one may undo the way of the other
  }
  return least < kInfinity ? least : ShareOf(tensor, extents, -1, gaps);
}

// Words per operation that enter a level over one edge.
struct BoxBounder::EdgeWords {
  struct Words {
    double groups = 0, lanes = 0;  // that leave the parent; that enter the lanes
  };
  // By the tensor in place: some dimension moves that is in no rank of several; only such as are.
  // Then the same for phases that began further out.
  std::array<std::array<Words, 4>, kMostTensors> phases;
  Words none;           // no tensor in place
  double floor = 0;     // each word of the next outer tile once …
  double in_place = 0;  // … but for those of the tile before, in the first step of the outer tile
  double per_group = 1, per_lane = 1, per_outer = 1;
  double most_kept = 1;                // for lanes that may be idle, not even once per outer tile
  double copies = 1, lane_copies = 1;  // of a word, in instances of the parent and of the child
};

struct BoxBounder::LevelWords {
  std::array<EdgeWords, kMostTensors> edges;
  std::array<std::array<bool, 2>, kMostTensors> allowed;
  bool none_allowed = true;
  // Of the iterations of a phase those of its first step, as far as its tensor's words tell.
  std::array<std::array<double, 2>, kMostTensors> first_part;
  std::array<double, kMostTensors> tile_words, all_words;
};

void BoxBounder::CountWords(const Sizes& sizes, size_t child, int still, LevelWords* words) const {
  const size_t dims = dims_.size(), none = tensors_.size();
  const uint32_t above = sizes.moved_above[child];
  const uint32_t moving = sizes.moved_at[child - 1];
  Extents tile = sizes.tile[child];
  if (still >= 0) {
    // No loop of the level moves the tensor, so its dimensions are no longer than the lanes take.
    for (size_t d = 0; d < dims; ++d) {
      if (skips_[d] == still) continue;
      const double lanes = sizes.lanes[child][d];
      tile[d] = std::min(tile[d], lanes * sizes.tile[child + 1][d]);
    }
  }
  for (size_t p = 0; p < none; ++p) {
    words->allowed[p][0] = (skipped_by_[p] & ~sliding_ & moving) != 0;
    words->allowed[p][1] = (skipped_by_[p] & sliding_ & moving) != 0;
    words->tile_words[p] = sizes.tile_words[child][p];
    words->all_words[p] = sizes.all_words[child][p];
    if (still != static_cast<int>(p)) continue;
    bool apart = false;
    for (size_t d = 0; d < dims; ++d) {
      for (size_t l = 0; l < child; ++l) apart = apart || sizes.lanes[l][d] > 1;
    }
    if (apart) continue;
    words->tile_words[p] = std::min(words->tile_words[p], sizes.all_words[child + 1][p]);
    words->all_words[p] = std::min(words->all_words[p], sizes.all_words[child + 1][p]);
  }
  // Where nothing is shared out above, each dimension has one loop outside, always as long, and the
  // innermost of them moves at every step.
  bool steady = child == 1;
  for (size_t d = 0; d < dims; ++d) steady = steady && sizes.lanes[0][d] == 1;
  words->none_allowed = !steady || moving == 0 || (moving & ~skipped_) != 0;
  auto& first_part = words->first_part;
  for (auto& part : first_part) part = {1, 1};
  std::array<EdgeSizes, kMostTensors> all_sizes;
  for (size_t e = 0; e < frame_.edges[child].size(); ++e) {
    const Edge& edge = frame_.edges[child][e];
    const size_t t = edge.tensor;
    EdgeSizes& own = all_sizes[e];
    EdgeWords& out = words->edges[e];
    size_t outer_fanouts = 0;
    double lanes_product = 1, outer_product = 1;
    for (size_t l = edge.parent; l < child; ++l) {
      lanes_product *= sizes.lanes_product[l][t];
      if (l + 1 == child) continue;
      outer_product *= sizes.lanes_product[l][t];
      bool any = false;
      for (size_t d = 0; d < dims; ++d) any = any || sizes.lanes[l][d] > 1;
      if (any) ++outer_fanouts;
    }
    own.gaps = outer_fanouts > 0;
    own.spread = 0;
    Extents normal_whole;
    for (size_t d = 0; d < dims; ++d) {
      double lanes = 1, outer_lanes = 1;
      for (size_t l = edge.parent; l < child; ++l) {
        if (l + 1 < child) outer_lanes *= sizes.lanes[l][d];
        lanes *= sizes.lanes[l][d];
      }
      if (lanes > 1) own.spread |= uint32_t{1} << d;
      const double room = sizes.tile[edge.parent][d];
      own.whole[d] = std::min(room, tile[d] * lanes);
      normal_whole[d] = std::min(room, sizes.tile[child][d] * lanes);
      own.around[d] = std::min(room, sizes.tile[child - 1][d] * outer_lanes);
      const double steps =
          std::floor((sizes.tile[child - 1][d] - 1) / sizes.step_lo[child - 1][d]) + 1;
      own.range[d] = std::min(sizes.tile[child - 1][d], steps * tile[d]);
      own.range[d] = std::max(own.range[d], tile[d]);
    }
    if (still >= 0 && own.spread != 0) {
      // Other lanes need not find it in place.
      for (size_t d = 0; d < dims; ++d) own.whole[d] = std::max(own.whole[d], normal_whole[d]);
    }
    out.copies = CopiesIn(sizes, t, edge.parent);
    out.lane_copies = CopiesIn(sizes, t, child);
    // Products over the dimensions that do not concern the tensor.
    double whole = 1, around = 1, lane = 1, slides_around = 1, slides_range = 1, range = 1;
    int idle[2] = {0, 0};
    for (size_t d = 0; d < dims; ++d) {
      if (!Has(skipped_by_[t], d)) continue;
      const bool slides = Has(sliding_, d);
      whole *= own.whole[d];
      around *= own.around[d];
      lane *= tile[d];
      range *= own.range[d];
      slides_around *= slides ? own.around[d] : own.whole[d];
      slides_range *= slides ? own.range[d] : tile[d];
      if (!Has(own.spread, d)) continue;
      ++idle[0];
      if (slides) ++idle[1];
    }
    around = std::min(around, sizes.tile_product[child - 1][t] * outer_product);
    if (still < 0 || static_cast<size_t>(still) == t) {
      lane = std::min(lane, sizes.tile_product[child][t]);
    }
    const bool apart = still >= 0 && own.spread != 0;
    if (!apart) whole = std::min(whole, lane * lanes_product);
    whole = std::min(whole, around);
    out.per_group = 1 / whole;
    out.per_lane = 1 / lane;
    out.per_outer = 1 / around;
    out.most_kept = std::ldexp(out.per_group, -idle[0]);
    out.floor = ShareOf(t, own.around, -1, own.gaps) / around;
    own.first_groups = EnteringShare(t, own.whole, above, own.gaps);
    own.first_lanes = EnteringShare(t, tile, above, false);
    out.in_place = 0;
    if (child > 1) {
      out.in_place = (ShareOf(t, own.whole, -1, own.gaps) - own.first_groups) * out.per_group;
    }
    out.none = {own.first_groups * out.per_group, own.first_lanes * out.per_lane};
    for (size_t s = 0; s < 2; ++s) {
      const double most = s == 0 ? around : std::min(slides_around, around);
      const double lanes_most = std::max(lane, s == 0 ? range : std::min(slides_range, range));
      first_part[t][s] = std::min(std::ldexp(1.0, -idle[s]), whole / std::max(most, whole));
      out.phases[t][s] = {own.first_groups * out.per_group * first_part[t][s],
                          own.first_lanes / lanes_most};
    }
    out.phases[t][2] = out.phases[t][3] = {0, 0};
  }
  for (size_t e = 0; e < frame_.edges[child].size(); ++e) {
    const size_t t = frame_.edges[child][e].tensor;
    const EdgeSizes& own = all_sizes[e];
    EdgeWords& out = words->edges[e];
    for (size_t p = 0; p < none; ++p) {
      if (p == t) continue;
      if (!tensors_[t].slides) {
        out.phases[p].fill({out.per_group, out.per_lane});
        continue;
      }
      out.phases[p].fill({0, 0});
      for (size_t s = 0; s < 4; ++s) {
        if (s < 2 && !words->allowed[p][s]) continue;
        double g = kInfinity, l = kInfinity;
        if (s == 2) {
          Extents all_groups = own.whole, all_lanes = tile;
          for (size_t d = 0; d < dims; ++d) {
            if (Has(skipped_by_[p], d)) all_groups[d] = all_lanes[d] = bounds_[d];
          }
          const bool lane_gaps = (own.spread & sliding_ & skipped_by_[p]) != 0;
          g = ShareOf(t, all_groups, -1, own.gaps);
          l = ShareOf(t, all_lanes, -1, lane_gaps);
        } else if (s == 0) {
          Extents all_groups = own.whole, all_lanes = tile;
          for (size_t d = 0; d < dims; ++d) {
            if (!Has(skipped_by_[p], d)) continue;
            all_groups[d] = own.around[d];
            all_lanes[d] = own.range[d];
          }
          const bool lane_gaps = (own.spread & sliding_ & skipped_by_[p]) != 0;
          if (steady && (skipped_by_[p] & sliding_ & moving) == 0) {
            all_groups = own.whole;
            all_lanes = tile;
          }
          g = ShareOf(t, all_groups, -1, own.gaps);
          l = ShareOf(t, all_lanes, -1, lane_gaps);
        } else {
          const uint32_t moved = skipped_by_[p] & (s == 1 ? sliding_ & moving : above);
          for (size_t d = 0; d < dims; ++d) {
            if (!Has(moved, d)) continue;
            g = std::min(g, ShareOf(t, own.whole, static_cast<int>(d), own.gaps));
            l = std::min(l, ShareOf(t, tile, static_cast<int>(d), false));
          }
          if (g == kInfinity) g = l = 0;
          if (s == 1 && steady) {
            g = kInfinity;
            for (size_t d = 0; d < dims; ++d) {
              if (!Has(moved, d)) continue;
              const double undone = UndoneShare(t, d, moving, tile, sizes.tile_lo[child]);
              g = std::min(g, (1 - undone) * ShareOf(t, own.whole, static_cast<int>(d), own.gaps));
            }
            l = g;
          } else if (s == 1) {
            g += (own.first_groups - g) * first_part[p][1];
            l += (own.first_lanes - l) * first_part[p][1];
          }
        }
        out.phases[p][s] = {g * out.per_group, l * out.per_lane};
      }
    }
  }
}

// What passes by a level on its way to the next one, at least: it enters there once for each tile
// of the level.
struct BoxBounder::PassingBy {
  int tensor = -1;  // −1: nothing does
  double cost = 0;  // falls with the size below, if it is not above `most`
  double most = 0;
  double per_tile = 1;  // one over the tile's iterations that do not concern the tensor
};

// What passes by the level above `child`, whose words are counted.
BoxBounder::PassingBy BoxBounder::PassingByAbove(const Sizes& sizes, size_t child,
                                                 const LevelWords& words) const {
  for (size_t l = 0; l + 1 < child; ++l) {
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (sizes.lanes[l][d] > 1) return {};
    }
  }
  for (size_t e = 0; e < frame_.edges[child].size(); ++e) {
    const Edge& edge = frame_.edges[child][e];
    if (edge.parent + 1 == child || tensors_[edge.tensor].slides || edge.output) continue;
    const double price = edge.shares ? edge.at_parent : 0;
    const EdgeWords& own = words.edges[e];
    return {static_cast<int>(edge.tensor), price * std::min(own.per_outer, own.most_kept),
            price * own.most_kept, own.per_outer};
  }
  return {};
}

BoxBounder::PhaseCosts BoxBounder::CostsOf(const LevelWords& words, size_t child,
                                           const Weights& weights,
                                           const PassingBy& passing_by) const {
  PhaseCosts costs;
  costs.weights = weights;
  const size_t count = tensors_.size(), edges = frame_.edges[child].size();
  std::array<double, kMostTensors> at_groups{}, at_lanes{}, whole_at_groups{}, whole_at_lanes{};
  double constant = 0, at_floor = 0, in_place = 0;
  costs.none = 0;
  for (size_t e = 0; e < edges; ++e) {
    const Edge& edge = frame_.edges[child][e];
    const EdgeWords& edge_words = words.edges[e];
    at_groups[e] = (edge.shares ? edge.at_parent : 0) + edge.back;
    at_lanes[e] = edge.at_child + (edge.shares ? 0 : edge.at_parent);
    constant -= edge.back * edge_words.copies * whole_share_[edge.tensor];
    if (edge.parent + 1 < child) {
      constant += weights.once * at_groups[e] * whole_share_[edge.tensor];
      at_groups[e] *= 1 - weights.once;
    }
    if (edge.output && weights.drains && child == computes_from_[edge.tensor]) {
      constant += edge.at_child * edge_words.lane_copies * whole_share_[edge.tensor];
      at_lanes[e] -= edge.at_child;
    }
    whole_at_groups[e] = at_groups[e];
    whole_at_lanes[e] = at_lanes[e];
    if (tensors_[edge.tensor].slides) {
      at_floor += weights.floors * (at_groups[e] + at_lanes[e]) * edge_words.floor;
      in_place += weights.floors * (at_groups[e] + at_lanes[e]) * edge_words.in_place;
      at_groups[e] *= 1 - weights.floors;
      at_lanes[e] *= 1 - weights.floors;
    }
    costs.none += at_groups[e] * edge_words.none.groups + at_lanes[e] * edge_words.none.lanes;
  }
  costs.none = words.none_allowed ? costs.none + constant + at_floor - in_place : kInfinity;
  for (auto& cost : costs.normal) cost.fill(kInfinity);
  for (size_t s = 0; s < 4; ++s) {
    if (s == 2) {  // the words of the outer tile may be in place
      at_floor = in_place = 0;
      at_groups = whole_at_groups;
      at_lanes = whole_at_lanes;
    }
    for (size_t p = 0; p < count; ++p) {
      if (s < 2 && !words.allowed[p][s]) continue;
      double cost = constant + at_floor;
      if (s < 2) cost -= in_place * words.first_part[p][s];
      std::array<size_t, kMostTensors> others{};
      size_t number = 0;
      for (size_t e = 0; e < edges; ++e) {
        const EdgeWords::Words& moved = words.edges[e].phases[p][s];
        cost += at_groups[e] * moved.groups + at_lanes[e] * moved.lanes;
        if (frame_.edges[child][e].tensor != p) others[number++] = e;
      }
      if (number == 2) {
        const EdgeWords& a = words.edges[others[0]];
        const EdgeWords& b = words.edges[others[1]];
        cost += LeastRaise(at_groups[others[0]] * a.phases[p][s].groups,
                           at_groups[others[1]] * b.phases[p][s].groups,
                           1 / (a.per_group * b.per_group * words.all_words[p]));
        cost += LeastRaise(at_lanes[others[0]] * a.phases[p][s].lanes,
                           at_lanes[others[1]] * b.phases[p][s].lanes,
                           1 / (a.per_lane * b.per_lane * words.tile_words[p]));
      }
      (s < 2 ? costs.normal : costs.still)[p][s % 2] = cost;
      if (s > 1) continue;
      costs.raise[p][s] = 0;
      if (passing_by.tensor < 0 || passing_by.tensor == static_cast<int>(p) || number != 1)
        continue;
      const EdgeWords& other = words.edges[others[0]];
      const double raise =
          LeastRaise(at_groups[others[0]] * other.phases[p][s].groups, passing_by.cost,
                     1 / (other.per_group * passing_by.per_tile * words.all_words[p]));
      costs.raise[p][s] = std::min(raise, passing_by.most - passing_by.cost);
    }
  }
  return costs;
}

// The cheapest phases of all levels. `through`: those of a tensor that stays in place in the next
// level, too.
double BoxBounder::Combine(const NormalCosts& normal, Still still_in, const ThroughCosts& through,
                           const std::array<size_t, kMostLevels>& choice) const {
  const size_t levels = frame_.levels, none = tensors_.size();
  double inner = 0, passing = 1;
  std::array<std::array<double, 2>, kMostTensors> inner_still;
  for (size_t c = levels - 1; c > 0; --c) {
    const PhaseCosts& own = normal[c][choice[c]];
    std::array<std::array<double, 2>, kMostTensors> still;
    double any = own.none + inner;
    for (size_t t = 0; t < none; ++t) {
      for (size_t s = 0; s < 2; ++s) {
        still[t][s] = own.still[t][s] + inner;
        any = std::min(any, own.normal[t][s] + own.raise[t][s] * passing + inner);
      }
    }
    for (size_t t = 0; t < none && c + 1 < levels && still_in != Still::kNever; ++t) {
      if (skipped_by_[t] == 0) continue;
      const PhaseCosts& on_way = still_in == Still::kCounted ? through[c][choice[c]][t] : own;
      for (size_t s = 0; s < 2; ++s) {
        any = std::min(any, on_way.normal[t][s] + inner_still[t][s]);
        still[t][s] = std::min(still[t][s], on_way.still[t][s] + inner_still[t][s]);
      }
    }
    inner = any;
    inner_still = still;
    passing = 1 - own.weights.once;
  }
  return inner;
}

LowerBound BoxBounder::BoundOf(const BoxRange& range) const {
  Sizes sizes;
  Measure(range, &sizes);
  const size_t levels = frame_.levels, dims = dims_.size(), none = tensors_.size();
  LowerBound bound;
  double steps = 1;
  for (size_t d = 0; d < dims; ++d) {
    double lanes = 1;
    for (size_t l = 0; l < levels; ++l) lanes *= sizes.lanes[l][d];
    steps *= std::ceil(bounds_[d] / lanes * (1 - 1e-12));
  }
  bound.cycles = std::max(steps, std::ceil(operations_ / frame_.instances[levels] * (1 - 1e-12)));

  double per_operation = frame_.compute_pj;
  for (const Edge& edge : frame_.edges[levels]) {
    Extents points{};
    double irrelevant = 1;
    size_t fanouts = 0;
    for (size_t l = edge.parent; l + 1 < levels; ++l) {
      bool any = false;
      for (size_t d = 0; d < dims; ++d) any = any || sizes.lanes[l][d] > 1;
      if (any) ++fanouts;
    }
    for (size_t d = 0; d < dims; ++d) {
      points[d] = 1;
      for (size_t l = edge.parent; l < levels; ++l) points[d] *= sizes.lanes[l][d];
      points[d] = std::min(points[d], sizes.tile[edge.parent][d]);
      if (skips_[d] == static_cast<int>(edge.tensor)) irrelevant *= points[d];
    }
    double lanes_product = 1;
    for (size_t l = edge.parent; l < levels; ++l) {
      lanes_product *= sizes.lanes_product[l][edge.tensor];
    }
    const double copies = CopiesIn(sizes, edge.tensor, edge.parent);
    irrelevant = std::min(irrelevant, lanes_product);
    const double groups = ShareOf(edge.tensor, points, -1, fanouts > 0) / irrelevant;
    per_operation += (edge.shares ? groups : 1) * edge.at_parent;
    if (edge.output) {
      per_operation += edge.back * (groups - copies * whole_share_[edge.tensor]);
    }
  }

  // No weights make a bound wrong; the best are found by trying.
  constexpr std::array kFloors = {0.0, 0.5, 1.0}, kOnce = {0.0, 0.6, 1.0};
  NormalCosts normal;
  std::array<size_t, kMostLevels> choices;
  LevelWords words;
  PassingBy passing_by;
  for (size_t c = levels - 1; c > 0; --c) {
    bool slides = false, passes = false;
    for (const Edge& edge : frame_.edges[c]) {
      slides = slides || tensors_[edge.tensor].slides;
      passes = passes || edge.parent + 1 < c;
    }
    CountWords(sizes, c, -1, &words);
    const bool drains = CostsOf(words, c, {0, 0, true}, passing_by).Least(none) >
                        CostsOf(words, c, {0, 0, false}, passing_by).Least(none);
    choices[c] = 0;
    for (const double floors : kFloors) {
      for (const double once : kOnce) {
        if ((floors > 0 && !slides) || (once > 0 && !passes)) continue;
        normal[c][choices[c]++] = CostsOf(words, c, {floors, once, drains}, passing_by);
      }
    }
    passing_by = PassingByAbove(sizes, c, words);
  }
  ThroughCosts through;
  const auto best = [&](Still still) {
    double entering = -kInfinity;
    std::array<size_t, kMostLevels> choice{};
    for (bool more = true; more;) {
      entering = std::max(entering, Combine(normal, still, through, choice));
      more = false;
      for (size_t c = 1; c < levels && !more; ++c) {
        more = ++choice[c] < choices[c];
        if (!more) choice[c] = 0;
      }
    }
    return entering;
  };
  double entering = best(Still::kForNothing);
  if (levels > 2 && entering < best(Still::kNever)) {
    for (size_t c = 1; c + 1 < levels; ++c) {
      for (size_t t = 0; t < none; ++t) {
        if (skipped_by_[t] == 0) continue;
        CountWords(sizes, c, static_cast<int>(t), &words);
        for (size_t f = 0; f < choices[c]; ++f) {
          through[c][f][t] = CostsOf(words, c, normal[c][f].weights, {});
        }
      }
    }
    entering = best(Still::kCounted);
  }
  per_operation += entering;
  bound.energy_pj = operations_ * per_operation + bound.cycles * frame_.leakage_pj;
  return bound;
}

}  // namespace inlay::exact_search
