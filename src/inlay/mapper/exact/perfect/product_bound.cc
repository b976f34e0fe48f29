#include "inlay/mapper/exact/perfect/product_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool Has(uint64_t set, size_t i) { return (set >> i & 1) != 0; }

double LeastPrimeFactor(double number) {
  for (double p = 2; p * p <= number; ++p) {
    if (std::fmod(number, p) == 0) return p;
  }
  return number;
}

// Different words along a rank that one lane sees, at least, while its dimensions take so many
// trips. Steps that leave no gap add up; what is left counts with one dimension only.
double LengthSeen(const std::vector<Frame::Term>& rank, double extent, const double* tile,
                  const DimFactors& trips, const DimFactors& lanes) {
  const auto shift = [&](const Frame::Term& term) { return term.coefficient * tile[term.dim]; };
  bool one_lane = true;
  double most = extent;
  for (const Frame::Term& term : rank) {
    one_lane = one_lane && lanes[term.dim] == 1;
    most = std::max(most, extent + (trips[term.dim] - 1) * std::min(extent, shift(term)));
  }
  if (!one_lane) return most;
  double length = extent;
  uint64_t added = 0;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < rank.size(); ++i) {
      if (Has(added, i) || shift(rank[i]) > length) continue;
      length += (trips[rank[i].dim] - 1) * shift(rank[i]);
      added |= uint64_t{1} << i;
      more = true;
    }
  }
  double times = 1;
  for (size_t i = 0; i < rank.size(); ++i) {
    if (!Has(added, i)) times = std::max(times, trips[rank[i].dim]);
  }
  return std::max(most, length * times);
}

}  // namespace

ProductBound::ProductBound(const Problem& problem, const Frame& frame)
    : frame_(frame), dims_(frame.dims) {
  for (size_t d = 0; d < dims_; ++d) {
    bounds_[d] = static_cast<double>(problem.dims[DimId(d)].bound);
  }
  for (const Frame::TensorFrame& tensor : frame.tensors) {
    uint64_t relevant = 0;
    bool slides = false;
    for (const auto& rank : tensor.ranks) {
      int moving = 0;
      for (const Frame::Term& term : rank) {
        relevant |= uint64_t{1} << term.dim;
        moving += bounds_[term.dim] > 1 ? 1 : 0;
      }
      slides = slides || moving > 1;
    }
    relevant_.push_back(relevant);
    slides_.push_back(slides);
  }
  terms_.resize(frame.levels + 1);
  for (size_t c = 1; c <= frame.levels; ++c) terms_[c].resize(frame.edges[c].size());
}

ProductBound::LaneTerms ProductBound::TermsFor(const Edge& edge) const {
  const DimFactors& child = above_[edge.child];
  const DimFactors& parent = above_[edge.parent];
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  LaneTerms terms;
  for (const size_t d : tensor.irrelevant) {
    terms.lanes *= child[d];
    terms.shared *= child[d] / parent[d];
  }
  for (const auto& rank : tensor.ranks) {
    double most = 1, product = 1;
    for (const Frame::Term& term : rank) {
      const double between = child[term.dim] / parent[term.dim];
      most = std::max(most, between);
      product *= between;
    }
    terms.shared *= product / most;
  }
  const double moved = edge.shares ? terms.lanes / terms.shared : terms.lanes;
  terms.word_pj = moved * edge.at_parent + terms.lanes * edge.at_child;
  if (edge.output) terms.again_pj = terms.lanes / terms.shared * edge.back;
  return terms;
}

void ProductBound::SetLanes(const std::vector<DimFactors>& lanes) {
  above_.assign(frame_.levels + 1, DimFactors());
  above_[0].fill(1);
  for (size_t l = 0; l < frame_.levels; ++l) {
    for (size_t d = 0; d < dims_; ++d) above_[l + 1][d] = above_[l][d] * lanes[l][d];
  }
  steps_ = 1;
  for (size_t d = 0; d < dims_; ++d) {
    time_[d] = bounds_[d] / above_[frame_.levels][d];
    steps_ *= time_[d];
  }
  for (size_t c = 1; c <= frame_.levels; ++c) {
    for (size_t e = 0; e < frame_.edges[c].size(); ++e) {
      terms_[c][e] = TermsFor(frame_.edges[c][e]);
    }
  }
  AddCompute();
}

// Compute takes one point per lane and step, without a past.
void ProductBound::AddCompute() {
  double operations = 1;
  for (size_t d = 0; d < dims_; ++d) operations *= bounds_[d];
  settled_pj_ = operations * frame_.compute_pj + steps_ * frame_.leakage_pj;
  for (size_t e = 0; e < frame_.edges[frame_.levels].size(); ++e) {
    const Edge& edge = frame_.edges[frame_.levels][e];
    const double groups = edge.shares ? operations / terms_[frame_.levels][e].shared : operations;
    settled_pj_ += groups * edge.at_parent;
    if (!edge.output) continue;
    double first = 1;
    for (size_t d = 0; d < dims_; ++d) {
      first *= Has(relevant_[edge.tensor], d) ? bounds_[d] : above_[edge.parent][d];
    }
    settled_pj_ += std::max(0.0, groups - first) * edge.back;
  }
}

void ProductBound::TileOf(size_t level, const DimFactors& inside, double* tile) const {
  for (size_t d = 0; d < dims_; ++d) {
    tile[d] = inside[d] * above_[frame_.levels][d] / above_[level][d];
  }
}

double ProductBound::WordsOfLane(const OpenEdge& open, const DimFactors& inside,
                                 const DimFactors& trips) const {
  DimFactors tile;
  TileOf(open.edge->child, inside, tile.data());
  double words = 1;
  for (const auto& rank : frame_.tensors[open.edge->tensor].ranks) {
    double extent = 1;
    for (const Frame::Term& term : rank) extent += term.coefficient * (tile[term.dim] - 1);
    words *= LengthSeen(rank, extent, tile.data(), trips, above_[open.edge->child]);
  }
  return words;
}

void ProductBound::Open(const Edge& edge, const LaneTerms& terms, const DimFactors& inside,
                        OpenEdge* open) const {
  DimFactors tile;
  TileOf(edge.child, inside, tile.data());
  open->edge = &edge;
  open->relevant = relevant_[edge.tensor];
  open->slides = slides_[edge.tensor];
  open->partners = 0;
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  double box = 1, tiles = 1;
  for (const auto& rank : tensor.ranks) {
    double extent = 1;
    for (const Frame::Term& term : rank) {
      extent += term.coefficient * (tile[term.dim] - 1);
      tiles *= bounds_[term.dim] / tile[term.dim];
    }
    box *= extent;
    if (!open->slides) continue;
    for (const Frame::Term& term : rank) {
      open->fresh[term.dim] = term.coefficient * tile[term.dim] / extent;
      for (const Frame::Term& partner : rank) {
        if (partner.dim != term.dim && time_[partner.dim] > inside[partner.dim]) {
          open->partners |= uint64_t{1} << term.dim;
        }
      }
    }
  }
  open->once_pj = box * tiles * terms.word_pj;
  open->again_pj = open->once_pj + box * tiles * terms.again_pj;
  open->least_pj = open->once_pj;
  if (!open->slides) return;
  DimFactors outside;
  double lanes = 1;
  for (size_t d = 0; d < dims_; ++d) {
    outside[d] = time_[d] / inside[d];
    if (Has(open->relevant, d)) lanes *= above_[edge.child][d];
  }
  open->least_pj = WordsOfLane(*open, inside, outside) * lanes * terms.word_pj;
}

namespace {

// The orders of one group, from the inside out.
class GroupOrders {
 public:
  static constexpr size_t kMostEdges = 16;
  struct Member {
    uint64_t relevant;
    double once_pj, again_pj;
    double times;       // trips of the irrelevant loops further out
    double irrelevant;  // trips of those of the group
    double least_pj;
    bool slides;
    std::array<double, kMostProductDims> share;  // new words of a tile, by the loop that moves it
    double best_pj;                              // over all orders
  };

  GroupOrders(const DimFactors& trips, uint64_t movers) : trips_(trips), movers_(movers) {}

  Member* Add() { return &members_[count_++]; }
  bool full() const { return count_ == kMostEdges; }

  double Run() {
    double least = 0;
    uint64_t open = 0;
    for (size_t i = 0; i < count_; ++i) {
      Member& member = members_[i];
      member.best_pj = kInfinity;
      for (uint64_t left = movers_ & member.relevant; left != 0; left &= left - 1) {
        const auto d = static_cast<size_t>(std::countr_zero(left));
        member.best_pj = std::min(member.best_pj, Cost(member, d, 1));
        if (!member.slides) break;
      }
      least += member.best_pj;
      open |= uint64_t{1} << i;
    }
    if (count_ <= 1) return least;
    std::array<double, kMostEdges> repeats;
    for (size_t i = 0; i < count_; ++i) repeats[i] = members_[i].irrelevant;
    Place(movers_, open, least, repeats);
    return best_;
  }

 private:
  double Cost(const Member& member, size_t dim, double repeats) const {
    const double times = member.times * repeats;
    if (!member.slides) return member.once_pj + (times - 1) * member.again_pj;
    return std::max(member.least_pj, member.once_pj * member.share[dim] * times);
  }

  // `sum`: the cost of the members that are moved and the least of those that are open. `repeats`:
  // by open member, trips of the irrelevant loops that are not placed yet.
  void Place(uint64_t left, uint64_t open, double sum,
             const std::array<double, kMostEdges>& repeats) {
    if (sum >= best_) return;
    if (std::has_single_bit(open) || open == 0) {
      best_ = sum;
      return;
    }
    // A loop that no open tile sees costs nothing here.
    uint64_t seen = 0;
    for (uint64_t bits = open; bits != 0; bits &= bits - 1) {
      seen |= members_[static_cast<size_t>(std::countr_zero(bits))].relevant;
    }
    for (uint64_t next = left & seen; next != 0; next &= next - 1) {
      const auto d = static_cast<size_t>(std::countr_zero(next));
      std::array<double, kMostEdges> after;
      double more = sum;
      uint64_t still = open;
      for (uint64_t bits = open; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(bits));
        const Member& member = members_[i];
        if (Has(member.relevant, d)) {
          // Loops that no open tile sees stand inside, wherever they were.
          double outside = repeats[i];
          for (uint64_t free = left & ~seen; free != 0; free &= free - 1) {
            outside /= trips_[static_cast<size_t>(std::countr_zero(free))];
          }
          more += Cost(member, d, outside) - member.best_pj;
          still &= ~(uint64_t{1} << i);
        } else {
          after[i] = repeats[i] / trips_[d];
        }
      }
      Place(left & ~(uint64_t{1} << d), still, more, after);
    }
  }

  const DimFactors& trips_;
  uint64_t movers_;
  size_t count_ = 0;
  std::array<Member, kMostEdges> members_;
  double best_ = kInfinity;
};

}  // namespace

double ProductBound::LeastOfGroup(const DimFactors& trips, const DimFactors& outside,
                                  bool one_level, const OpenEdge* const* edges,
                                  size_t count) const {
  uint64_t movers = 0;
  for (size_t d = 0; d < dims_; ++d) movers |= uint64_t{trips[d] > 1 ? 1U : 0U} << d;
  GroupOrders orders(trips, movers);
  double rest = 0;
  for (size_t i = 0; i < count; ++i) {
    const OpenEdge& edge = *edges[i];
    if ((edge.relevant & movers) == 0 || orders.full()) {
      rest += edge.least_pj;
      continue;
    }
    GroupOrders::Member* member = orders.Add();
    member->relevant = edge.relevant;
    member->once_pj = edge.once_pj;
    member->again_pj = edge.again_pj;
    member->least_pj = edge.least_pj;
    member->slides = edge.slides;
    member->times = member->irrelevant = 1;
    for (size_t d = 0; d < dims_; ++d) {
      if (Has(edge.relevant, d)) continue;
      member->times *= outside[d];
      member->irrelevant *= trips[d];
    }
    if (!edge.slides) continue;
    for (uint64_t left = movers & edge.relevant; left != 0; left &= left - 1) {
      const auto d = static_cast<size_t>(std::countr_zero(left));
      const double raw = edge.fresh[d];
      double share = std::min(1.0, raw);
      if (Has(edge.partners, d)) {
        const double rounds = one_level ? trips[d] : LeastPrimeFactor(trips[d]);
        share *= (rounds - 1) / rounds;
      } else if (one_level && outside[d] == 1) {
        const double m = trips[d];
        share = ((m - 1) * share + std::min(1.0, (m - 1) * raw)) / m;
      }
      member->share[d] = share;
    }
  }
  return rest + orders.Run();
}

ProductBound::Nest ProductBound::Nothing() const {
  Nest nest;
  nest.inside.fill(1);
  return nest;
}

void ProductBound::Decide(const Nest& nest, size_t level, const DimFactors& inside,
                          Nest* next) const {
  DimFactors trips, outside, none;
  none.fill(1);
  uint64_t movers = 0;
  for (size_t d = 0; d < dims_; ++d) {
    trips[d] = inside[d] / nest.inside[d];
    outside[d] = time_[d] / inside[d];
    movers |= uint64_t{trips[d] > 1 ? 1U : 0U} << d;
  }
  next->inside = inside;
  next->open.clear();
  std::array<const OpenEdge*, GroupOrders::kMostEdges> members;
  size_t count = 0;
  double unmoved = 0;
  for (const OpenEdge& edge : nest.open) {
    if ((edge.relevant & movers) == 0) {
      next->open.push_back(edge);
    } else if (count < members.size()) {
      members[count++] = &edge;
    } else {
      unmoved += edge.least_pj;
    }
  }
  next->moved_pj =
      nest.moved_pj + unmoved + LeastOfGroup(trips, outside, true, members.data(), count);
  for (size_t e = 0; level > 0 && e < frame_.edges[level].size(); ++e) {
    OpenEdge open;
    this->Open(frame_.edges[level][e], terms_[level][e], inside, &open);
    next->open.push_back(open);
  }
  count = 0;
  unmoved = 0;
  for (const OpenEdge& edge : next->open) {
    if (count < members.size()) {
      members[count++] = &edge;
    } else {
      unmoved += edge.least_pj;
    }
  }
  // Level 0 alone is left outside level 1.
  next->least_pj =
      next->moved_pj + unmoved + LeastOfGroup(outside, none, level == 1, members.data(), count);
}

double ProductBound::Entering(size_t level, const DimFactors& inside) const {
  DimFactors outside, none;
  none.fill(1);
  for (size_t d = 0; d < dims_; ++d) outside[d] = time_[d] / inside[d];
  std::array<OpenEdge, GroupOrders::kMostEdges> open;
  std::array<const OpenEdge*, GroupOrders::kMostEdges> members;
  size_t count = 0;
  for (size_t e = 0; e < frame_.edges[level].size() && count < members.size(); ++e) {
    this->Open(frame_.edges[level][e], terms_[level][e], inside, &open[count]);
    members[count] = &open[count];
    ++count;
  }
  return LeastOfGroup(outside, none, level == 1, members.data(), count);
}

double ProductBound::LeastEntering(size_t level) const {
  double least = 0;
  for (size_t e = 0; e < frame_.edges[level].size(); ++e) {
    const Edge& edge = frame_.edges[level][e];
    // A rank has at least as many words as its dimensions together have steps.
    double words = 1;
    for (const auto& rank : frame_.tensors[edge.tensor].ranks) {
      double length = 1;
      for (const Frame::Term& term : rank) length += bounds_[term.dim] - 1;
      words *= length;
    }
    least += words * terms_[level][e].word_pj;
  }
  return least;
}

}  // namespace inlay::exact_search
