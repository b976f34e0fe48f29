#include "inlay/mapper/exact/edge_traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Rank = std::vector<KeepCase::Term>;

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

// Words of the tiles in rounds of several, along a rank of one dimension.
double RoundWords(double coefficient, const double* row) {
  return std::max(0.0, coefficient * row[kRoundSizeLo] - (coefficient - 1) * row[kRoundTilesHi]);
}

constexpr size_t kMostTerms = 8;  // of a rank, else a cruder bound

// The most words that a tile along a rank shares with another of the same lane that lies elsewhere
// along `dim` and at the same place along the other dimensions.
double Overlap(const MappingSet& set, const Rank& rank, size_t at, size_t dim) {
  double others = 0;
  double own = 0;
  for (const KeepCase::Term& term : rank) {
    const double* row = set.rows[term.dim] + at;
    if (term.dim != dim) {
      others += term.coefficient * (row[kTileHi] - 1);
      continue;
    }
    // Tiles do not overlap in iterations; where they lie on a grid, they are a stride apart.
    own = 1 - term.coefficient;
    if (set.keep_case.regular && row[kStrideLo] < kInfinity) {
      own = std::min(own, 1 + term.coefficient * (row[kTileHi] - 1 - row[kStrideLo]));
    }
  }
  return std::max(0.0, own + others);
}

// What a lane must see at least: all tiles of one dimension with the first tile of the others,
// less the overlap of neighbours.
double RankOnce(const MappingSet& set, const Rank& rank, size_t at) {
  double lanes = 1;
  for (const KeepCase::Term& y : rank) lanes *= set.rows[y.dim][at + kLanesLo];
  double best = lanes;  // every lane enters at least one word
  if (rank.size() > kMostTerms) return best;
  for (const KeepCase::Term& x : rank) {
    const double* own = set.rows[x.dim] + at;
    std::array<Tiles, kMostTerms> dims;
    double lanes_hi = 1;
    for (size_t i = 0; i < rank.size(); ++i) {
      const double* row = set.rows[rank[i].dim] + at;
      if (rank[i].dim == x.dim) {
        dims[i] = {x.coefficient, row[kTilesLo], row[kTilesHi], row[kSizeLo]};
      } else {
        dims[i] = {rank[i].coefficient, row[kLanesLo], row[kLanesHi], row[kFirstSizeLo]};
        lanes_hi *= row[kLanesHi];
      }
    }
    double words = LeastSum(dims.data(), rank.size(), 0, 1, 0);
    const double again = own[kTilesHi] - own[kLanesLo];
    if (again > 0) words -= Overlap(set, rank, at, x.dim) * again * lanes_hi;
    // Moved by its own size at least, a tile brings as many words as it is long.
    const double simple = lanes / own[kLanesLo] *
                          (x.coefficient * own[kSizeLo] - (x.coefficient - 1) * own[kTilesHi]);
    best = std::max({best, words, simple});
  }
  return best;
}

bool PartnerMoves(const MappingSet& set, const Rank& rank, size_t at, size_t dim) {
  for (const KeepCase::Term& term : rank) {
    if (term.dim != dim && set.rows[term.dim][at + kMoves] != 0) return true;
  }
  return false;
}

// Words that enter along a rank of several dimensions if the innermost loop moves `dim`.
double RankRound(const MappingSet& set, const Rank& rank, size_t at, size_t dim, bool even) {
  // If another dimension of the rank moves too, a step of it may undo the way back of this one.
  const bool partner_moves = PartnerMoves(set, rank, at, dim);
  const RowField tiles_lo = partner_moves ? kNextTilesLo : even ? kTilesLo : kRoundTilesLo;
  const RowField tiles_hi = partner_moves ? kNextTilesHi : even ? kTilesHi : kRoundTilesHi;
  const RowField size_lo = partner_moves ? kNextSizeLo : even ? kSizeLo : kRoundSizeLo;
  const double* own = set.rows[dim] + at;
  double partners = 1;
  double coefficient = 1;
  std::array<Tiles, kMostTerms> dims;
  for (size_t i = 0; i < rank.size(); ++i) {
    const double* row = set.rows[rank[i].dim] + at;
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
    const double overlap = Overlap(set, rank, at, dim);
    words = std::max(words, LeastSum(dims.data(), rank.size(), overlap, 1, 0));
  }
  return words;
}

void UpdateRank(const MappingSet& set, const Edge& edge, size_t r, EdgeTerms* terms) {
  const Rank& rank = set.keep_case.tensors[edge.tensor].ranks[r];
  EdgeTerms::Source* source = &terms->sources[r];
  if (rank.size() <= source->rows.size()) {
    bool same = !rank.empty();
    for (size_t i = 0; i < rank.size(); ++i) {
      same = same && source->rows[i] == set.rows[rank[i].dim];
      source->rows[i] = set.rows[rank[i].dim];
    }
    if (same) return;
  }
  const size_t at = set.layout.At(edge.child);
  double most = 1, product = 1;
  std::array<Tiles, kMostTerms> dims;
  double all = 1;
  source->first = 1;
  for (size_t i = 0; i < rank.size(); ++i) {
    const KeepCase::Term& term = rank[i];
    const double* row = set.rows[term.dim] + at;
    all *= row[kTilesLo];
    if (i < kMostTerms) {
      dims[i] = {term.coefficient, row[kTilesLo], row[kTilesHi], row[kSizeLo]};
    }
    const double between = row[RowLayout::Between(edge.child, edge.parent)];
    most = std::max(most, between);
    product *= between;
    if (edge.output) {
      const double iterations = set.rows[term.dim][set.layout.At(set.keep_case.levels) + kTilesHi];
      source->first *= term.coefficient * iterations - (term.coefficient - 1) * row[kTilesLo];
    }
  }
  if (rank.size() <= kMostTerms) all = LeastSum(dims.data(), rank.size(), 0, 1, 0);
  terms->all[r] = all;
  terms->once[r] = rank.size() <= 1 ? all : RankOnce(set, rank, at);
  source->shared = product / most;
}

// Whether all tiles that the edge brings are in rounds of several along a dimension.
bool IsEven(const MappingSet& set, const Edge& edge, size_t dim) {
  return set.assumptions.even_dim == static_cast<int>(dim) &&
         edge.child + 1 == set.keep_case.levels;
}

// Words that leave the parent, or are added to it; and output words that come back from it.
struct ParentWords {
  double moved = 0, back = 0;
};
ParentWords AtParent(const Edge& edge, const EdgeTraffic& traffic) {
  return {edge.shares ? traffic.groups : traffic.lanes,
          edge.output ? std::max(0.0, traffic.groups - traffic.first) : 0};
}

}  // namespace

void ClearTerms(const KeepCase& keep_case, const Edge& edge, EdgeTerms* terms) {
  const size_t ranks = keep_case.tensors[edge.tensor].ranks.size();
  terms->all.resize(ranks);
  terms->once.resize(ranks);
  terms->sources.assign(ranks, {});
}

void UpdateTerms(const MappingSet& set, const Edge& edge, EdgeTerms* terms) {
  const size_t ranks = set.keep_case.tensors[edge.tensor].ranks.size();
  terms->all_words = terms->once_words = terms->shared = terms->first = 1;
  for (size_t r = 0; r < ranks; ++r) {
    UpdateRank(set, edge, r, terms);
    terms->all_words *= terms->all[r];
    terms->once_words *= terms->once[r];
    terms->shared *= terms->sources[r].shared;
    terms->first *= terms->sources[r].first;
  }
  const Repeats none = RepeatsOf(set, edge, 0);
  terms->lanes = none.tiles;
  terms->distinct_lanes = none.distinct_lanes;
  if (edge.output) terms->first *= MostCopies(set, edge);
}

EdgeTerms TermsOf(const MappingSet& set, const Edge& edge) {
  EdgeTerms terms;
  ClearTerms(set.keep_case, edge, &terms);
  UpdateTerms(set, edge, &terms);
  return terms;
}

Repeats RepeatsOf(const MappingSet& set, const Edge& edge, size_t levels) {
  Repeats repeats;
  const size_t at = set.layout.At(edge.child);
  const size_t tiles = at + RowLayout::Tiles(levels);
  const size_t distinct_lanes = at + RowLayout::DistinctLanes(edge.child, edge.parent, levels);
  for (const size_t d : set.keep_case.tensors[edge.tensor].irrelevant) {
    repeats.tiles *= set.rows[d][tiles];
    repeats.distinct_lanes *= set.rows[d][distinct_lanes];
  }
  return repeats;
}

EdgeTraffic TrafficOnce(const EdgeTerms& terms) {
  return {terms.once_words * terms.lanes, terms.once_words / terms.shared * terms.distinct_lanes,
          terms.first};
}

void RaiseByLoop(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                 const Repeats& repeats, size_t dim, double others, EdgeTraffic* traffic) {
  const KeepCase::TensorRanks& tensor = set.keep_case.tensors[edge.tensor];
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  const Rank& rank = tensor.ranks[r];
  const size_t at = set.layout.At(edge.child);
  double round = 0;
  double alone = 0;
  const bool even = IsEven(set, edge, dim);
  if (rank.size() == 1) {
    round = even ? terms.all[r]
                 : std::min(terms.all[r], RoundWords(rank[0].coefficient, set.rows[dim] + at));
    alone = (terms.all[r] - round) * (terms.once_words / terms.once[r]);
  } else {
    round = RankRound(set, rank, at, dim, even);
  }
  traffic->lanes = std::max(traffic->lanes, others * round * repeats.tiles + alone * terms.lanes);
  traffic->groups = std::max(
      traffic->groups,
      (others * round * repeats.distinct_lanes + alone * terms.distinct_lanes) / terms.shared);
}

void RaiseByMover(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                  const Repeats& repeats, size_t dim, EdgeTraffic* traffic) {
  const KeepCase::TensorRanks& tensor = set.keep_case.tensors[edge.tensor];
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  if (PartnerMoves(set, tensor.ranks[r], set.layout.At(edge.child), dim)) return;
  RaiseByLoop(set, edge, terms, repeats, dim, terms.once_words / terms.once[r], traffic);
}

bool RaiseBySome(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                 const Repeats& repeats, size_t from, size_t to, EdgeTraffic* traffic) {
  EdgeTraffic least = {kInfinity, kInfinity, traffic->first};
  for (size_t d = 0; d < set.keep_case.dims; ++d) {
    if (set.keep_case.tensors[edge.tensor].rank_of[d] < 0 || !MayMove(set, from, to, d)) continue;
    EdgeTraffic one = *traffic;
    RaiseByMover(set, edge, terms, repeats, d, &one);
    least.lanes = std::min(least.lanes, one.lanes);
    least.groups = std::min(least.groups, one.groups);
  }
  if (least.lanes == kInfinity) return false;
  *traffic = least;
  return true;
}

double WordsOfFirstTiles(const MappingSet& set, const Rank& rank, size_t at, uint64_t first_dims) {
  if (rank.size() > kMostTerms) return 1;
  std::array<Tiles, kMostTerms> dims;
  for (size_t i = 0; i < rank.size(); ++i) {
    const double* row = set.rows[rank[i].dim] + at;
    if ((first_dims >> rank[i].dim & 1) != 0) {
      dims[i] = {rank[i].coefficient, row[kLanesLo], row[kLanesHi], row[kFirstSizeLo]};
    } else {
      dims[i] = {rank[i].coefficient, row[kTilesLo], row[kTilesHi], row[kSizeLo]};
    }
  }
  return LeastSum(dims.data(), rank.size(), 0, 1, 0);
}

EdgeTraffic ComputeTraffic(const MappingSet& set, const Edge& edge) {
  const size_t levels = set.keep_case.levels;
  const size_t at = set.layout.At(levels);
  const KeepCase::TensorRanks& tensor = set.keep_case.tensors[edge.tensor];
  EdgeTraffic traffic = {1, 1, 1};
  for (size_t d = 0; d < set.keep_case.dims; ++d) {
    const double* row = set.rows[d] + at;
    traffic.lanes *= row[kTilesLo];
    if (tensor.rank_of[d] >= 0) {
      traffic.groups *= row[kTilesLo];
      traffic.first *= row[kTilesHi];
    } else {
      traffic.groups *= row[RowLayout::DistinctLanes(levels, edge.parent, levels)];
    }
  }
  for (const auto& rank : tensor.ranks) {
    double most = 1, product = 1;
    for (const KeepCase::Term& term : rank) {
      const double between = set.rows[term.dim][at + RowLayout::Between(levels, edge.parent)];
      most = std::max(most, between);
      product *= between;
    }
    traffic.groups /= product / most;
  }
  if (!edge.shares) traffic.groups = traffic.lanes;
  return traffic;
}

double MostCopies(const MappingSet& set, const Edge& edge) {
  if (edge.parent == 0) return 1;
  const KeepCase::TensorRanks& tensor = set.keep_case.tensors[edge.tensor];
  const size_t at = set.layout.At(edge.parent);
  double irrelevant = 1, relevant = 1;
  for (size_t d = 0; d < set.keep_case.dims; ++d) {
    if (tensor.rank_of[d] < 0) {
      irrelevant *= set.rows[d][at + kLanesHi];
      continue;
    }
    double lanes = set.rows[d][at + kLanesLo];
    const double alone = set.rows[d][at + kAloneLanesLo];
    const bool last = edge.parent + 1 == set.keep_case.levels;
    if (last && set.assumptions.alone_dim == static_cast<int>(d) && alone < kInfinity) {
      lanes = std::max(lanes, alone);
    }
    relevant *= lanes;
  }
  return std::min(irrelevant, std::floor(set.keep_case.instances[edge.parent] / relevant));
}

double OffchipOf(const Edge& edge, const EdgeTraffic& traffic) {
  const auto [moved, back] = AtParent(edge, traffic);
  return edge.offchip ? moved + back : 0;
}

void Charge(const KeepCase& keep_case, const Edge& edge, const EdgeTraffic& traffic,
            LowerBound* bound, double* ports) {
  const auto [moved, back] = AtParent(edge, traffic);
  bound->energy_pj += moved * edge.at_parent + traffic.lanes * edge.at_child + back * edge.back;
  if (edge.offchip) bound->offchip_words += moved + back;
  for (size_t p = 0; p < keep_case.ports.size(); ++p) {
    const Port& port = keep_case.ports[p];
    if (port.child >= 0 && port.child != static_cast<int>(edge.child)) continue;
    if (port.tensor >= 0 && port.tensor != static_cast<int>(edge.tensor)) continue;
    if (port.IsOf(edge.parent)) {
      if (port.out) ports[p] += edge.output ? back : moved;
      if (port.in && edge.output) ports[p] += moved;
    } else if (port.IsOf(edge.child)) {
      if (port.out && edge.output) ports[p] += traffic.lanes;
      if (port.in) ports[p] += edge.output ? back : traffic.lanes;
    }
  }
}

}  // namespace inlay::exact_search
