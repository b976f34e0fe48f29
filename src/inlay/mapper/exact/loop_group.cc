#include "inlay/mapper/exact/loop_group.h"

#include <algorithm>
#include <limits>

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The edge from which compute takes a tensor that the edge's child feeds it with; null: another
// level feeds it.
const Edge* ComputeEdgeBelow(const KeepCase& keep_case, const Edge& edge) {
  for (const Edge& last : keep_case.edges[keep_case.levels]) {
    if (last.tensor == edge.tensor && last.parent == edge.child) return &last;
  }
  return nullptr;
}

// The loops seen so far and, outside them, one over `dim`.
void Extend(const MappingSet& set, const LoopGroup& group, const GroupMember& member, size_t dim,
            GroupScratch::Prefix* prefix) {
  if (prefix->full) return;
  const Edge& edge = *member.edge;
  const EdgeTerms& terms = *member.terms;
  const KeepCase::TensorRanks& tensor = set.keep_case.tensors[edge.tensor];
  const size_t at = set.layout.At(edge.child);
  if (tensor.rank_of[dim] < 0) {
    const double* row = set.rows[dim] + at;
    const auto distinct_lanes = [&](size_t j) {
      return row[RowLayout::DistinctLanes(edge.child, edge.parent, j)];
    };
    prefix->skipped_tiles *= row[RowLayout::Tiles(group.from)] / row[RowLayout::Tiles(group.to)];
    prefix->skipped_distinct_lanes *= distinct_lanes(group.from) / distinct_lanes(group.to);
    return;
  }
  const auto r = static_cast<size_t>(tensor.rank_of[dim]);
  bool touched = false;
  double others = 1;
  for (size_t i = 0; i < tensor.ranks.size(); ++i) {
    uint64_t first = 0;
    for (const KeepCase::Term& term : tensor.ranks[i]) first |= uint64_t{1} << term.dim;
    first &= prefix->inside_dims;
    if (i == r) {
      touched = first != 0;
    } else {
      others *= first == 0 ? terms.all[i] : WordsOfFirstTiles(set, tensor.ranks[i], at, first);
    }
  }
  if (!touched) {
    const Repeats repeats = {member.inside.tiles * prefix->skipped_tiles,
                             member.inside.distinct_lanes * prefix->skipped_distinct_lanes};
    RaiseByLoop(set, edge, terms, repeats, dim, others, &prefix->traffic);
  }
  prefix->full = tensor.ranks[r].size() == 1;
  prefix->inside_dims |= uint64_t{1} << dim;
}

// All orders of a group: branch and bound over the loops from the inside out.
class LoopOrderSearch {
 public:
  LoopOrderSearch(const MappingSet& set, const LoopGroup& group,
                  const std::vector<GroupMember>& members, int inner, bool cancels,
                  const BoundSum& sum, GroupScratch* scratch)
      : set_(set), group_(group), members_(members), sum_(sum), scratch_(*scratch) {
    const KeepCase& keep_case = set.keep_case;
    scratch_.order_ports.resize(keep_case.ports.size());
    scratch_.least_ports.assign(keep_case.ports.size(), kInfinity);
    const bool one_class = inner != kAnyDim && set.order_depth <= 1;
    for (size_t d = 0; d < keep_case.dims && !one_class; ++d) {
      if (MayMove(set, group.from, group.to, d)) may_ |= uint64_t{1} << d;
      for (size_t l = group.from; l < group.to; ++l) {
        if (set.rows[d][RowLayout::MustMove(l)] != 0) must_ |= uint64_t{1} << d;
      }
    }
    auto& prefixes = scratch_.prefixes;
    prefixes.resize(std::max(prefixes.size(), members.size() * (keep_case.dims + 1)));
    scratch_.shared.resize(std::max(scratch_.shared.size(), members.size()));
    for (size_t i = 0; i < members.size(); ++i) {
      prefixes[i] = GroupScratch::Prefix();
      prefixes[i].traffic = Start(members[i]);
      scratch_.shared[i] = 0;
      FindShared(i, cancels);
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

  const LowerBound& best() const { return best_; }
  const LowerBound& most_bypassing() const { return most_bypassing_; }

 private:
  // Of a member, with `depth` loops known.
  GroupScratch::Prefix& At(size_t depth, size_t i) const {
    return scratch_.prefixes[depth * members_.size() + i];
  }

  // What holds for every order.
  EdgeTraffic Start(const GroupMember& member) const {
    const Edge& edge = *member.edge;
    EdgeTraffic traffic = TrafficOnce(*member.terms);
    if (group_.moves_all) {
      RaiseBySome(set_, edge, *member.terms, member.outside, group_.from, group_.to, &traffic);
    }
    if (group_.from == 0) return traffic;
    for (size_t d = 0; d < set_.keep_case.dims; ++d) {
      if (set_.keep_case.tensors[edge.tensor].rank_of[d] < 0) continue;
      if (set_.rows[d][RowLayout::MustMove(group_.from)] == 0) continue;
      RaiseByMover(set_, edge, *member.terms, member.outside, d, &traffic);
    }
    return traffic;
  }

  // The decided lanes that share words of a member; and whether it brings the outputs that compute
  // updates.
  void FindShared(size_t i, bool cancels) {
    const OpenLanes& open = set_.assumptions.lanes;
    const Edge& edge = *members_[i].edge;
    if (open.ways == nullptr || !open.sharing->Concerns(edge)) return;
    any_shared_ = true;
    scratch_.shared[i] = open.sharing->OfDecided(set_.rows, set_.layout, edge, open.dims);
    if (cancels || !edge.output || group_.from != 0) return;
    if (const Edge* last = ComputeEdgeBelow(set_.keep_case, edge)) {
      copies_ = i;
      compute_ = last;
      compute_traffic_ = ComputeTraffic(set_, *last);
      most_copies_ = MostCopies(set_, *last);
    }
  }

  struct Charges {
    LowerBound all, bypassing;
  };
  Charges Charged(size_t depth) {
    Charges sum;
    std::fill(scratch_.order_ports.begin(), scratch_.order_ports.end(), 0.0);
    for (size_t i = 0; i < members_.size(); ++i) {
      const Edge& edge = *members_[i].edge;
      const LowerBound before = sum.all;
      Charge(set_.keep_case, edge, At(depth, i).traffic, &sum.all, scratch_.order_ports.data());
      if (sum_.IsBypassing(edge)) {
        sum.bypassing.energy_pj += sum.all.energy_pj - before.energy_pj;
        sum.bypassing.offchip_words += sum.all.offchip_words - before.offchip_words;
      }
    }
    if (any_shared_) ShareOut(depth, &sum);
    return sum;
  }

  // Every way to share out the lanes left; the one that costs least counts.
  void ShareOut(size_t depth, Charges* sum) const {
    double least = kInfinity, most_bypassing = 0;
    for (const Sharing::Lanes& way : *set_.assumptions.lanes.ways) {
      double more = compute_ != nullptr ? MoreReads(way) : 0;
      double more_bypassing = 0;
      for (size_t i = 0; i < members_.size(); ++i) {
        if (scratch_.shared[i] == 0) continue;
        const Edge& edge = *members_[i].edge;
        const EdgeTraffic& traffic = At(depth, i).traffic;
        const double groups = traffic.lanes / (scratch_.shared[i] * way[edge.tensor]);
        if (groups <= traffic.groups) continue;
        double cost = edge.shares ? (groups - traffic.groups) * edge.at_parent : 0;
        if (edge.output) {
          const double back = std::max(0.0, groups - traffic.first);
          cost += (back - std::max(0.0, traffic.groups - traffic.first)) * edge.back;
        }
        more += cost;
        if (sum_.IsBypassing(edge)) more_bypassing += cost;
      }
      least = std::min(least, more);
      most_bypassing = std::max(most_bypassing, more_bypassing);
    }
    sum->all.energy_pj += least;
    sum->bypassing.energy_pj += most_bypassing;
  }

  // Compute counts on as many copies of the outputs as there can be, each of which saves it the
  // first read of every word; with fewer, it reads more.
  double MoreReads(const Sharing::Lanes& way) const {
    const Edge& edge = *compute_;
    const double copies = std::min(most_copies_, scratch_.shared[copies_] * way[edge.tensor]);
    const EdgeTraffic& traffic = compute_traffic_;
    return (std::max(0.0, traffic.groups - traffic.first * copies) -
            std::max(0.0, traffic.groups - traffic.first * most_copies_)) *
           edge.back;
  }

  // Counts what has just been charged.
  void Take(const Charges& sum) {
    best_.energy_pj = std::min(best_.energy_pj, sum.all.energy_pj);
    best_.offchip_words = std::min(best_.offchip_words, sum.all.offchip_words);
    most_bypassing_.energy_pj = std::max(most_bypassing_.energy_pj, sum.bypassing.energy_pj);
    most_bypassing_.offchip_words =
        std::max(most_bypassing_.offchip_words, sum.bypassing.offchip_words);
    for (size_t p = 0; p < scratch_.order_ports.size(); ++p) {
      scratch_.least_ports[p] = std::min(scratch_.least_ports[p], scratch_.order_ports[p]);
    }
  }

  void Branch(uint64_t left, size_t depth) {
    for (size_t d = 0; d < set_.keep_case.dims; ++d) {
      if ((left >> d & 1) != 0) Visit(left, d, depth + 1);
    }
  }

  // The next loop outwards is over `dim`; `left`: dimensions that may still come, `dim` included.
  void Visit(uint64_t left, size_t dim, size_t depth) {
    bool full = true;
    for (size_t i = 0; i < members_.size(); ++i) {
      GroupScratch::Prefix* prefix = &At(depth, i);
      *prefix = At(depth - 1, i);
      Extend(set_, group_, members_[i], dim, prefix);
      full = full && prefix->full;
    }
    const Charges sum = Charged(depth);
    left &= ~(uint64_t{1} << dim);
    const bool no_better =
        sum.all.energy_pj >= best_.energy_pj && sum.all.offchip_words >= best_.offchip_words;
    if (full || no_better || depth >= set_.order_depth || (left & must_) == 0) {
      Take(sum);
    } else {
      Branch(left, depth);
    }
  }

  const MappingSet& set_;
  const LoopGroup& group_;
  const std::vector<GroupMember>& members_;
  const BoundSum& sum_;
  GroupScratch& scratch_;
  uint64_t may_ = 0, must_ = 0;
  bool any_shared_ = false;
  // Of the member that brings the outputs which compute updates, if there is one.
  size_t copies_ = 0;
  const Edge* compute_ = nullptr;
  EdgeTraffic compute_traffic_;  // `first`: of one copy
  double most_copies_ = 1;
  LowerBound best_ = {kInfinity, 0, kInfinity};
  LowerBound most_bypassing_;
};

// The member whose lanes all drain their outputs just once, as far as these bounds go; null: there
// is none.
const GroupMember* DrainedOnce(const MappingSet& set, const LoopGroup& group,
                               const std::vector<GroupMember>& members, int inner,
                               const BoundSum& sum) {
  const GroupMember* drained_once = nullptr;
  if (inner == kAnyDim || set.order_depth > 1 || group.from != 0) return drained_once;
  for (const GroupMember& member : members) {
    if (!member.edge->output) continue;
    const auto& rank_of = set.keep_case.tensors[member.edge->tensor].rank_of;
    const bool once = inner < 0 || rank_of[static_cast<size_t>(inner)] < 0;
    // What is counted elsewhere cannot make up for the reads that compute saves.
    if (!once || sum.IsBypassing(*member.edge)) continue;
    if (ComputeEdgeBelow(set.keep_case, *member.edge) != nullptr) drained_once = &member;
  }
  return drained_once;
}

}  // namespace

void BoundSum::Begin(const KeepCase& keep_case, size_t level) {
  total = bypassing = LowerBound();
  ports.assign(keep_case.ports.size(), 0.0);
  bypass_level = level;
  output_copies = -1;
}

void AddGroup(const MappingSet& set, const LoopGroup& group,
              const std::vector<GroupMember>& members, int inner, GroupScratch* scratch,
              BoundSum* sum) {
  if (members.empty()) return;
  const GroupMember* drained_once = DrainedOnce(set, group, members, inner, *sum);
  if (drained_once != nullptr) sum->output_copies = drained_once->terms->lanes;
  LoopOrderSearch search(set, group, members, inner, drained_once != nullptr, *sum, scratch);
  search.From(inner);
  sum->bypassing.energy_pj += search.most_bypassing().energy_pj;
  sum->bypassing.offchip_words += search.most_bypassing().offchip_words;
  sum->total.energy_pj += search.best().energy_pj;
  sum->total.offchip_words += search.best().offchip_words;
  for (size_t p = 0; p < sum->ports.size(); ++p) sum->ports[p] += scratch->least_ports[p];
}

}  // namespace inlay::exact_search
