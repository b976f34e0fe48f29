#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "inlay/mapper/exact/bound.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The least of Σ over all combinations of tiles of (1 − less + Σ coefficient × (size − 1)), where
// dimension d has n tiles, lo ≤ n ≤ hi, of `size` iterations together. It is linear in each n, so
// the least is at a corner.
struct Tiles {
  double coefficient = 1, lo = 1, hi = 1, size = 1;
};
double LeastSum(const Tiles* dims, size_t count, double less, double product, double extra) {
  if (count == 0) return (1 - less) * product + extra;
  const Tiles& dim = dims[0];
  const auto at = [&](double n) {
    // extra · n + product · coefficient · (size − n): the sum so far, repeated n times.
    return LeastSum(dims + 1, count - 1, less, product * n,
                    extra * n + product * dim.coefficient * std::max(0.0, dim.size - n));
  };
  // More tiles than iterations come from chains of a larger (padded) bound, which cost more.
  const double low = at(dim.lo);
  const double hi = std::min(dim.hi, dim.size);
  return dim.lo >= hi ? low : std::min(low, at(hi));
}

// EdgeTraffic of the tiles in rounds of several, along a rank of one dimension.
double RoundWords(double coefficient, const double* row) {
  return std::max(0.0, coefficient * row[kRoundSizeLo] - (coefficient - 1) * row[kRoundTilesHi]);
}

constexpr size_t kMostTerms = 8;  // of a rank, else a cruder bound

}  // namespace

// What a lane must see at least: all tiles of one dimension with the first tile of the others,
// less the overlap of neighbours.
double Bounder::RankOnce(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at) const {
  double lanes = 1;
  for (const Frame::Term& y : rank) lanes *= rows[y.dim][at + kLanesLo];
  double best = lanes;  // every lane enters at least one word
  if (rank.size() > kMostTerms) return best;
  for (const Frame::Term& x : rank) {
    const double* own = rows[x.dim] + at;
    std::array<Tiles, kMostTerms> dims;
    double lanes_hi = 1;
    for (size_t i = 0; i < rank.size(); ++i) {
      const double* row = rows[rank[i].dim] + at;
      if (rank[i].dim == x.dim) {
        dims[i] = {x.coefficient, row[kTilesLo], row[kTilesHi], row[kSizeLo]};
      } else {
        dims[i] = {rank[i].coefficient, row[kLanesLo], row[kLanesHi], row[kFirstSizeLo]};
        lanes_hi *= row[kLanesHi];
      }
    }
    double words = LeastSum(dims.data(), rank.size(), 0, 1, 0);
    const double again = own[kTilesHi] - own[kLanesLo];
    if (again > 0) words -= Overlap(rows, rank, at, x.dim) * again * lanes_hi;
    // Moved by its own size at least, a tile brings as many words as it is long.
    const double simple = lanes / own[kLanesLo] *
                          (x.coefficient * own[kSizeLo] - (x.coefficient - 1) * own[kTilesHi]);
    best = std::max({best, words, simple});
  }
  return best;
}

// The most words that a tile along a rank shares with another of the same lane that lies elsewhere
// along `dim` and at the same place along the other dimensions.
double Bounder::Overlap(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                        size_t dim) const {
  double others = 0;
  double own = 0;
  for (const Frame::Term& term : rank) {
    const double* row = rows[term.dim] + at;
    if (term.dim != dim) {
      others += term.coefficient * (row[kTileHi] - 1);
      continue;
    }
    // Tiles do not overlap in iterations; where they lie on a grid, they are a stride apart.
    own = 1 - term.coefficient;
    if (frame_.regular && row[kStrideLo] < kInfinity) {
      own = std::min(own, 1 + term.coefficient * (row[kTileHi] - 1 - row[kStrideLo]));
    }
  }
  return std::max(0.0, own + others);
}

bool Bounder::PartnerMoves(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                           size_t dim) {
  for (const Frame::Term& term : rank) {
    if (term.dim != dim && rows[term.dim][at + kMoves] != 0) return true;
  }
  return false;
}

// EdgeTraffic that enter along a rank of several dimensions if the innermost loop moves `dim`.
double Bounder::RankRound(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                          size_t dim, bool even) const {
  // If another dimension of the rank moves too, a step of it may undo the way back of this one.
  const bool partner_moves = PartnerMoves(rows, rank, at, dim);
  const RowField tiles_lo = partner_moves ? kNextTilesLo : even ? kTilesLo : kRoundTilesLo;
  const RowField tiles_hi = partner_moves ? kNextTilesHi : even ? kTilesHi : kRoundTilesHi;
  const RowField size_lo = partner_moves ? kNextSizeLo : even ? kSizeLo : kRoundSizeLo;
  const double* own = rows[dim] + at;
  double partners = 1;
  double coefficient = 1;
  std::array<Tiles, kMostTerms> dims;
  for (size_t i = 0; i < rank.size(); ++i) {
    const double* row = rows[rank[i].dim] + at;
    const bool is_own = rank[i].dim == dim;
    if (is_own) coefficient = rank[i].coefficient;
    if (!is_own) partners *= row[kTilesLo];
    if (rank.size() > kMostTerms) continue;
    dims[i] = {rank[i].coefficient, row[is_own ? tiles_lo : kTilesLo],
               row[is_own ? tiles_hi : kTilesHi], row[is_own ? size_lo : kSizeLo]};
  }
  // Moved by its own size at least, a tile brings as many words as it is long.
  double words =
      std::max(0.0, partners * (coefficient * own[size_lo] - (coefficient - 1) * own[tiles_hi]));
  if (rank.size() <= kMostTerms) {
    const double overlap = Overlap(rows, rank, at, dim);
    words = std::max(words, LeastSum(dims.data(), rank.size(), overlap, 1, 0));
  }
  return words;
}

void Bounder::Prepare(const Rows& rows, const Edge& edge, EdgeTerms* terms) const {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  terms->all_words = terms->once_words = terms->shared = terms->first = 1;
  for (size_t r = 0; r < tensor.ranks.size(); ++r) {
    PrepareRank(rows, edge, r, terms);
    terms->all_words *= terms->all[r];
    terms->once_words *= terms->once[r];
    terms->shared *= terms->sources[r].shared;
    terms->first *= terms->sources[r].first;
  }
  const Times none = TimesOf(rows, edge, 0);
  terms->lanes = none.tiles;
  terms->leaders = none.leaders;
  if (edge.output) terms->first *= MostCopies(rows, edge);
}

void Bounder::PrepareRank(const Rows& rows, const Edge& edge, size_t r, EdgeTerms* terms) const {
  const std::vector<Frame::Term>& rank = frame_.tensors[edge.tensor].ranks[r];
  EdgeTerms::Source* source = &terms->sources[r];
  if (rank.size() <= source->rows.size()) {
    bool same = !rank.empty();
    for (size_t i = 0; i < rank.size(); ++i) {
      same = same && source->rows[i] == rows[rank[i].dim];
      source->rows[i] = rows[rank[i].dim];
    }
    if (same) return;
  }
  const size_t at = layout_.At(edge.child);
  double most = 1, product = 1;
  std::array<Tiles, kMostTerms> dims;
  double all = 1;
  source->first = 1;
  for (size_t i = 0; i < rank.size(); ++i) {
    const Frame::Term& term = rank[i];
    const double* row = rows[term.dim] + at;
    all *= row[kTilesLo];
    if (i < kMostTerms) {
      dims[i] = {term.coefficient, row[kTilesLo], row[kTilesHi], row[kSizeLo]};
    }
    const double between = row[RowLayout::Between(edge.child, edge.parent)];
    most = std::max(most, between);
    product *= between;
    if (edge.output) {
      const double iterations = rows[term.dim][layout_.At(frame_.levels) + kTilesHi];
      source->first *= term.coefficient * iterations - (term.coefficient - 1) * row[kTilesLo];
    }
  }
  if (rank.size() <= kMostTerms) all = LeastSum(dims.data(), rank.size(), 0, 1, 0);
  terms->all[r] = all;
  terms->once[r] = rank.size() <= 1 ? all : RankOnce(rows, rank, at);
  source->shared = product / most;
}

// Instances of the parent that work on the same words of a tensor, at most.
double Bounder::MostCopies(const Rows& rows, const Edge& edge) const {
  if (edge.parent == 0) return 1;
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  const size_t at = layout_.At(edge.parent);
  double irrelevant = 1, relevant = 1;
  for (size_t d = 0; d < frame_.dims; ++d) {
    if (tensor.rank_of[d] < 0) {
      irrelevant *= rows[d][at + kLanesHi];
      continue;
    }
    double lanes = rows[d][at + kLanesLo];
    const double alone = rows[d][at + kAloneLanesLo];
    const bool last = edge.parent + 1 == frame_.levels;
    if (last && alone_dim_ == static_cast<int>(d) && alone < kInfinity) {
      lanes = std::max(lanes, alone);
    }
    relevant *= lanes;
  }
  return std::min(irrelevant, std::floor(frame_.instances[edge.parent] / relevant));
}

// With the temporal loops of the first `levels` levels counted, the others at their first step.
Bounder::Times Bounder::TimesOf(const Rows& rows, const Edge& edge, size_t levels) const {
  Times times;
  const size_t at = layout_.At(edge.child);
  const size_t tiles = at + RowLayout::Tiles(levels);
  const size_t leaders = at + RowLayout::Leaders(edge.child, edge.parent, levels);
  for (const size_t d : frame_.tensors[edge.tensor].irrelevant) {
    times.tiles *= rows[d][tiles];
    times.leaders *= rows[d][leaders];
  }
  return times;
}

// Every lane sees its words once.
Bounder::EdgeTraffic Bounder::Once(const EdgeTerms& terms) const {
  return {terms.once_words * terms.lanes, terms.once_words / terms.shared * terms.leaders,
          terms.first};
}

// Some loop of the group moves `dim`; loops outside the group find it moved every time.
void Bounder::RaiseByMover(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                           const Times& times, size_t dim, EdgeTraffic* words) const {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  if (PartnerMoves(rows, tensor.ranks[r], layout_.At(edge.child), dim)) return;
  Raise(rows, edge, terms, times, dim, terms.once_words / terms.once[r], words);
}

// Some loop of the group moves the tile, it is not known which. False if none can.
bool Bounder::RaiseBySome(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                          const Times& times, const Group& group, EdgeTraffic* words) const {
  EdgeTraffic least = {kInfinity, kInfinity, words->first};
  for (size_t d = 0; d < frame_.dims; ++d) {
    if (frame_.tensors[edge.tensor].rank_of[d] < 0 || !Moves(rows, group, d)) continue;
    EdgeTraffic one = *words;
    RaiseByMover(rows, edge, terms, times, d, &one);
    least.lanes = std::min(least.lanes, one.lanes);
    least.groups = std::min(least.groups, one.groups);
  }
  if (least.lanes == kInfinity) return false;
  *words = least;
  return true;
}

// Tiles in rounds of several enter `times`, with `others` words of the other ranks; tiles alone in
// their round once per lane.
void Bounder::Raise(const Rows& rows, const Edge& edge, const EdgeTerms& terms, const Times& times,
                    size_t dim, double others, EdgeTraffic* words) const {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  const std::vector<Frame::Term>& rank = tensor.ranks[r];
  const size_t at = layout_.At(edge.child);
  double round = 0;
  double alone = 0;
  const bool even = IsEven(edge, dim);
  if (rank.size() == 1) {
    round = even ? terms.all[r]
                 : std::min(terms.all[r], RoundWords(rank[0].coefficient, rows[dim] + at));
    alone = (terms.all[r] - round) * (terms.once_words / terms.once[r]);
  } else {
    round = RankRound(rows, rank, at, dim, even);
  }
  words->lanes = std::max(words->lanes, others * round * times.tiles + alone * terms.lanes);
  words->groups = std::max(words->groups,
                           (others * round * times.leaders + alone * terms.leaders) / terms.shared);
}

// Whether all tiles that the edge brings are in rounds of several along a dimension.
bool Bounder::IsEven(const Edge& edge, size_t dim) const {
  return even_dim_ == static_cast<int>(dim) && edge.child + 1 == frame_.levels;
}

void Bounder::Charge(const Edge& edge, const EdgeTraffic& words, LowerBound* least,
                     double* ports) const {
  const double moved = edge.shares ? words.groups : words.lanes;
  const double back = edge.output ? std::max(0.0, words.groups - words.first) : 0;
  least->energy_pj += moved * edge.at_parent + words.lanes * edge.at_child + back * edge.back;
  if (edge.offchip) least->offchip_words += moved + back;
  for (size_t p = 0; p < frame_.ports.size(); ++p) {
    const Port& port = frame_.ports[p];
    if (port.tensor >= 0 && port.tensor != static_cast<int>(edge.tensor)) continue;
    if (port.level == edge.parent) {
      if (port.out) ports[p] += edge.output ? back : moved;
      if (port.in && edge.output) ports[p] += moved;
    } else if (port.level == edge.child) {
      if (port.out && edge.output) ports[p] += words.lanes;
      if (port.in) ports[p] += edge.output ? back : words.lanes;
    }
  }
}

// The words along a rank with only the first tile of some of its dimensions.
double Bounder::RankFirst(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                          uint64_t first_dims) const {
  if (rank.size() > kMostTerms) return 1;
  std::array<Tiles, kMostTerms> dims;
  for (size_t i = 0; i < rank.size(); ++i) {
    const double* row = rows[rank[i].dim] + at;
    if ((first_dims >> rank[i].dim & 1) != 0) {
      dims[i] = {rank[i].coefficient, row[kLanesLo], row[kLanesHi], row[kFirstSizeLo]};
    } else {
      dims[i] = {rank[i].coefficient, row[kTilesLo], row[kTilesHi], row[kSizeLo]};
    }
  }
  return LeastSum(dims.data(), rank.size(), 0, 1, 0);
}

}  // namespace inlay::exact_search
