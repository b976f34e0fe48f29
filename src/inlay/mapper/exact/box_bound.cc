#include "inlay/mapper/exact/box_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/base/check.h"
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

// Two costs, each inversely proportional to a size; the product of the sizes is `excess` times too
// large. What it costs more to make them as small as they have to be.
double LeastRaise(double a, double b, double excess) {
  if (!(excess > 1) || a <= 0 || b <= 0) return 0;
  const double factor = std::clamp(std::sqrt(excess * b / a), 1.0, excess);
  return a * (factor - 1) + b * (excess / factor - 1);
}

}  // namespace

bool BoxBounder::Applies(const Space& space) {
  const Problem& problem = space.problem;
  if (space.mapspace == Mapspace::kPadded || space.mapspace == Mapspace::kUneven) return false;
  if (problem.tensors.size() > kMostTensors || space.architecture.levels.size() > kMostLevels) {
    return false;
  }
  size_t dims = 0;
  for (const DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound == 1) continue;
    if (++dims > kMostDims || problem.dims[d].bound > kMostSize) return false;
    size_t free = 0;  // tensors that the dimension does not concern
    for (const Tensor& tensor : problem.tensors) {
      bool concerns = false;
      for (const Rank& rank : tensor.ranks) {
        for (const inlay::Term& term : rank.terms) {
          concerns = concerns || (term.dim == d && term.coefficient != 0);
        }
      }
      if (!concerns) ++free;
    }
    if (free > 1) return false;
  }
  return true;
}

BoxBounder::BoxBounder(const Space& space, const Frame& frame)
    : space_(space),
      frame_(frame),
      equal_lanes_(space.mapspace == Mapspace::kPerfect || ComputeLanes(space.architecture) == 1) {
  INLAY_CHECK(Applies(space));
  const Problem& problem = space.problem;
  for (const DimId d : Ids(problem.dims)) {
    if (problem.dims[d].bound == 1) continue;
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
    const int64_t last = std::min<int64_t>({lanes->lo[d], range_x.max, most_x / on_x});
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

// Words per operation that enter a level over one edge.
struct BoxBounder::EdgeWords {
  // By the tensor in place: some dimension moves that is in no rank of several; only such as are.
  // Then the same for phases that began further out.
  std::array<std::array<Words, 4>, kMostTensors> phases;
  Words none;  // no tensor in place
  double per_group = 1, per_lane = 1, per_outer = 1;
  double most_kept = 1;  // for lanes that may be idle, not even once per outer tile
  bool even = true;  // lanes that share have as many steps of a phase in which nothing else moves
  double copies = 1, lane_copies = 1;  // of a word, in instances of the parent and of the child
};

struct BoxBounder::LevelWords {
  std::array<EdgeWords, kMostTensors> edges;
  std::array<std::array<bool, 2>, kMostTensors> allowed;
  bool none_allowed = true;
  // Of the iterations of a lane's phase those of its first step, as far as its sizes tell.
  std::array<std::array<double, 2>, kMostTensors> first_part;
  std::array<double, kMostTensors> tile_words, all_words;
};

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

// The same of lanes that share words, over what all of them do along the rank. The words are
// shared out equally or, if `share_out` is one of its two dimensions, by what a lane has along it.
double BoxBounder::GroupRankShare(const std::vector<Term>& rank, const Extents& tile, int moved,
                                  const EdgeSizes& own, int share_out) const {
  const double share = RankShare(rank, tile, moved, false);
  const double meet = MostThatMeet(rank, own);
  if (meet == 1 || share_out < 0) return share / meet;
  const Term& y = rank[static_cast<size_t>(share_out)];
  const Term& x = rank[static_cast<size_t>(1 - share_out)];
  const double whole = own.whole[y.dim];
  const double parts = std::min(whole, whole / x.coefficient + meet * (1 - 1 / x.coefficient));
  if (moved < 0 || x.dim == static_cast<size_t>(moved)) return std::min(share, 1 / parts);
  return std::min({share, 1 / parts, y.coefficient / (tile[x.dim] * parts)});
}

// Lanes with the same words along a rank, at most.
double BoxBounder::MostThatMeet(const std::vector<Term>& rank, const EdgeSizes& own) const {
  double all = 1, most = 1;
  for (const Term& term : rank) {
    all *= own.lanes[term.dim];
    most = std::max(most, own.lanes[term.dim]);
  }
  double meet = all / most;
  if (rank.size() != 2 || meet == 1) return meet;
  for (size_t y = 0; y < 2; ++y) {
    const double apart = rank[1 - y].coefficient / rank[y].coefficient;
    meet = std::min(meet, 1 + (own.whole[rank[y].dim] - 1) / apart);
  }
  return meet;
}

// Words that enter a lane at a step over its iterations, the least over the dimensions that may
// move.
double BoxBounder::MovedShare(size_t tensor, const Extents& tile, uint32_t movable) const {
  return LeastMovedShare(tensor, movable,
                         [&](int moved) { return ShareOf(tensor, tile, moved, false); });
}

// The same of words that lanes share.
double BoxBounder::GroupMovedShare(size_t tensor, const Extents& tile, uint32_t movable,
                                   const EdgeSizes& own) const {
  if (!own.by_rank) return MovedShare(tensor, tile, movable) / own.meet;
  return LeastMovedShare(tensor, movable,
                         [&](int moved) { return GroupShare(tensor, tile, moved, own); });
}

double BoxBounder::GroupShare(size_t tensor, const Extents& tile, int moved,
                              const EdgeSizes& own) const {
  const BoxTensor& t = tensors_[tensor];
  const int rank_moved = moved < 0 ? -1 : t.rank_of[static_cast<size_t>(moved)];
  double share = 1;
  for (size_t r = 0; r < t.ranks.size(); ++r) {
    const int here = static_cast<int>(r) == rank_moved ? moved : -1;
    share *= GroupRankShare(t.ranks[r], tile, here, own, own.share_out[r]);
  }
  return share;
}

// One way for all steps and lanes: else a word might be shared out twice.
void BoxBounder::ChooseSharing(size_t tensor, const Extents& tile, EdgeSizes* own) const {
  const BoxTensor& t = tensors_[tensor];
  own->share_out.fill(-1);
  for (size_t r = 0; r < t.ranks.size(); ++r) {
    double most = GroupRankShare(t.ranks[r], tile, -1, *own, -1);
    for (int y = 0; y < 2 && t.ranks[r].size() == 2; ++y) {
      const double share = GroupRankShare(t.ranks[r], tile, -1, *own, y);
      if (share <= most) continue;
      most = share;
      own->share_out[r] = y;
    }
  }
  own->by_rank = GroupShare(tensor, tile, -1, *own) > ShareOf(tensor, tile, -1, false) / own->meet;
}

template <typename Share>
double BoxBounder::LeastMovedShare(size_t tensor, uint32_t movable, const Share& share_of) const {
  const BoxTensor& t = tensors_[tensor];
  if (!t.slides) return 1;
  double least = kInfinity;
  for (const auto& rank : t.ranks) {
    size_t moving = 0;
    for (const Term& term : rank) {
      if (!Has(movable, term.dim)) continue;
      ++moving;
      least = std::min(least, share_of(static_cast<int>(term.dim)));
    }
    if (moving > 1) return 0;  // one may undo the way of the other
  }
  return least < kInfinity ? least : share_of(-1);
}

// The steps of a lane of a level within a tile of the next level outwards.
struct BoxBounder::LaneSteps {
  Extents tile, range, rounds;     // a step; all of them; their number at most
  uint32_t moving = 0, above = 0;  // dimensions that may move within the outer tile; at all
  bool steady = false;
};

BoxBounder::LaneSteps BoxBounder::StepsOf(const Sizes& sizes, size_t child,
                                          const InPlace& in_place) const {
  LaneSteps steps;
  steps.above = sizes.moved_above[child];
  steps.moving = sizes.moved_at[child - 1];
  steps.tile = sizes.tile[child];
  // Where nothing is shared out above, each dimension has one loop outside, always as long, and the
  // innermost of them moves at every step.
  steps.steady = child == 1;
  for (size_t d = 0; d < dims_.size(); ++d) {
    steps.steady = steps.steady && sizes.lanes[0][d] == 1;
    // No loop of the level moves the tensor, so its dimensions are no longer than the lanes take.
    if (in_place.tensor >= 0 && skips_[d] != in_place.tensor) {
      const double lanes = sizes.lanes[child][d];
      steps.tile[d] = std::min(steps.tile[d], lanes * sizes.tile[child + 1][d]);
    }
    const double outer = sizes.tile[child - 1][d];
    steps.rounds[d] = std::floor((outer - 1) / sizes.step_lo[child - 1][d]) + 1;
    steps.range[d] = std::min(outer, steps.rounds[d] * steps.tile[d]);
    steps.range[d] = std::max(steps.range[d], steps.tile[d]);
  }
  return steps;
}

// Where some lanes of the next level inwards, idle in a short second round along some dimensions,
// find a tensor in place and the others do not: the extremes.
std::vector<BoxBounder::SecondRounds> BoxBounder::SecondRoundsOf(const Sizes& sizes, size_t child,
                                                                 size_t in_place) const {
  constexpr size_t kMost = 16;
  std::vector<SecondRounds> all(1);
  all[0].scale.fill(1);
  for (size_t d = 0; d < dims_.size() && !equal_lanes_; ++d) {
    const double lanes = sizes.lanes[child][d];
    if (Has(skipped_by_[in_place], d) || lanes == 1) continue;
    const double first =
        std::clamp(lanes * sizes.tile[child + 1][d] / sizes.tile[child][d], 0.5, 1.0);
    if (first == 1) continue;
    const bool each = all.size() < kMost;
    for (size_t i = 0, count = all.size(); i < count; ++i) {
      SecondRounds with = all[i];
      for (size_t t = 0; t < tensors_.size(); ++t) {
        const int rank = tensors_[t].rank_of[d];
        if (rank < 0 || tensors_[t].ranks[static_cast<size_t>(rank)].size() > 1) {
          with.scale[t] *= first;
        }
      }
      if (each) {
        with.share *= 2 * first - 1;
        all.push_back(with);
      } else {
        all[i] = with;
      }
    }
  }
  return all;
}

// The sizes of an edge.
BoxBounder::EdgeSizes BoxBounder::SizesOf(const Sizes& sizes, const LaneSteps& steps,
                                          const Edge& edge, size_t child, bool still) const {
  EdgeSizes own;
  for (size_t l = edge.parent; l < child; ++l) {
    own.lanes_product *= sizes.lanes_product[l][edge.tensor];
    if (l + 1 < child) own.outer_product *= sizes.lanes_product[l][edge.tensor];
  }
  for (size_t d = 0; d < dims_.size(); ++d) {
    double outer_lanes = 1;
    for (size_t l = edge.parent; l + 1 < child; ++l) outer_lanes *= sizes.lanes[l][d];
    own.lanes[d] = outer_lanes * sizes.lanes[child - 1][d];
    if (own.lanes[d] > 1) own.spread |= uint32_t{1} << d;
    if (outer_lanes > 1) own.nested |= uint32_t{1} << d;
    const double room = sizes.tile[edge.parent][d];
    own.whole[d] = std::min(room, steps.tile[d] * own.lanes[d]);
    own.around[d] = std::min(room, sizes.tile[child - 1][d] * outer_lanes);
  }
  own.apart = still && own.spread != 0;
  for (size_t d = 0; d < dims_.size() && own.apart; ++d) {  // others need not find it in place
    const double room = sizes.tile[edge.parent][d];
    own.whole[d] = std::max(own.whole[d], std::min(room, sizes.tile[child][d] * own.lanes[d]));
  }
  own.first = MovedShare(edge.tensor, steps.tile, steps.above);
  return own;
}

// Lanes that share words though they differ along dimensions of the tensor, at most: of `whole`
// iterations that do not concern it together, `lane` each.
double BoxBounder::LanesThatMeet(const Sizes& sizes, const EdgeSizes& own, const Edge& edge,
                                 size_t child, double lane, double whole) const {
  double meet = 1, most_terms = 1;
  uint32_t others = 0;
  for (const auto& rank : tensors_[edge.tensor].ranks) {
    if (rank.size() == 1) others |= uint32_t{1} << rank[0].dim;
    meet *= MostThatMeet(rank, own);
    most_terms = std::max(most_terms, static_cast<double>(rank.size()));
  }
  if (meet == 1) return 1;
  double lanes = 1;  // for these dimensions, and for those that do not concern the tensor
  for (size_t l = edge.parent; l < child; ++l) {
    lanes *= Real(MostLanes(l, Axis::kX)) * Real(MostLanes(l, Axis::kY));
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (Has(others, d)) lanes /= sizes.lanes_lo[l][d];
    }
  }
  const double left = std::pow(lanes * lane / whole, 1 - 1 / most_terms) * (1 + 1e-12);
  return std::clamp(left, 1.0, meet);
}

// The words of a tensor in its own phases.
void BoxBounder::CountOwnPhases(const Sizes& sizes, const LaneSteps& steps, const Edge& edge,
                                size_t child, bool cut, EdgeSizes* own, EdgeWords* out) const {
  const size_t t = edge.tensor;
  // Products over the dimensions that do not concern the tensor.
  double whole = 1, around = 1, slides_around = 1, part = 1;
  bool slides = false;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (!Has(skipped_by_[t], d)) continue;
    const bool sliding = Has(sliding_, d);
    const bool idle = Has(own->spread, d) && steps.rounds[d] > 1 && !equal_lanes_;
    slides = slides || (sliding && Has(steps.moving, d));
    whole *= own->whole[d];
    around *= own->around[d];
    slides_around *= sliding || idle ? own->around[d] : own->whole[d];
    if (idle) part *= Has(own->nested, d) ? 1 / steps.rounds[d] : 0.5;
  }
  const double outer = sizes.tile_product[child - 1][t];
  around = std::min(around, outer * own->outer_product);
  const double lane = LaneOf(sizes, steps, t, child, cut);
  if (!own->apart) whole = std::min(whole, lane * own->lanes_product);
  whole = std::min(whole, around);
  out->per_group = 1 / whole;
  out->per_lane = 1 / lane;
  out->per_outer = 1 / around;
  out->most_kept = out->per_group * part;
  own->meet = LanesThatMeet(sizes, *own, edge, child, lane, whole);
  ChooseSharing(t, steps.tile, own);
  out->even = equal_lanes_ || !slides || (own->spread & skipped_by_[t]) == 0;
  own->first_groups = GroupMovedShare(t, steps.tile, steps.above, *own);
  out->none = {own->first_groups * out->per_group, own->first * out->per_lane};
  for (size_t s = 0; s < 2; ++s) {
    const double most = std::max(whole, s == 0 ? around : std::min(slides_around, around));
    out->phases[t][s] = {out->none.groups * std::min(part, whole / most),
                         out->none.lanes * FirstPart(sizes, steps, t, child, s == 1, lane)};
  }
  out->phases[t][2] = out->phases[t][3] = {0, 0};
}

// Iterations of a lane's tile that do not concern a tensor.
double BoxBounder::LaneOf(const Sizes& sizes, const LaneSteps& steps, size_t t, size_t child,
                          bool cut) const {
  double lane = 1;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (Has(skipped_by_[t], d)) lane *= steps.tile[d];
  }
  return cut ? lane : std::min(lane, sizes.tile_product[child][t]);
}

// Those over all that the lane does in the tile of the next level outwards; along no other
// dimensions than such as slide if `only_sliding`.
double BoxBounder::FirstPart(const Sizes& sizes, const LaneSteps& steps, size_t t, size_t child,
                             bool only_sliding, double lane) const {
  double range = 1;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (!Has(skipped_by_[t], d)) continue;
    range *= only_sliding && !Has(sliding_, d) ? steps.tile[d] : steps.range[d];
  }
  range = std::min(range, sizes.tile_product[child - 1][t]);
  return lane / std::max(lane, range);
}

// The share of a sliding tensor's words that enters at the steps of a phase of another one, of the
// lanes that share words and of each.
BoxBounder::Words BoxBounder::SharesInPhase(const Sizes& sizes, const LaneSteps& steps,
                                            const EdgeSizes& own, size_t t, size_t phase,
                                            size_t kind, size_t child, double first_part) const {
  const uint32_t free = skipped_by_[phase];
  if (kind == 1 && steps.steady) {  // no lanes
    double least = kInfinity;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (!Has(free & sliding_ & steps.moving, d)) continue;
      Extents tile = sizes.tile[child];
      tile[d] = std::min(tile[d], bounds_[d] - 1);  // else it would not move
      const double undone = UndoneShare(t, d, steps.moving, tile, sizes.tile_lo[child]);
      least = std::min(least, (1 - undone) * ShareOf(t, steps.tile, static_cast<int>(d), false));
    }
    return {least, least};
  }
  const uint32_t moved = free & (kind > 1    ? steps.above
                                 : kind == 1 ? sliding_ & steps.moving
                                             : steps.moving);
  Words shares = {GroupMovedShare(t, steps.tile, moved, own), MovedShare(t, steps.tile, moved)};
  if (kind == 1) {
    shares.groups += (own.first_groups - shares.groups) * first_part;
    shares.lanes += (own.first - shares.lanes) * first_part;
  } else if (kind == 0) {  // or all words of the phase, if that is more
    Extents all = steps.tile;
    bool gaps = false;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (!Has(free, d)) continue;
      all[d] = steps.range[d];
      gaps = gaps || (Has(sliding_ & steps.moving, d) && sizes.lanes[child - 1][d] > 1);
    }
    const double share = ShareOf(t, all, -1, gaps);
    if (!own.by_rank) shares.groups = std::max(shares.groups, share / own.meet);
    shares.lanes = std::max(shares.lanes, share);
  }
  return shares;
}

void BoxBounder::CountWords(const Sizes& sizes, size_t child, const InPlace& in_place,
                            LevelWords* words) const {
  const size_t count = tensors_.size();
  const LaneSteps steps = StepsOf(sizes, child, in_place);
  const int still = in_place.tensor;
  words->none_allowed = !steps.steady || steps.moving == 0 || (steps.moving & ~skipped_) != 0;
  for (size_t p = 0; p < count; ++p) {
    words->allowed[p][0] = (skipped_by_[p] & ~sliding_ & steps.moving) != 0;
    words->allowed[p][1] = (skipped_by_[p] & sliding_ & steps.moving) != 0;
    words->tile_words[p] = sizes.tile_words[child][p];
    words->all_words[p] = sizes.all_words[child][p];
    const bool cut = still >= 0 && static_cast<size_t>(still) != p;
    const double lane = LaneOf(sizes, steps, p, child, cut);
    for (size_t s = 0; s < 2; ++s) {
      words->first_part[p][s] = FirstPart(sizes, steps, p, child, s == 1, lane);
    }
    if (still != static_cast<int>(p) || in_place.partly) continue;
    bool apart = false;
    for (size_t d = 0; d < dims_.size(); ++d) {
      for (size_t l = 0; l < child; ++l) apart = apart || sizes.lanes[l][d] > 1;
    }
    if (apart) continue;
    words->tile_words[p] = std::min(words->tile_words[p], sizes.all_words[child + 1][p]);
    words->all_words[p] = std::min(words->all_words[p], sizes.all_words[child + 1][p]);
  }
  for (size_t e = 0; e < frame_.edges[child].size(); ++e) {
    const Edge& edge = frame_.edges[child][e];
    const size_t t = edge.tensor;
    EdgeSizes own = SizesOf(sizes, steps, edge, child, still >= 0);
    EdgeWords& out = words->edges[e];
    out.copies = CopiesIn(sizes, t, edge.parent);
    out.lane_copies = CopiesIn(sizes, t, child);
    const bool cut = still >= 0 && static_cast<size_t>(still) != t;
    CountOwnPhases(sizes, steps, edge, child, cut, &own, &out);
    for (size_t p = 0; p < count; ++p) {
      if (p == t) continue;
      for (size_t s = 0; s < 4; ++s) {
        out.phases[p][s] = {out.per_group, out.per_lane};
        if (!tensors_[t].slides) continue;
        out.phases[p][s] = {0, 0};
        if (s < 2 && !words->allowed[p][s]) continue;
        const Words shares =
            SharesInPhase(sizes, steps, own, t, p, s, child, words->first_part[p][s % 2]);
        out.phases[p][s] = {shares.groups * out.per_group, shares.lanes * out.per_lane};
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
                                           const Weights& weights, const PassingBy& passing_by,
                                           int in_place) const {
  PhaseCosts costs;
  costs.weights = weights;
  const size_t count = tensors_.size(), edges = frame_.edges[child].size();
  std::array<double, kMostTensors> at_groups{}, at_lanes{};
  double constant = 0;
  costs.none = 0;
  costs.passing_by = passing_by.tensor;
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
    if (tensors_[edge.tensor].slides) {
      constant += weights.floors * (at_groups[e] + at_lanes[e]) * whole_share_[edge.tensor];
      at_groups[e] *= 1 - weights.floors;
      at_lanes[e] *= 1 - weights.floors;
    }
    costs.none += at_groups[e] * edge_words.none.groups + at_lanes[e] * edge_words.none.lanes;
  }
  costs.none = words.none_allowed ? costs.none + constant : kInfinity;
  costs.constant = constant;
  for (auto& cost : costs.normal) cost.fill(kInfinity);
  for (auto& raise : costs.raise) raise.fill(0);
  for (auto& parts : costs.parts) parts.fill(0);
  for (size_t s = 0; s < 4; ++s) {
    for (size_t p = 0; p < count; ++p) {
      if (s < 2 && !words.allowed[p][s]) continue;
      double cost = constant, at_first = constant;
      bool even = true;
      std::array<size_t, kMostTensors> others{};
      size_t number = 0;
      for (size_t e = 0; e < edges; ++e) {
        const EdgeWords& edge = words.edges[e];
        const size_t t = frame_.edges[child][e].tensor;
        const Words& moved = edge.phases[p][s];
        const double part = at_groups[e] * moved.groups + at_lanes[e] * moved.lanes;
        // Of a lane whose phase is nearly all first step, though that of others is not.
        const double groups = t == p ? moved.groups : edge.none.groups;
        const double first = at_groups[e] * groups + at_lanes[e] * edge.none.lanes;
        cost += part;
        at_first += first;
        if (t == p) even = edge.even;
        if (t != p) others[number++] = e;
        if (in_place == static_cast<int>(p))
          costs.parts[s][t] = s == 1 ? std::min(part, first) : part;
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
      if (s == 1 && !even) cost = std::min(cost, at_first);
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

// Where a tensor is in place in the next level, too, at least for some of its lanes.
double BoxBounder::ThroughCost(const Through& through, size_t t, size_t s, double inner,
                               double inner_still) {
  const PhaseCosts& costs = through.costs;
  const double whole = (s < 2 ? costs.normal : costs.still)[t][s % 2];
  if (whole == kInfinity) return whole;
  const std::array<double, kMostTensors>& parts = costs.parts[s];
  double rest = whole - costs.constant;
  for (const double part : parts) rest -= part;
  double least = kInfinity;
  for (const SecondRounds& one : through.rounds) {
    double cost = costs.constant, scale = 1;
    for (size_t u = 0; u < parts.size(); ++u) {
      cost += one.scale[u] * parts[u];
      scale = std::min(scale, one.scale[u]);
    }
    cost += scale * std::max(0.0, rest);
    least =
        std::min(least, cost + one.share * std::min(inner, inner_still) + (1 - one.share) * inner);
  }
  return least;
}

// The cheapest phases of all levels. `through`: those of a tensor that stays in place in the next
// level, too.
double BoxBounder::Combine(const NormalCosts& normal, Still still_in, const ThroughCosts& through,
                           const std::array<size_t, kMostLevels>& choice) const {
  const size_t levels = frame_.levels, none = tensors_.size();
  // Of the next level inwards and all inside it: the least; by its phases, the last are of no
  // tensor; with a tensor in place.
  double inner = 0, passing = 1;
  std::array<double, kMostTensors + 1> inner_by;
  std::array<std::array<double, 2>, kMostTensors> inner_still;
  inner_by.fill(kInfinity);
  for (size_t c = levels - 1; c > 0; --c) {
    const PhaseCosts& own = normal[c][choice[c]];
    double inner_raised = kInfinity, inner_rest = inner;
    if (own.passing_by >= 0) {
      inner_rest = kInfinity;
      for (size_t p = 0; p <= none; ++p) {
        (static_cast<int>(p) == own.passing_by ? inner_raised : inner_rest) = std::min(
            static_cast<int>(p) == own.passing_by ? inner_raised : inner_rest, inner_by[p]);
      }
    }
    std::array<double, kMostTensors + 1> by;
    std::array<std::array<double, 2>, kMostTensors> still;
    by.fill(kInfinity);
    by[none] = own.none + inner;
    for (size_t t = 0; t < none; ++t) {
      for (size_t s = 0; s < 2; ++s) {
        still[t][s] = own.still[t][s] + inner;
        by[t] = std::min(by[t], own.normal[t][s] +
                                    std::min(inner_rest, inner_raised + own.raise[t][s] * passing));
      }
    }
    for (size_t t = 0; t < none && c + 1 < levels && still_in != Still::kNever; ++t) {
      if (skipped_by_[t] == 0) continue;
      for (size_t s = 0; s < 2; ++s) {
        if (still_in == Still::kForNothing) {
          by[t] = std::min(by[t], own.normal[t][s] + inner_still[t][s]);
          still[t][s] = std::min(still[t][s], own.still[t][s] + inner_still[t][s]);
          continue;
        }
        const Through& on_way = through[c][choice[c]][t];
        by[t] = std::min(by[t], ThroughCost(on_way, t, s, inner, inner_still[t][s]));
        still[t][s] =
            std::min(still[t][s], ThroughCost(on_way, t, s + 2, inner, inner_still[t][s]));
      }
    }
    inner = *std::min_element(by.begin(), by.begin() + static_cast<std::ptrdiff_t>(none) + 1);
    inner_by = by;
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
    CountWords(sizes, c, {}, &words);
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
        const std::vector<SecondRounds> rounds = SecondRoundsOf(sizes, c, t);
        bool partly = false;
        for (size_t d = 0; d < dims && !equal_lanes_; ++d) {
          partly = partly || (!Has(skipped_by_[t], d) && sizes.lanes[c][d] > 1);
        }
        CountWords(sizes, c, {static_cast<int>(t), partly}, &words);
        for (size_t f = 0; f < choices[c]; ++f) {
          through[c][f][t] = {CostsOf(words, c, normal[c][f].weights, {}, static_cast<int>(t)),
                              rounds};
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
