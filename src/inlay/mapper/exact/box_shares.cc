#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/mapper/exact/box_bound_parts.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Different values of a·i + b·j for n values of i and m of j, over n·m; a and b have no common
// divisor. Falls with n and m.
double ShareOfSums(double a, double b, double n, double m) {
  return 1 - std::max(0.0, 1 - b / n) * std::max(0.0, 1 - a / m);
}

}  // namespace

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
  return std::min(copies, keep_case_.instances[level]);
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

}  // namespace inlay::exact_search
