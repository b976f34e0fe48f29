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
      terms_[c][e].all.resize(ranks);
      terms_[c][e].once.resize(ranks);
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
                          size_t dim) const {
  // If another dimension of the rank moves too, a step of it may undo the way back of this one.
  const bool partner_moves = PartnerMoves(rows, rank, at, dim);
  const Field tiles_lo = partner_moves ? kNextTilesLo : kRoundTilesLo;
  const Field tiles_hi = partner_moves ? kNextTilesHi : kRoundTilesHi;
  const Field size_lo = partner_moves ? kNextSizeLo : kRoundSizeLo;
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
  const size_t at = layout_.At(edge.child);
  terms->all_words = terms->once_words = terms->shared = terms->first = 1;
  for (size_t r = 0; r < tensor.ranks.size(); ++r) {
    const std::vector<Frame::Term>& rank = tensor.ranks[r];
    double most = 1, product = 1;
    std::array<Tiles, kMostTerms> dims;
    double all = 1;
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
        terms->first *= term.coefficient * iterations - (term.coefficient - 1) * row[kTilesLo];
      }
    }
    if (rank.size() <= kMostTerms) all = LeastSum(dims.data(), rank.size(), 0, 1, 0);
    terms->all[r] = all;
    terms->once[r] = rank.size() <= 1 ? all : RankOnce(rows, rank, at);
    terms->all_words *= terms->all[r];
    terms->once_words *= terms->once[r];
    terms->shared *= product / most;
  }
  const Times none = TimesOf(rows, edge, 0);
  terms->lanes = none.tiles;
  terms->leaders = none.leaders;
  if (edge.output) terms->first *= MostCopies(rows, edge);
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
    } else {
      relevant *= rows[d][at + kLanesLo];
    }
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

// The innermost loop that concerns the tensor, or goes on inside all that do, moves `dim`: each
// step enters a new tile, as often as the irrelevant loops repeat it.
void Bounder::RaiseByInner(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                           const Times& times, size_t dim, Words* words) const {
  const auto r = static_cast<size_t>(frame_.tensors[edge.tensor].rank_of[dim]);
  Raise(rows, edge, terms, times, dim, terms.all_words / terms.all[r], words);
}

// Some loop of the group moves `dim`; loops outside the group find it moved every time.
void Bounder::RaiseByMover(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                           const Times& times, size_t dim, Words* words) const {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  if (PartnerMoves(rows, tensor.ranks[r], layout_.At(edge.child), dim)) return;
  Raise(rows, edge, terms, times, dim, terms.once_words / terms.once[r], words);
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
  if (rank.size() == 1) {
    round = std::min(terms.all[r], RoundWords(rank[0].coefficient, rows[dim] + at));
    alone = (terms.all[r] - round) * (terms.once_words / terms.once[r]);
  } else {
    round = RankRound(rows, rank, at, dim);
  }
  words->lanes = std::max(words->lanes, others * round * times.tiles + alone * terms.lanes);
  words->groups = std::max(words->groups,
                           (others * round * times.leaders + alone * terms.leaders) / terms.shared);
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
  output_copies_ = -1;
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

// The edges whose tile is moved by a group, each order of the group by its innermost loop. With
// kAnyDim the least over all of them, the group may also be empty if no loop of it must be there.
void Bounder::AddGroup(const Rows& rows, const Group& group, const std::vector<Member>& members,
                       int inner, Least* least) {
  if (members.empty()) return;
  Least best = {kInfinity, 0, kInfinity};
  std::fill(port_least_.begin(), port_least_.end(), kInfinity);
  const auto try_inner = [&](int dim) {
    Least one;
    std::fill(port_class_.begin(), port_class_.end(), 0.0);
    for (const Member& member : members) {
      Words words = Once(*member.terms);
      const Frame::TensorFrame& tensor = frame_.tensors[member.edge->tensor];
      if (dim >= 0 && tensor.rank_of[static_cast<size_t>(dim)] >= 0) {
        RaiseByInner(rows, *member.edge, *member.terms, member.inside, static_cast<size_t>(dim),
                     &words);
      }
      if (group.from > 0) {
        for (size_t d = 0; d < frame_.dims; ++d) {
          if (tensor.rank_of[d] < 0 || rows[d][ReachLayout::MustMove(group.from)] == 0) continue;
          RaiseByMover(rows, *member.edge, *member.terms, member.outside, d, &words);
        }
      }
      Charge(*member.edge, words, &one, port_class_.data());
    }
    best.energy_pj = std::min(best.energy_pj, one.energy_pj);
    best.offchip_words = std::min(best.offchip_words, one.offchip_words);
    for (size_t p = 0; p < port_class_.size(); ++p) {
      port_least_[p] = std::min(port_least_[p], port_class_[p]);
    }
  };
  if (inner != kAnyDim) {
    try_inner(inner);
    for (const Member& member : members) {
      const Edge& edge = *member.edge;
      const auto& rank_of = frame_.tensors[edge.tensor].rank_of;
      const bool once = inner < 0 || rank_of[static_cast<size_t>(inner)] < 0;
      if (edge.output && once && group.from == 0 && IsInnermost(edge)) {
        output_copies_ = member.terms->lanes;
      }
    }
  } else {
    bool empty = true;
    for (size_t d = 0; d < frame_.dims; ++d) {
      for (size_t l = group.from; l < group.to; ++l) {
        empty = empty && rows[d][ReachLayout::MustMove(l)] == 0;
      }
      if (Moves(rows, group, d)) try_inner(static_cast<int>(d));
    }
    if (empty) try_inner(kNoDim);
  }
  least->energy_pj += best.energy_pj;
  least->offchip_words += best.offchip_words;
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
  // From the inside out: group g holds the loops of level g, the last one all above `first`.
  for (size_t end = last; end >= first && end > 0; --end) {
    const Group group = end == first ? Group{0, first} : Group{end - 1, end};
    members_.clear();
    for (size_t c = std::max(end, first); c <= last; ++c) {
      for (size_t e = 0; e < frame_.edges[c].size(); ++e) {
        const Edge& edge = frame_.edges[c][e];
        // The innermost group below c in which a relevant dimension moves; else the outermost.
        const auto concerns = [&](const Group& one) {
          for (size_t d = 0; d < frame_.dims; ++d) {
            if (frame_.tensors[edge.tensor].rank_of[d] >= 0 && Moves(rows, one, d)) return true;
          }
          return false;
        };
        size_t own = c;
        while (own > first && !concerns({own - 1, own})) --own;
        if (own != end) continue;
        members_.push_back(
            {&edge, &terms_[c][e], TimesOf(rows, edge, group.to), TimesOf(rows, edge, group.from)});
      }
    }
    AddGroup(rows, group, members_, end == inner_group ? inner : kAnyDim, least);
  }
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
    terms->all.resize(tensor.ranks.size());
    terms->once.resize(tensor.ranks.size());
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

// Operands: one point per lane and step, without history.
void Bounder::AddCompute(const Rows& rows, Least* least) {
  const size_t at = layout_.At(frame_.levels);
  for (const Edge& edge : frame_.edges[frame_.levels]) {
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
    // Each further copy saves compute a read of every word, but the copy itself is drained once
    // more: where every lane drains its words but once, the two cancel.
    const bool cancel = edge.output && output_copies_ >= 0;
    words.first *= cancel ? output_copies_ : MostCopies(rows, edge);
    for (const auto& rank : tensor.ranks) {
      double most = 1, product = 1;
      for (const Frame::Term& term : rank) {
        const double between =
            rows[term.dim][at + ReachLayout::Between(frame_.levels, edge.parent)];
        most = std::max(most, between);
        product *= between;
      }
      words.groups /= product / most;
    }
    const double moved = edge.shares ? words.groups : words.lanes;
    // A partial sum is read back for every update but the first of a word.
    Words charged = {words.lanes, moved, words.first};
    Charge(edge, charged, least, port_sum_.data());
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
