#include "inlay/mapper/exact/bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

// Words of the tiles in rounds of several, along a rank of one dimension.
double RoundWords(double coefficient, const double* row) {
  return std::max(0.0, coefficient * row[kRoundSizeLo] - (coefficient - 1) * row[kRoundTilesHi]);
}

void Resize(size_t ranks, Bounder::EdgeTerms* terms) {
  terms->all.resize(ranks);
  terms->once.resize(ranks);
  terms->sources.resize(ranks);
}

constexpr size_t kMostTerms = 8;  // of a rank, else a cruder bound

}  // namespace

double LeastOf(const Least& least, Metric metric) {
  switch (metric) {
    case Metric::kEnergy:
      return least.energy_pj;
    case Metric::kDelay:
      return least.cycles;
    case Metric::kEdp:
      return least.energy_pj * least.cycles;
    case Metric::kOffchip:
      return least.offchip_words;
  }
  return 0;
}

Bounder::Bounder(const Frame& frame, const ReachLayout& layout) : frame_(frame), layout_(layout) {
  terms_.resize(frame.levels + 1);
  for (size_t c = 1; c < frame.levels; ++c) {
    terms_[c].resize(frame.edges[c].size());
    for (size_t e = 0; e < frame.edges[c].size(); ++e) {
      const size_t ranks = frame.tensors[frame.edges[c][e].tensor].ranks.size();
      Resize(ranks, &terms_[c][e]);
    }
  }
  port_sum_.resize(frame.ports.size());
  port_class_.resize(frame.ports.size());
  port_least_.resize(frame.ports.size());
}

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

// Words that enter along a rank of several dimensions if the innermost loop moves `dim`.
double Bounder::RankRound(const Rows& rows, const std::vector<Frame::Term>& rank, size_t at,
                          size_t dim, bool even) const {
  // If another dimension of the rank moves too, a step of it may undo the way back of this one.
  const bool partner_moves = PartnerMoves(rows, rank, at, dim);
  const Field tiles_lo = partner_moves ? kNextTilesLo : even ? kTilesLo : kRoundTilesLo;
  const Field tiles_hi = partner_moves ? kNextTilesHi : even ? kTilesHi : kRoundTilesHi;
  const Field size_lo = partner_moves ? kNextSizeLo : even ? kSizeLo : kRoundSizeLo;
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
    const double between = row[ReachLayout::Between(edge.child, edge.parent)];
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
  const size_t tiles = at + ReachLayout::Tiles(levels);
  const size_t leaders = at + ReachLayout::Leaders(edge.child, edge.parent, levels);
  for (const size_t d : frame_.tensors[edge.tensor].irrelevant) {
    times.tiles *= rows[d][tiles];
    times.leaders *= rows[d][leaders];
  }
  return times;
}

// Every lane sees its words once.
Bounder::Words Bounder::Once(const EdgeTerms& terms) const {
  return {terms.once_words * terms.lanes, terms.once_words / terms.shared * terms.leaders,
          terms.first};
}

// Some loop of the group moves `dim`; loops outside the group find it moved every time.
void Bounder::RaiseByMover(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                           const Times& times, size_t dim, Words* words) const {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  if (PartnerMoves(rows, tensor.ranks[r], layout_.At(edge.child), dim)) return;
  Raise(rows, edge, terms, times, dim, terms.once_words / terms.once[r], words);
}

// Some loop of the group moves the tile, it is not known which. False if none can.
bool Bounder::RaiseBySome(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                          const Times& times, const Group& group, Words* words) const {
  Words least = {kInfinity, kInfinity, words->first};
  for (size_t d = 0; d < frame_.dims; ++d) {
    if (frame_.tensors[edge.tensor].rank_of[d] < 0 || !Moves(rows, group, d)) continue;
    Words one = *words;
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
                    size_t dim, double others, Words* words) const {
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

void Bounder::Charge(const Edge& edge, const Words& words, Least* least, double* ports) const {
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

void Bounder::Begin() {
  std::fill(port_sum_.begin(), port_sum_.end(), 0.0);
  passing_ = Least();
  passing_level_ = 0;
  order_depth_ = 1;
  ways_ = nullptr;
  even_dim_ = alone_dim_ = -1;
  output_copies_ = -1;
}

void Bounder::ShareLanes(const Rows& rows, Sharing* sharing, uint64_t open_dims,
                         double lanes_left) {
  if (sharing == nullptr || !sharing->applies() || open_dims == 0) return;
  sharing_ = sharing;
  open_dims_ = open_dims;
  Sharing::Least least;
  if (alone_dim_ >= 0 && (open_dims >> alone_dim_ & 1) != 0) {
    const auto dim = static_cast<size_t>(alone_dim_);
    const double lanes = rows[dim][layout_.At(frame_.levels - 1) + kAloneLanesLo];
    if (lanes < kInfinity) least = {dim, static_cast<int64_t>(lanes)};
  }
  ways_ = &sharing->Ways(open_dims, static_cast<int64_t>(lanes_left), least);
}

void Bounder::Save(const Least& least, State* state) const {
  state->least = least;
  state->ports = port_sum_;
  state->passing = passing_;
}

Least Bounder::BeginFrom(const State& state) {
  port_sum_ = state.ports;
  passing_ = state.passing;
  passing_level_ = 0;
  order_depth_ = 1;
  ways_ = nullptr;
  even_dim_ = alone_dim_ = -1;
  output_copies_ = -1;
  return state.least;
}

// Whether compute takes the tensor from the edge's child.
bool Bounder::IsInnermost(const Edge& edge) const {
  for (const Edge& last : frame_.edges[frame_.levels]) {
    if (last.tensor == edge.tensor) return last.parent == edge.child;
  }
  return false;
}

bool Bounder::Moves(const Rows& rows, const Group& group, size_t dim) const {
  for (size_t l = group.from; l < group.to; ++l) {
    if (rows[dim][ReachLayout::MayMove(l)] != 0) return true;
  }
  return false;
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

// The loops seen so far and, outside them, one over `dim`.
void Bounder::Extend(const Rows& rows, const Group& group, const Member& member, size_t dim,
                     Prefix* prefix) const {
  if (prefix->full) return;
  const Edge& edge = *member.edge;
  const EdgeTerms& terms = *member.terms;
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  const size_t at = layout_.At(edge.child);
  if (tensor.rank_of[dim] < 0) {
    const double* row = rows[dim] + at;
    const auto leaders = [&](size_t j) {
      return row[ReachLayout::Leaders(edge.child, edge.parent, j)];
    };
    prefix->skipped_tiles *=
        row[ReachLayout::Tiles(group.from)] / row[ReachLayout::Tiles(group.to)];
    prefix->skipped_leaders *= leaders(group.from) / leaders(group.to);
    return;
  }
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  bool touched = false;
  double others = 1;
  for (size_t i = 0; i < tensor.ranks.size(); ++i) {
    uint64_t first = 0;
    for (const Frame::Term& term : tensor.ranks[i]) first |= uint64_t{1} << term.dim;
    first &= prefix->inside_dims;
    if (i == r) {
      touched = first != 0;
    } else {
      others *= first == 0 ? terms.all[i] : RankFirst(rows, tensor.ranks[i], at, first);
    }
  }
  if (!touched) {
    const Times times = {member.inside.tiles * prefix->skipped_tiles,
                         member.inside.leaders * prefix->skipped_leaders};
    Raise(rows, edge, terms, times, dim, others, &prefix->words);
  }
  prefix->full = tensor.ranks[r].size() == 1;
  prefix->inside_dims |= uint64_t{1} << dim;
}

// All orders of a group: branch and bound over the loops from the inside out.
class Bounder::OrderSearch {
 public:
  OrderSearch(Bounder* bounder, const Rows& rows, const Group& group,
              const std::vector<Member>& members, int inner, size_t depth, bool cancels)
      : bounder_(*bounder), rows_(rows), group_(group), members_(members), depth_(depth) {
    std::fill(bounder_.port_least_.begin(), bounder_.port_least_.end(), kInfinity);
    const bool one_class = inner != kAnyDim && depth <= 1;
    for (size_t d = 0; d < bounder_.frame_.dims && !one_class; ++d) {
      if (bounder_.Moves(rows, group, d)) may_ |= uint64_t{1} << d;
      for (size_t l = group.from; l < group.to; ++l) {
        if (rows[d][ReachLayout::MustMove(l)] != 0) must_ |= uint64_t{1} << d;
      }
    }
    std::vector<Prefix>& stack = bounder_.prefixes_;
    stack.resize(std::max(stack.size(), members.size() * (bounder_.frame_.dims + 1)));
    bounder_.shared_.resize(std::max(bounder_.shared_.size(), members.size()));
    for (size_t i = 0; i < members.size(); ++i) {
      stack[i] = Prefix();
      stack[i].words = Start(members[i]);
      const Edge& edge = *members[i].edge;
      bounder_.shared_[i] = 0;
      if (bounder_.ways_ == nullptr || !bounder_.sharing_->Concerns(edge)) continue;
      any_shared_ = true;
      bounder_.shared_[i] =
          bounder_.sharing_->OfDecided(rows, bounder_.layout_, edge, bounder_.open_dims_);
      if (cancels || !edge.output || group.from != 0) continue;
      for (const Edge& last : bounder_.frame_.edges[bounder_.frame_.levels]) {
        if (last.tensor != edge.tensor || last.parent != edge.child) continue;
        copies_ = i;
        compute_ = &last;
        compute_words_ = bounder_.ComputeWords(rows, last);
        most_copies_ = bounder_.MostCopies(rows, last);
      }
    }
  }

  void From(int inner) {
    if (inner == kAnyDim) {
      // Without loops only if none must be there.
      if (must_ == 0 && !group_.moves_all) Take(Charged(0));
      Branch(may_, 0);
    } else if (inner == kNoDim) {
      Take(Charged(0));
    } else {
      Visit(may_, static_cast<size_t>(inner), 1);
    }
  }

  const Least& best() const { return best_; }
  const Least& most_passing() const { return most_passing_; }

 private:
  // Of a member, with `depth` loops known.
  Prefix& At(size_t depth, size_t i) const {
    return bounder_.prefixes_[depth * members_.size() + i];
  }

  // What holds for every order.
  Words Start(const Member& member) const {
    const Edge& edge = *member.edge;
    Words words = bounder_.Once(*member.terms);
    if (group_.moves_all) {
      bounder_.RaiseBySome(rows_, edge, *member.terms, member.outside, group_, &words);
    }
    if (group_.from == 0) return words;
    for (size_t d = 0; d < bounder_.frame_.dims; ++d) {
      if (bounder_.frame_.tensors[edge.tensor].rank_of[d] < 0) continue;
      if (rows_[d][ReachLayout::MustMove(group_.from)] == 0) continue;
      bounder_.RaiseByMover(rows_, edge, *member.terms, member.outside, d, &words);
    }
    return words;
  }

  struct Charges {
    Least all, passing;
  };
  Charges Charged(size_t depth) {
    Charges sum;
    std::fill(bounder_.port_class_.begin(), bounder_.port_class_.end(), 0.0);
    for (size_t i = 0; i < members_.size(); ++i) {
      const Edge& edge = *members_[i].edge;
      const Least before = sum.all;
      bounder_.Charge(edge, At(depth, i).words, &sum.all, bounder_.port_class_.data());
      if (edge.parent + 1 < bounder_.passing_level_) {
        sum.passing.energy_pj += sum.all.energy_pj - before.energy_pj;
        sum.passing.offchip_words += sum.all.offchip_words - before.offchip_words;
      }
    }
    if (any_shared_) ShareOut(depth, &sum);
    return sum;
  }

  // Every way to share out the lanes left; the one that costs least counts.
  void ShareOut(size_t depth, Charges* sum) const {
    double least = kInfinity, most_passing = 0;
    for (const Sharing::Lanes& way : *bounder_.ways_) {
      double more = compute_ != nullptr ? MoreReads(way) : 0;
      double more_passing = 0;
      for (size_t i = 0; i < members_.size(); ++i) {
        if (bounder_.shared_[i] == 0) continue;
        const Edge& edge = *members_[i].edge;
        const Words& words = At(depth, i).words;
        const double groups = words.lanes / (bounder_.shared_[i] * way[edge.tensor]);
        if (groups <= words.groups) continue;
        double cost = edge.shares ? (groups - words.groups) * edge.at_parent : 0;
        if (edge.output) {
          const double back = std::max(0.0, groups - words.first);
          cost += (back - std::max(0.0, words.groups - words.first)) * edge.back;
        }
        more += cost;
        if (edge.parent + 1 < bounder_.passing_level_) more_passing += cost;
      }
      least = std::min(least, more);
      most_passing = std::max(most_passing, more_passing);
    }
    sum->all.energy_pj += least;
    sum->passing.energy_pj += most_passing;
  }

  // Compute counts on as many copies of the outputs as there can be, each of which saves it the
  // first read of every word; with fewer, it reads more.
  double MoreReads(const Sharing::Lanes& way) const {
    const Edge& edge = *compute_;
    const double copies = std::min(most_copies_, bounder_.shared_[copies_] * way[edge.tensor]);
    const Words& words = compute_words_;
    return (std::max(0.0, words.groups - words.first * copies) -
            std::max(0.0, words.groups - words.first * most_copies_)) *
           edge.back;
  }

  // Counts what has just been charged.
  void Take(const Charges& sum) {
    best_.energy_pj = std::min(best_.energy_pj, sum.all.energy_pj);
    best_.offchip_words = std::min(best_.offchip_words, sum.all.offchip_words);
    most_passing_.energy_pj = std::max(most_passing_.energy_pj, sum.passing.energy_pj);
    most_passing_.offchip_words = std::max(most_passing_.offchip_words, sum.passing.offchip_words);
    for (size_t p = 0; p < bounder_.port_class_.size(); ++p) {
      bounder_.port_least_[p] = std::min(bounder_.port_least_[p], bounder_.port_class_[p]);
    }
  }

  void Branch(uint64_t left, size_t depth) {
    for (size_t d = 0; d < bounder_.frame_.dims; ++d) {
      if ((left >> d & 1) != 0) Visit(left, d, depth + 1);
    }
  }

  // The next loop outwards is over `dim`; `left`: dimensions that may still come, `dim` included.
  void Visit(uint64_t left, size_t dim, size_t depth) {
    bool full = true;
    for (size_t i = 0; i < members_.size(); ++i) {
      Prefix* prefix = &At(depth, i);
      *prefix = At(depth - 1, i);
      bounder_.Extend(rows_, group_, members_[i], dim, prefix);
      full = full && prefix->full;
    }
    const Charges sum = Charged(depth);
    left &= ~(uint64_t{1} << dim);
    const bool no_better = sum.all.energy_pj >= best_.energy_pj &&
                           sum.all.offchip_words >= best_.offchip_words;
    if (full || no_better || depth >= depth_ || (left & must_) == 0) {
      Take(sum);
    } else {
      Branch(left, depth);
    }
  }

  Bounder& bounder_;
  const Rows& rows_;
  const Group& group_;
  const std::vector<Member>& members_;
  size_t depth_;
  uint64_t may_ = 0, must_ = 0;
  bool any_shared_ = false;
  // Of the member that brings the outputs which compute updates, if there is one.
  size_t copies_ = 0;
  const Edge* compute_ = nullptr;
  Words compute_words_;  // `first`: of one copy
  double most_copies_ = 1;
  Least best_ = {kInfinity, 0, kInfinity};
  Least most_passing_;
};

// The edges whose tile is moved by a group, in any order of its loops. `inner`: the innermost one.
void Bounder::AddGroup(const Rows& rows, const Group& group, const std::vector<Member>& members,
                       int inner, Least* least) {
  if (members.empty()) return;
  const size_t depth = order_depth_;
  // Whether every lane drains its outputs just once, as far as these bounds go.
  const Member* drained_once = nullptr;
  for (const Member& member : members) {
    if (inner == kAnyDim || depth > 1 || group.from != 0 || !member.edge->output) continue;
    const auto& rank_of = frame_.tensors[member.edge->tensor].rank_of;
    const bool once = inner < 0 || rank_of[static_cast<size_t>(inner)] < 0;
    // What is counted elsewhere cannot make up for the reads that compute saves.
    const bool passes = member.edge->parent + 1 < passing_level_;
    if (once && !passes && IsInnermost(*member.edge)) drained_once = &member;
  }
  if (drained_once != nullptr) output_copies_ = drained_once->terms->lanes;
  OrderSearch search(this, rows, group, members, inner, depth, drained_once != nullptr);
  search.From(inner);
  passing_.energy_pj += search.most_passing().energy_pj;
  passing_.offchip_words += search.most_passing().offchip_words;
  least->energy_pj += search.best().energy_pj;
  least->offchip_words += search.best().offchip_words;
  for (size_t p = 0; p < port_sum_.size(); ++p) port_sum_[p] += port_least_[p];
}

void Bounder::AddMerged(const Rows& rows, size_t child, int inner, Least* least) {
  if (child == frame_.levels) {
    AddCompute(rows, least);
    return;
  }
  const std::vector<Edge>& edges = frame_.edges[child];
  members_.clear();
  for (size_t e = 0; e < edges.size(); ++e) {
    EdgeTerms* terms = &terms_[child][e];
    Prepare(rows, edges[e], terms);
    members_.push_back({&edges[e], terms, TimesOf(rows, edges[e], child), {}});
  }
  AddGroup(rows, {0, child}, members_, inner, least);
}

void Bounder::AddNested(const Rows& rows, size_t first, int inner, Least* least) {
  inner = AddSettled(rows, first, inner, least, &open_);
  members_.clear();
  for (const OpenEdge& open : open_) {
    members_.push_back({open.edge, &open.terms, TimesOf(rows, *open.edge, first), {}});
  }
  AddGroup(rows, {0, first}, members_, inner, least);
}

int Bounder::AddSettled(const Rows& rows, size_t first, int inner, Least* least,
                        std::vector<OpenEdge>* open) {
  const size_t last = frame_.levels - 1;
  for (size_t c = first; c <= last; ++c) {
    for (size_t e = 0; e < frame_.edges[c].size(); ++e) {
      Prepare(rows, frame_.edges[c][e], &terms_[c][e]);
    }
  }
  // The group of the innermost loop above the last level: its innermost dimension is given. Where
  // the chains of a set do not agree whether a group is there, it is not.
  size_t inner_group = last;
  for (; inner_group > first; --inner_group) {
    bool may = false, must = false;
    for (const double* row : rows) {
      may = may || row[ReachLayout::MayMove(inner_group - 1)] != 0;
      must = must || row[ReachLayout::MustMove(inner_group - 1)] != 0;
    }
    if (may && !must) inner = kAnyDim;
    if (may) break;
  }
  // From the inside out: group g holds the loops of level g.
  open->clear();
  for (size_t end = last; end >= first && end > 0; --end) {
    const Group group = {end - 1, end};
    members_.clear();
    for (size_t c = std::max(end, first); c <= last; ++c) {
      for (size_t e = 0; e < frame_.edges[c].size(); ++e) {
        const Edge& edge = frame_.edges[c][e];
        // The innermost group below c in which a relevant dimension moves; else none.
        const auto concerns = [&](const Group& one) {
          for (size_t d = 0; d < frame_.dims; ++d) {
            if (frame_.tensors[edge.tensor].rank_of[d] >= 0 && Moves(rows, one, d)) return true;
          }
          return false;
        };
        size_t own = c;
        while (own > first && !concerns({own - 1, own})) --own;
        if (own != end) continue;
        if (end == first) {
          open->push_back({&edge, terms_[c][e]});
        } else {
          members_.push_back({&edge, &terms_[c][e], TimesOf(rows, edge, group.to),
                              TimesOf(rows, edge, group.from)});
        }
      }
    }
    if (end > first) AddGroup(rows, group, members_, end == inner_group ? inner : kAnyDim, least);
  }
  return inner_group == first ? inner : kAnyDim;
}

bool Bounder::AddSplit(const Rows& rows, size_t level, const std::vector<OpenEdge>& open,
                       uint64_t moved, int inner, Least* least) {
  if (moved != 0) {
    if (inner == kNoDim) return false;
    if (inner >= 0 && rows[static_cast<size_t>(inner)][ReachLayout::MayMove(level)] == 0) {
      return false;
    }
    const Group group = {level, level + 1, true};
    members_.clear();
    for (const OpenEdge& one : open) {
      const auto& tensor = frame_.tensors[one.edge->tensor];
      if ((moved >> one.edge->tensor & 1) == 0) continue;
      bool can = false;
      for (size_t d = 0; d < frame_.dims; ++d) {
        can = can || (tensor.rank_of[d] >= 0 && Moves(rows, group, d));
      }
      if (!can) return false;
      members_.push_back({one.edge, &one.terms, TimesOf(rows, *one.edge, level + 1),
                          TimesOf(rows, *one.edge, level)});
    }
    AddGroup(rows, group, members_, inner, least);
    inner = kAnyDim;
  }
  members_.clear();
  for (const OpenEdge& one : open) {
    if ((moved >> one.edge->tensor & 1) != 0) continue;
    members_.push_back({one.edge, &one.terms, TimesOf(rows, *one.edge, level), {}});
  }
  for (size_t e = 0; e < frame_.edges[level].size(); ++e) {
    const Edge& edge = frame_.edges[level][e];
    Prepare(rows, edge, &terms_[level][e]);
    members_.push_back({&edge, &terms_[level][e], TimesOf(rows, edge, level), {}});
  }
  AddGroup(rows, {0, level}, members_, inner, least);
  return true;
}

bool Bounder::AddSent(const Rows& rows, size_t level, const std::vector<const Edge*>& passing,
                      uint64_t moved, int inner, Least* least) {
  members_.clear();
  for (size_t e = 0; e < frame_.edges[level].size(); ++e) {
    const Edge& edge = frame_.edges[level][e];
    if (edge.parent + 1 != level) continue;
    Prepare(rows, edge, &terms_[level][e]);
    members_.push_back({&edge, &terms_[level][e], TimesOf(rows, edge, level), {}});
  }
  passing_terms_.resize(std::max(passing_terms_.size(), passing.size()));
  for (size_t i = 0; i < passing.size(); ++i) {
    const Edge& edge = *passing[i];
    EdgeTerms* terms = &passing_terms_[i];
    // Another edge may have been here.
    terms->sources.clear();
    Resize(frame_.tensors[edge.tensor].ranks.size(), terms);
    Prepare(rows, edge, terms);
    const Times times = TimesOf(rows, edge, level);
    if ((moved >> i & 1) == 0) {
      members_.push_back({&edge, terms, times, {}});
      continue;
    }
    Words words = Once(*terms);
    if (!RaiseBySome(rows, edge, *terms, times, {level, edge.child}, &words)) return false;
    Charge(edge, words, least, port_sum_.data());
  }
  AddGroup(rows, {0, level}, members_, inner, least);
  return true;
}

double Bounder::OffchipInCase(const Rows& rows, const std::vector<const Edge*>& passing,
                              size_t moved) {
  Least least;
  members_.clear();
  passing_terms_.resize(std::max(passing_terms_.size(), passing.size()));
  for (size_t e = 0; e < frame_.edges[1].size(); ++e) {
    const Edge& edge = frame_.edges[1][e];
    Prepare(rows, edge, &terms_[1][e]);
    members_.push_back({&edge, &terms_[1][e], TimesOf(rows, edge, 1), {}});
  }
  for (size_t i = 0; i < passing.size(); ++i) {
    const Edge& edge = *passing[i];
    const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
    EdgeTerms* terms = &passing_terms_[i];
    terms->sources.clear();
    Resize(tensor.ranks.size(), terms);
    Prepare(rows, edge, terms);
    const Times times = TimesOf(rows, edge, 1);
    if ((moved >> i & 1) == 0) {
      members_.push_back({&edge, terms, times, {}});
      continue;
    }
    double best = kInfinity;
    for (size_t d = 0; d < frame_.dims; ++d) {
      if (tensor.rank_of[d] < 0 || !Moves(rows, {1, edge.child}, d)) continue;
      Words words = Once(*terms);
      RaiseByMover(rows, edge, *terms, times, d, &words);
      Least one;
      Charge(edge, words, &one, port_class_.data());
      best = std::min(best, one.offchip_words);
    }
    least.offchip_words += best;
  }
  AddGroup(rows, {0, 1}, members_, kAnyDim, &least);
  return least.offchip_words;
}

// One point per lane and step, without history. A partial sum is read back for every update but the
// first of a word; `first` counts one copy of every word.
Bounder::Words Bounder::ComputeWords(const Rows& rows, const Edge& edge) const {
  const size_t at = layout_.At(frame_.levels);
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  Words words = {1, 1, 1};
  for (size_t d = 0; d < frame_.dims; ++d) {
    const double* row = rows[d] + at;
    words.lanes *= row[kTilesLo];
    if (tensor.rank_of[d] >= 0) {
      words.groups *= row[kTilesLo];
      words.first *= row[kTilesHi];
    } else {
      words.groups *= row[ReachLayout::Leaders(frame_.levels, edge.parent, frame_.levels)];
    }
  }
  for (const auto& rank : tensor.ranks) {
    double most = 1, product = 1;
    for (const Frame::Term& term : rank) {
      const double between = rows[term.dim][at + ReachLayout::Between(frame_.levels, edge.parent)];
      most = std::max(most, between);
      product *= between;
    }
    words.groups /= product / most;
  }
  if (!edge.shares) words.groups = words.lanes;
  return words;
}

void Bounder::AddCompute(const Rows& rows, Least* least) {
  for (const Edge& edge : frame_.edges[frame_.levels]) {
    Words words = ComputeWords(rows, edge);
    // Each further copy saves compute a read of every word, but the copy itself is drained once
    // more: where every lane drains its words but once, the two cancel.
    const bool cancel = edge.output && output_copies_ >= 0;
    words.first *= cancel ? output_copies_ : MostCopies(rows, edge);
    Charge(edge, words, least, port_sum_.data());
  }
}

double Bounder::LeastSteps(const Rows& rows, double lanes_left) const {
  const size_t compute = layout_.At(frame_.levels);
  const size_t leaders = compute + ReachLayout::Leaders(frame_.levels, 0, frame_.levels);
  double steps = 1, decided_steps = 1, open_operations = 1;
  for (const double* row : rows) {
    steps *= row[leaders];
    if (row[compute + kLanesLo] == row[compute + kLanesHi]) {
      decided_steps *= row[leaders];
    } else {
      open_operations *= row[compute + kTilesLo];
    }
  }
  const double shared = std::ceil(decided_steps * open_operations / lanes_left * (1 - 1e-12));
  return std::max(steps, shared);
}

void Bounder::End(const Rows& rows, double steps, Least* least) {
  const size_t compute = layout_.At(frame_.levels);
  double operations = 1;
  for (const double* row : rows) operations *= row[compute + kTilesLo];
  least->cycles = std::max(least->cycles, steps);
  for (size_t p = 0; p < frame_.ports.size(); ++p) {
    const Port& port = frame_.ports[p];
    double lanes = 1;
    if (port.level > 0) {
      const size_t at = layout_.At(port.level);
      for (size_t d = 0; d < frame_.dims; ++d) lanes *= rows[d][at + kLanesHi];
      lanes = std::min(lanes, frame_.instances[port.level]);
    }
    // A little less than the truth, because the evaluator forgives rounding errors.
    const double cycles = port_sum_[p] / (lanes * port.words_per_cycle) * (1 - 1e-12);
    least->cycles = std::max(least->cycles, std::ceil(cycles * (1 - 1e-9) - 1e-9));
  }
  least->energy_pj += operations * frame_.compute_pj + least->cycles * frame_.leakage_pj;
}

}  // namespace inlay::exact_search
