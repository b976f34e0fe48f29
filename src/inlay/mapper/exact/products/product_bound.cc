#include "inlay/mapper/exact/products/product_bound.h"

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
double LengthSeen(const std::vector<KeepCase::Term>& rank, double extent, const double* tile,
                  const DimFactors& trips, const DimFactors& lanes) {
  const auto shift = [&](const KeepCase::Term& term) { return term.coefficient * tile[term.dim]; };
  bool one_lane = true;
  double most = extent;
  for (const KeepCase::Term& term : rank) {
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

ProductBound::ProductBound(const Space& space, const KeepCase& keep_case)
    : keep_case_(keep_case), dims_(keep_case.dims), perfect_(space.mapspace == Mapspace::kPerfect) {
  for (size_t d = 0; d < dims_; ++d) {
    bounds_[d] = static_cast<double>(space.problem.dims[DimId(d)].bound);
  }
  for (const KeepCase::TensorRanks& tensor : keep_case.tensors) {
    uint64_t relevant = 0;
    bool slides = false;
    for (const auto& rank : tensor.ranks) {
      int moving = 0;
      for (const KeepCase::Term& term : rank) {
        relevant |= uint64_t{1} << term.dim;
        moving += bounds_[term.dim] > 1 ? 1 : 0;
      }
      slides = slides || moving > 1;
    }
    relevant_.push_back(relevant);
    slides_.push_back(slides);
  }
  terms_.resize(keep_case.levels + 1);
  for (size_t c = 1; c <= keep_case.levels; ++c) terms_[c].resize(keep_case.edges[c].size());
}

// The outermost of the unrolled loops has work for all its steps, and all but the last of them are
// full.
double ProductBound::LeastLanes(size_t level, size_t dim) const {
  const double lanes = above_[level][dim];
  return Has(ragged_, dim) && lanes > 1 ? std::floor(lanes / 2) + 1 : lanes;
}

ProductBound::Terms ProductBound::TermsFor(const Edge& edge) const {
  const KeepCase::TensorRanks& tensor = keep_case_.tensors[edge.tensor];
  Terms terms;
  for (size_t d = 0; d < dims_; ++d) {
    terms.between[d] = above_[edge.child][d] / above_[edge.parent][d];
    terms.first[d] = LeastLanes(edge.child, d);
  }
  for (const size_t d : tensor.irrelevant) {
    terms.copies *= std::min(bounds_[d], above_[edge.parent][d]);
  }
  for (const auto& rank : tensor.ranks) {
    double most = 1, product = 1;
    for (const KeepCase::Term& term : rank) {
      most = std::max(most, terms.between[term.dim]);
      product *= terms.between[term.dim];
    }
    terms.meeting *= product / most;
  }
  terms.lane_pj = edge.at_child + (edge.shares ? 0 : edge.at_parent);
  terms.group_pj = edge.shares ? edge.at_parent : 0;
  terms.back_pj = edge.output ? edge.back : 0;
  return terms;
}

void ProductBound::SetLanes(const std::vector<DimFactors>& lanes) {
  above_.assign(keep_case_.levels + 1, DimFactors());
  above_[0].fill(1);
  for (size_t l = 0; l < keep_case_.levels; ++l) {
    for (size_t d = 0; d < dims_; ++d) above_[l + 1][d] = above_[l][d] * lanes[l][d];
  }
  ragged_ = 0;
  for (size_t d = 0; d < dims_; ++d) {
    if (!perfect_ && above_[keep_case_.levels][d] > 1) ragged_ |= uint64_t{1} << d;
  }
  for (size_t c = 1; c <= keep_case_.levels; ++c) {
    for (size_t e = 0; e < keep_case_.edges[c].size(); ++e) {
      terms_[c][e] = TermsFor(keep_case_.edges[c][e]);
    }
  }
  AddCompute();
}

// Compute takes one point per lane and step, without a past.
void ProductBound::AddCompute() {
  double operations = 1;
  for (size_t d = 0; d < dims_; ++d) operations *= bounds_[d];
  settled_pj_ = operations * keep_case_.compute_pj;
  for (size_t e = 0; e < keep_case_.edges[keep_case_.levels].size(); ++e) {
    const Edge& edge = keep_case_.edges[keep_case_.levels][e];
    const Terms& terms = terms_[keep_case_.levels][e];
    double groups = operations, first = terms.copies;
    if (edge.shares) groups /= terms.meeting;
    for (size_t d = 0; d < dims_; ++d) {
      if (Has(relevant_[edge.tensor], d)) {
        first *= bounds_[d];
      } else if (edge.shares) {
        groups *= std::ceil(bounds_[d] / terms.between[d]) / bounds_[d];
      }
    }
    settled_pj_ += groups * edge.at_parent;
    if (edge.output) settled_pj_ += std::max(0.0, groups - first) * edge.back;
  }
}

void ProductBound::TileOf(size_t level, const DimFactors& inside, double* tile) const {
  for (size_t d = 0; d < dims_; ++d) {
    tile[d] = std::min(bounds_[d], inside[d] * above_[keep_case_.levels][d] / above_[level][d]);
  }
}

void ProductBound::Open(const Edge& edge, const Terms& terms, const DimFactors& inside,
                        const Outside& outside, OpenEdge* open) const {
  DimFactors tile, tiles;
  TileOf(edge.child, inside, tile.data());
  // Dimensions of which some lane may have less to do than others.
  uint64_t ragged = 0;
  for (size_t d = 0; d < dims_; ++d) {
    tiles[d] = std::ceil(bounds_[d] / tile[d]);
    const double whole = inside[d] * outside.most[d] * above_[keep_case_.levels][d];
    ragged |= uint64_t{whole > bounds_[d] ? 1U : 0U} << d;
  }
  open->edge = &edge;
  open->relevant = relevant_[edge.tensor];
  open->slides = slides_[edge.tensor];
  open->weak = false;
  open->partners = 0;
  open->words = 1;
  double once_lanes = 1, once_groups = 1, least_words = 1, seen_words = 1;
  const KeepCase::TensorRanks& tensor = keep_case_.tensors[edge.tensor];
  for (const auto& rank : tensor.ranks) {
    // The extents of all tiles, of which only the last of a dimension may be short.
    double all = 1, more = 0, extent = 1, least = 1;
    int moving = 0;
    bool even = true;
    for (const KeepCase::Term& term : rank) {
      const size_t d = term.dim;
      moving += bounds_[d] > 1 ? 1 : 0;
      even = even && !Has(ragged, d);
      more = more * tiles[d] + all * term.coefficient * (bounds_[d] - tiles[d]);
      all *= tiles[d];
      extent += term.coefficient * (tile[d] - 1);
      least += bounds_[d] - 1;
    }
    open->weak = open->weak || (moving > 1 && !even);
    open->words *= all + more;
    least_words *= least;
    double seen = all + more;  // by all lanes
    if (even) {
      seen = LengthSeen(rank, extent, tile.data(), outside.least, above_[edge.child]);
      for (const KeepCase::Term& term : rank) seen *= above_[edge.child][term.dim];
    }
    seen_words *= seen;
    for (const KeepCase::Term& term : rank) {
      const size_t d = term.dim;
      open->fresh[d] = term.coefficient * tile[d] / extent;
      open->alone[d] = 0;
      if (Has(ragged, d)) {
        const double most = std::max(0.0, above_[edge.child][d] - 1);
        const double rest = std::max(0.0, term.coefficient * (bounds_[d] - most * tile[d]) -
                                              (term.coefficient - 1) * tiles[d]);
        open->alone[d] = 1 - std::min(1.0, rest / (all + more));
      }
      for (const KeepCase::Term& partner : rank) {
        if (partner.dim != d && outside.most[partner.dim] > 1) {
          open->partners |= uint64_t{1} << d;
        }
      }
    }
  }
  for (const size_t d : tensor.irrelevant) {
    open->spread[d] = tiles[d] * inside[d];
    const double lanes = std::max(terms.first[d], tiles[d] / outside.most[d]);
    once_lanes *= lanes;
    once_groups *= std::max(1.0, lanes / terms.between[d]);
  }
  const double word_pj = once_lanes * terms.lane_pj + once_groups / terms.meeting * terms.group_pj;
  const double least = !open->slides ? open->words : open->weak ? least_words : seen_words;
  open->least_pj = least * word_pj;
}

// Loops that may stand in any order: those of one level, or of all levels that are not decided.
struct ProductBound::Group {
  bool one_level = false;
  DimFactors trips;     // at most
  uint64_t movers = 0;  // dimensions that may have a loop
  uint64_t must = 0;    // dimensions that have one
  DimFactors inside;    // trips of the temporal loops inside it
  DimFactors with;      // … and with it
  Outside outside;      // of it
};

namespace {

// The orders of one group, from the inside out.
class GroupOrders {
 public:
  static constexpr size_t kMostEdges = 16;
  // Lanes with their steps; and groups of lanes.
  struct Repeats {
    double lanes, groups;
  };
  struct Member {
    uint64_t relevant;
    double words, lane_pj, group_pj, back_pj, first;
    Repeats all, once;
    std::array<Repeats, kMostProductDims> skip;  // what a loop inside leaves of them
    std::array<double, kMostProductDims> share;  // new words of a tile, by the loop that moves it
    double least_pj;
    bool slides, weak;
    double best_pj;  // over all orders
  };

  explicit GroupOrders(uint64_t movers) : movers_(movers) {}

  Member* Add() { return &members_[count_++]; }
  bool full() const { return count_ == kMostEdges; }

  double Run() {
    double least = 0;
    uint64_t open = 0;
    std::array<Repeats, kMostEdges> repeats;
    for (size_t i = 0; i < count_; ++i) {
      Member& member = members_[i];
      Repeats inside = member.all;
      for (uint64_t left = movers_ & ~member.relevant; left != 0; left &= left - 1) {
        Skip(member, static_cast<size_t>(std::countr_zero(left)), &inside);
      }
      member.best_pj = kInfinity;
      for (uint64_t left = movers_ & member.relevant; left != 0; left &= left - 1) {
        const auto d = static_cast<size_t>(std::countr_zero(left));
        member.best_pj = std::min(member.best_pj, Cost(member, d, inside));
      }
      least += member.best_pj;
      open |= uint64_t{1} << i;
      repeats[i] = member.all;
    }
    if (count_ <= 1) return least;
    Place(movers_, open, least, repeats);
    return best_;
  }

 private:
  static void Skip(const Member& member, size_t dim, Repeats* repeats) {
    repeats->lanes *= member.skip[dim].lanes;
    repeats->groups *= member.skip[dim].groups;
  }

  static double Cost(const Member& member, size_t dim, const Repeats& repeats) {
    if (member.weak) return member.least_pj;
    const double share = member.share[dim];
    if (member.slides) {
      return std::max(member.least_pj,
                      member.words * share *
                          (repeats.lanes * member.lane_pj + repeats.groups * member.group_pj));
    }
    const double lanes = share * repeats.lanes + (1 - share) * member.once.lanes;
    const double groups = share * repeats.groups + (1 - share) * member.once.groups;
    const double back = std::max(0.0, member.words * groups - member.first) * member.back_pj;
    return std::max(member.least_pj,
                    member.words * (lanes * member.lane_pj + groups * member.group_pj) + back);
  }

  // `sum`: the cost of the members that are moved and the least of those that are open. `repeats`:
  // by open member, without the irrelevant loops that are placed.
  void Place(uint64_t left, uint64_t open, double sum,
             const std::array<Repeats, kMostEdges>& repeats) {
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
      std::array<Repeats, kMostEdges> after;
      double more = sum;
      uint64_t still = open;
      for (uint64_t bits = open; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(bits));
        const Member& member = members_[i];
        after[i] = repeats[i];
        if (Has(member.relevant, d)) {
          // Loops that no open tile sees stand inside, wherever they were.
          for (uint64_t free = left & ~seen; free != 0; free &= free - 1) {
            Skip(member, static_cast<size_t>(std::countr_zero(free)), &after[i]);
          }
          more += Cost(member, d, after[i]) - member.best_pj;
          still &= ~(uint64_t{1} << i);
        } else {
          Skip(member, d, &after[i]);
        }
      }
      Place(left & ~(uint64_t{1} << d), still, more, after);
    }
  }

  uint64_t movers_;
  size_t count_ = 0;
  std::array<Member, kMostEdges> members_;
  double best_ = kInfinity;
};

}  // namespace

// The least over all orders of a group of loops, of the edges that it moves (or that nothing
// moves).
double ProductBound::LeastOfGroup(const Group& group, const OpenEdge* const* edges,
                                  size_t count) const {
  GroupOrders orders(group.movers);
  double rest = 0;
  for (size_t i = 0; i < count; ++i) {
    const OpenEdge& edge = *edges[i];
    if ((edge.relevant & group.must) == 0 || orders.full()) {
      rest += edge.least_pj;
      continue;
    }
    const size_t child = edge.edge->child;
    const Terms& terms =
        terms_[child][static_cast<size_t>(edge.edge - keep_case_.edges[child].data())];
    GroupOrders::Member* member = orders.Add();
    member->relevant = edge.relevant;
    member->words = edge.words;
    member->lane_pj = terms.lane_pj;
    member->group_pj = terms.group_pj / terms.meeting;
    member->back_pj = terms.back_pj / terms.meeting;
    member->first = edge.words * terms.copies * terms.meeting;
    member->least_pj = edge.least_pj;
    member->slides = edge.slides;
    member->weak = edge.weak;
    member->all = member->once = {1, 1};
    for (const size_t d : keep_case_.tensors[edge.edge->tensor].irrelevant) {
      // Lanes and steps of the loops outside; with fewer steps counted, not many fewer lanes.
      const double between = terms.between[d];
      const auto at = [&](const DimFactors& inside) {
        return std::max(terms.first[d], edge.spread[d] / inside[d]);
      };
      const double all = at(group.inside);
      const double all_groups = std::max(1.0, std::ceil(all / between * (1 - 1e-12)));
      double with = all / group.trips[d];
      if (group.one_level) with = std::max(with, at(group.with));
      with = std::max(with, terms.first[d]);
      const double with_groups = std::max(1.0, all_groups / group.trips[d]);
      member->all.lanes *= all;
      member->all.groups *= all_groups;
      member->skip[d] = {std::min(1.0, with / all), std::min(1.0, with_groups / all_groups)};
      const double once = std::max(terms.first[d], with / group.outside.most[d]);
      member->once.lanes *= once;
      member->once.groups *= std::max(1.0, once / between);
    }
    for (uint64_t left = group.movers & edge.relevant; left != 0; left &= left - 1) {
      const auto d = static_cast<size_t>(std::countr_zero(left));
      // Only a round of two steps leaves a lane with one tile.
      const bool rounds_of_two = !group.one_level || group.trips[d] == 2;
      member->share[d] = rounds_of_two ? 1 - edge.alone[d] : 1;
      if (!edge.slides) continue;
      const double raw = edge.fresh[d];
      double share = std::min(1.0, raw);
      if (Has(edge.partners, d)) {
        const double rounds = group.one_level ? group.trips[d] : LeastPrimeFactor(group.trips[d]);
        share *= (rounds - 1) / rounds;
      } else if (group.one_level && group.outside.most[d] == 1) {
        const double m = group.trips[d];
        share = ((m - 1) * share + std::min(1.0, (m - 1) * raw)) / m;
      }
      member->share[d] *= share;
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
                          const Outside& outside, Nest* next) const {
  Group group;
  group.one_level = true;
  group.inside = nest.inside;
  group.with = inside;
  group.outside = outside;
  for (size_t d = 0; d < dims_; ++d) {
    group.trips[d] = inside[d] / nest.inside[d];
    group.movers |= uint64_t{group.trips[d] > 1 ? 1U : 0U} << d;
  }
  group.must = group.movers;
  next->inside = inside;
  next->open.clear();
  std::array<const OpenEdge*, GroupOrders::kMostEdges> members;
  size_t count = 0;
  double rest = 0;
  for (const OpenEdge& edge : nest.open) {
    if ((edge.relevant & group.movers) == 0) {
      next->open.push_back(edge);
    } else if (count < members.size()) {
      members[count++] = &edge;
    } else {
      rest += edge.least_pj;
    }
  }
  next->moved_pj = nest.moved_pj + rest + LeastOfGroup(group, members.data(), count);
  for (size_t e = 0; level > 0 && e < keep_case_.edges[level].size(); ++e) {
    this->Open(keep_case_.edges[level][e], terms_[level][e], inside, outside,
               &next->open.emplace_back());
  }
  count = 0;
  rest = 0;
  for (const OpenEdge& edge : next->open) {
    if (count < members.size()) {
      members[count++] = &edge;
    } else {
      rest += edge.least_pj;
    }
  }
  next->least_pj =
      next->moved_pj + rest + LeastOfGroup(Rest(level, inside, outside), members.data(), count);
}

// The loops outside a level. Level 0 alone is left outside level 1.
ProductBound::Group ProductBound::Rest(size_t level, const DimFactors& inside,
                                       const Outside& outside) const {
  Group group;
  group.one_level = level == 1;
  group.inside = inside;
  group.outside.least.fill(1);
  group.outside.most.fill(1);
  for (size_t d = 0; d < dims_; ++d) {
    group.trips[d] = outside.most[d];
    group.with[d] = inside[d] * outside.most[d];
    group.movers |= uint64_t{outside.most[d] > 1 ? 1U : 0U} << d;
    group.must |= uint64_t{outside.least[d] > 1 ? 1U : 0U} << d;
  }
  return group;
}

double ProductBound::Entering(size_t level, const DimFactors& inside,
                              const Outside& outside) const {
  std::array<OpenEdge, GroupOrders::kMostEdges> open;
  std::array<const OpenEdge*, GroupOrders::kMostEdges> members;
  size_t count = 0;
  for (size_t e = 0; e < keep_case_.edges[level].size() && count < members.size(); ++e) {
    this->Open(keep_case_.edges[level][e], terms_[level][e], inside, outside, &open[count]);
    members[count] = &open[count];
    ++count;
  }
  return LeastOfGroup(Rest(level, inside, outside), members.data(), count);
}

double ProductBound::LeastEntering(size_t level) const {
  double least = 0;
  for (size_t e = 0; e < keep_case_.edges[level].size(); ++e) {
    const Edge& edge = keep_case_.edges[level][e];
    const Terms& terms = terms_[level][e];
    // A rank has at least as many words as its dimensions together have steps.
    double words = 1;
    for (const auto& rank : keep_case_.tensors[edge.tensor].ranks) {
      double length = 1;
      for (const KeepCase::Term& term : rank) length += bounds_[term.dim] - 1;
      words *= length;
    }
    double lanes = 1, groups = 1;
    for (const size_t d : keep_case_.tensors[edge.tensor].irrelevant) {
      lanes *= terms.first[d];
      groups *= std::max(1.0, terms.first[d] / terms.between[d]);
    }
    least += words * (lanes * terms.lane_pj + groups / terms.meeting * terms.group_pj);
  }
  return least;
}

}  // namespace inlay::exact_search
