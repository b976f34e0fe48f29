#include "inlay/mapper/front/outer_order_bounds.h"

#include <algorithm>

namespace inlay::exact_search {

void OuterOrderBounds::Begin(const MappingSet& set) {
  set_ = &set;
  level1_terms_.clear();
  bypassing_terms_.clear();
  for (const Edge& edge : keep_case_.edges[1]) level1_terms_.push_back(TermsOf(set, edge));
  for (const Edge* edge : cases_.edges()) bypassing_terms_.push_back(TermsOf(set, *edge));
}

double OuterOrderBounds::WordsInOrder(const std::vector<size_t>& order) const {
  double words = 0;
  for (size_t e = 0; e < keep_case_.edges[1].size(); ++e) {
    const Edge& edge = keep_case_.edges[1][e];
    if (edge.offchip) words += OffchipInOrder(*set_, edge, level1_terms_[e], order);
  }
  for (size_t i = 0; i < cases_.edges().size(); ++i) {
    words += std::min(cases_.MovedWords(i, BypassCases::Motion::kPartly), StillWords(i, order));
  }
  return words;
}

bool OuterOrderBounds::SomeOrderMayImprove(const MappingSet& set,
                                           const std::vector<double>& case_cycles) {
  waiting_.clear();
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const bool may = set.rows[d][RowLayout::MayMove(0)] != 0;
    const bool must = set.rows[d][RowLayout::MustMove(0)] != 0;
    if (may != must) return true;  // which loops there are is open
    if (may) waiting_.push_back(d);
  }
  placed_.clear();
  anywhere_ = 0;
  Begin(set);
  return PlaceMayImprove(case_cycles);
}

// Of one edge if the innermost loops of level 0 are those placed; *settled: loops further out do
// not change it.
double OuterOrderBounds::PlacedWords(const Edge& edge, const EdgeTerms& terms,
                                     bool* settled) const {
  const KeepCase::TensorRanks& tensor = keep_case_.tensors[edge.tensor];
  *settled = false;
  for (const size_t d : placed_) {
    if (tensor.rank_of[d] < 0) continue;
    bool alone = true;
    for (const KeepCase::Term& term : tensor.ranks[static_cast<size_t>(tensor.rank_of[d])]) {
      const bool moves = set_->rows[term.dim][set_->layout.At(edge.child) + kMoves] != 0;
      alone = alone && (term.dim == d || !moves);
    }
    *settled = *settled || alone;
  }
  return OffchipInOrder(*set_, edge, terms, placed_, anywhere_);
}

bool OuterOrderBounds::PlaceMayImprove(const std::vector<double>& case_cycles) {
  double words = 0;
  uint64_t open = 0;  // dimensions that concern what is not settled
  const auto look = [&](const Edge& edge, const EdgeTerms& terms) {
    bool settled = false;
    const double own = PlacedWords(edge, terms, &settled);
    for (size_t d = 0; d < keep_case_.dims && !settled; ++d) {
      if (keep_case_.tensors[edge.tensor].rank_of[d] >= 0) open |= uint64_t{1} << d;
    }
    return own;
  };
  for (size_t e = 0; e < keep_case_.edges[1].size(); ++e) {
    if (keep_case_.edges[1][e].offchip) words += look(keep_case_.edges[1][e], level1_terms_[e]);
  }
  const std::vector<const Edge*>& bypassing = cases_.edges();
  std::vector<double> still;
  for (size_t i = 0; i < bypassing.size(); ++i) {
    still.push_back(look(*bypassing[i], bypassing_terms_[i]));
  }
  bool may_improve = false;
  for (size_t c = 0; c < cases_.size() && !may_improve; ++c) {
    double all = words;
    for (size_t i = 0; i < bypassing.size(); ++i) {
      const BypassCases::Motion motion = cases_.MotionOf(c, i);
      all += motion == BypassCases::Motion::kStill ? still[i] : cases_.MovedWords(i, motion);
    }
    may_improve = case_cycles[c] < archive_.CyclesAt(SafeBound({0, 0, all}, Metric::kOffchip));
  }
  if (!may_improve || open == 0 || waiting_.empty()) return may_improve;
  // A loop that concerns nothing open costs least inside; what it does to the others is not asked.
  const uint64_t anywhere = anywhere_;
  size_t first = 0, end = waiting_.size();
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if ((open >> waiting_[i] & 1) != 0) continue;
    first = i;
    end = i + 1;
    anywhere_ |= uint64_t{1} << waiting_[i];
    break;
  }
  for (size_t i = first; i < end; ++i) {
    const size_t d = waiting_[i];
    waiting_.erase(waiting_.begin() + static_cast<int64_t>(i));
    placed_.push_back(d);
    const bool found = PlaceMayImprove(case_cycles);
    placed_.pop_back();
    waiting_.insert(waiting_.begin() + static_cast<int64_t>(i), d);
    if (found) return true;
  }
  anywhere_ = anywhere;
  return false;
}

}  // namespace inlay::exact_search
