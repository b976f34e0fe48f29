#include <algorithm>
#include <limits>

#include "inlay/mapper/exact/bound.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// Whether compute takes the tensor from the edge's child.
bool Bounder::IsInnermost(const Edge& edge) const {
  for (const Edge& last : frame_.edges[frame_.levels]) {
    if (last.tensor == edge.tensor) return last.parent == edge.child;
  }
  return false;
}

bool Bounder::Moves(const Rows& rows, const Group& group, size_t dim) const {
  for (size_t l = group.from; l < group.to; ++l) {
    if (rows[dim][RowLayout::MayMove(l)] != 0) return true;
  }
  return false;
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
      return row[RowLayout::Leaders(edge.child, edge.parent, j)];
    };
    prefix->skipped_tiles *= row[RowLayout::Tiles(group.from)] / row[RowLayout::Tiles(group.to)];
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
class Bounder::LoopOrderSearch {
 public:
  LoopOrderSearch(Bounder* bounder, const Rows& rows, const Group& group,
                  const std::vector<Member>& members, int inner, size_t depth, bool cancels)
      : bounder_(*bounder), rows_(rows), group_(group), members_(members), depth_(depth) {
    std::fill(bounder_.port_least_.begin(), bounder_.port_least_.end(), kInfinity);
    const bool one_class = inner != kAnyDim && depth <= 1;
    for (size_t d = 0; d < bounder_.frame_.dims && !one_class; ++d) {
      if (bounder_.Moves(rows, group, d)) may_ |= uint64_t{1} << d;
      for (size_t l = group.from; l < group.to; ++l) {
        if (rows[d][RowLayout::MustMove(l)] != 0) must_ |= uint64_t{1} << d;
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

  const LowerBound& best() const { return best_; }
  const LowerBound& most_bypassing() const { return most_passing_; }

 private:
  // Of a member, with `depth` loops known.
  Prefix& At(size_t depth, size_t i) const {
    return bounder_.prefixes_[depth * members_.size() + i];
  }

  // What holds for every order.
  EdgeTraffic Start(const Member& member) const {
    const Edge& edge = *member.edge;
    EdgeTraffic words = bounder_.Once(*member.terms);
    if (group_.moves_all) {
      bounder_.RaiseBySome(rows_, edge, *member.terms, member.outside, group_, &words);
    }
    if (group_.from == 0) return words;
    for (size_t d = 0; d < bounder_.frame_.dims; ++d) {
      if (bounder_.frame_.tensors[edge.tensor].rank_of[d] < 0) continue;
      if (rows_[d][RowLayout::MustMove(group_.from)] == 0) continue;
      bounder_.RaiseByMover(rows_, edge, *member.terms, member.outside, d, &words);
    }
    return words;
  }

  struct Charges {
    LowerBound all, bypassing;
  };
  Charges Charged(size_t depth) {
    Charges sum;
    std::fill(bounder_.port_class_.begin(), bounder_.port_class_.end(), 0.0);
    for (size_t i = 0; i < members_.size(); ++i) {
      const Edge& edge = *members_[i].edge;
      const LowerBound before = sum.all;
      bounder_.Charge(edge, At(depth, i).words, &sum.all, bounder_.port_class_.data());
      if (edge.parent + 1 < bounder_.bypassing_level_) {
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
    for (const Sharing::Lanes& way : *bounder_.ways_) {
      double more = compute_ != nullptr ? MoreReads(way) : 0;
      double more_bypassing = 0;
      for (size_t i = 0; i < members_.size(); ++i) {
        if (bounder_.shared_[i] == 0) continue;
        const Edge& edge = *members_[i].edge;
        const EdgeTraffic& words = At(depth, i).words;
        const double groups = words.lanes / (bounder_.shared_[i] * way[edge.tensor]);
        if (groups <= words.groups) continue;
        double cost = edge.shares ? (groups - words.groups) * edge.at_parent : 0;
        if (edge.output) {
          const double back = std::max(0.0, groups - words.first);
          cost += (back - std::max(0.0, words.groups - words.first)) * edge.back;
        }
        more += cost;
        if (edge.parent + 1 < bounder_.bypassing_level_) more_bypassing += cost;
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
    const double copies = std::min(most_copies_, bounder_.shared_[copies_] * way[edge.tensor]);
    const EdgeTraffic& words = compute_words_;
    return (std::max(0.0, words.groups - words.first * copies) -
            std::max(0.0, words.groups - words.first * most_copies_)) *
           edge.back;
  }

  // Counts what has just been charged.
  void Take(const Charges& sum) {
    best_.energy_pj = std::min(best_.energy_pj, sum.all.energy_pj);
    best_.offchip_words = std::min(best_.offchip_words, sum.all.offchip_words);
    most_passing_.energy_pj = std::max(most_passing_.energy_pj, sum.bypassing.energy_pj);
    most_passing_.offchip_words =
        std::max(most_passing_.offchip_words, sum.bypassing.offchip_words);
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
    const bool no_better =
        sum.all.energy_pj >= best_.energy_pj && sum.all.offchip_words >= best_.offchip_words;
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
  EdgeTraffic compute_words_;  // `first`: of one copy
  double most_copies_ = 1;
  LowerBound best_ = {kInfinity, 0, kInfinity};
  LowerBound most_passing_;
};

// The edges whose tile is moved by a group, in any order of its loops. `inner`: the innermost one.
void Bounder::AddGroup(const Rows& rows, const Group& group, const std::vector<Member>& members,
                       int inner, LowerBound* least) {
  if (members.empty()) return;
  const size_t depth = order_depth_;
  // Whether every lane drains its outputs just once, as far as these bounds go.
  const Member* drained_once = nullptr;
  for (const Member& member : members) {
    if (inner == kAnyDim || depth > 1 || group.from != 0 || !member.edge->output) continue;
    const auto& rank_of = frame_.tensors[member.edge->tensor].rank_of;
    const bool once = inner < 0 || rank_of[static_cast<size_t>(inner)] < 0;
    // What is counted elsewhere cannot make up for the reads that compute saves.
    const bool bypasses = member.edge->parent + 1 < bypassing_level_;
    if (once && !bypasses && IsInnermost(*member.edge)) drained_once = &member;
  }
  if (drained_once != nullptr) output_copies_ = drained_once->terms->lanes;
  LoopOrderSearch search(this, rows, group, members, inner, depth, drained_once != nullptr);
  search.From(inner);
  bypassing_.energy_pj += search.most_bypassing().energy_pj;
  bypassing_.offchip_words += search.most_bypassing().offchip_words;
  least->energy_pj += search.best().energy_pj;
  least->offchip_words += search.best().offchip_words;
  for (size_t p = 0; p < port_sum_.size(); ++p) port_sum_[p] += port_least_[p];
}

}  // namespace inlay::exact_search
