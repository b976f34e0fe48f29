#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/mapper/exact/box_bound_parts.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Real(int64_t n) { return static_cast<double>(n); }

}  // namespace

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
                                                                 size_t in_place,
                                                                 size_t* dims) const {
  constexpr size_t kMost = 16;
  std::vector<SecondRounds> all(1);
  all[0].scale.fill(1);
  for (size_t d = 0; d < dims_.size() && !equal_lanes_; ++d) {
    const double lanes = sizes.lanes[child][d];
    if (Has(skipped_by_[in_place], d) || lanes == 1) continue;
    const double first =
        std::clamp(lanes * sizes.tile[child + 1][d] / sizes.tile[child][d], 0.5, 1.0);
    ++*dims;
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

// Of the iterations of a tile along a dimension, those of lanes inside that are idle in the next
// one, the short last one of two, and at work in one round of this one, at most.
double BoxBounder::IdleAlong(const Sizes& sizes, size_t level, size_t dim) const {
  if (sizes.lanes[level][dim] == 1 || !Has(sizes.moved_above[level], dim)) return 0;
  bool even = true;  // no tile is short
  for (size_t l = 0; l < level; ++l) {
    even = even && sizes.lanes[l][dim] == 1 && sizes.tile[l][dim] == sizes.tile_lo[l][dim] &&
           sizes.tile[l + 1][dim] == sizes.tile_lo[l + 1][dim] &&
           std::fmod(sizes.tile[l][dim], sizes.tile[l + 1][dim]) == 0;
  }
  const double round = sizes.lanes[level][dim] * sizes.tile[level + 1][dim];
  const double smallest = sizes.tile_lo[level][dim];
  const double largest = std::min({sizes.tile[level][dim], bounds_[dim] - 1, 2 * round});
  if (even || largest < smallest) return 0;
  const double in_one_round = round < smallest ? 2 * round - smallest : largest;
  // With nothing outside to cut it, both tiles together are the whole dimension.
  if (level == 1 && sizes.lanes[0][dim] == 1) {
    return std::clamp(2 * largest - bounds_[dim], 0.0, std::max(0.0, in_one_round)) / bounds_[dim];
  }
  return std::clamp(in_one_round / smallest, 0.0, 1 - 1 / largest);
}

// Of the iterations of a level's tiles, those of lanes inside that find a tensor where it was two
// tiles before, at most: its dimensions have moved, but in the tile in between, the short last one
// of two, the lane was idle.
double BoxBounder::IdleShare(const Sizes& sizes, size_t level, size_t tensor) const {
  if (level == 0 || level + 1 == keep_case_.levels || equal_lanes_) return 0;
  if ((skipped_by_[tensor] & sizes.moved_above[level]) == 0) return 0;
  double share = 0;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (Has(skipped_by_[tensor], d)) continue;
    double along = IdleAlong(sizes, level, d);
    for (size_t e = 0; e < dims_.size() && level == 1; ++e) {
      if (e != d && !Has(skipped_by_[tensor], e)) along *= InOneRound(sizes, e);
    }
    share += along;
  }
  return share;
}

// Of the iterations of tiles of level 1, those of lanes that are at work in one round only, at
// most.
double BoxBounder::InOneRound(const Sizes& sizes, size_t dim) const {
  if (sizes.lanes[0][dim] > 1) return 1;
  const double lo = sizes.tile_lo[1][dim], hi = sizes.tile[1][dim];
  const double round = sizes.lanes[1][dim] * sizes.tile[2][dim];
  double full = 1;
  if (round < lo) full = sizes.lanes[1][dim] == 1 ? 0 : std::max(0.0, 2 * round / lo - 1);
  // The short last tile may be so short that there is one round.
  const double last = lo == hi ? std::fmod(bounds_[dim], lo) : std::min(hi, bounds_[dim] / 2);
  return full + (1 - full) * last / bounds_[dim];
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
  for (size_t e = 0; e < keep_case_.edges[child].size(); ++e) {
    const Edge& edge = keep_case_.edges[child][e];
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

}  // namespace inlay::exact_search
