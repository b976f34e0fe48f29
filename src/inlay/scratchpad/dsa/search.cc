#include "inlay/scratchpad/dsa/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay::dsa {

Search::Search(const Instance& instance, const Options& options, DeadlineWatch* watch)
    : instance_(instance),
      options_(options),
      watch_(watch),
      state_(instance, options.section_bound) {
  trouble_.assign(instance.sections, 0.0);
  load_ratio_.assign(instance.items.size(), 0.0);
  order_key_.assign(instance.items.size(), 0.0);
  std::vector<double> load(instance.sections, 0.0);
  for (const Item& item : instance.items) {
    for (SectionId s = item.first; s <= item.last; ++s) {
      load[s.value()] += static_cast<double>(item.size);
    }
  }
  for (const ItemId i : Ids(instance.items)) {
    const Item& item = instance.items[i];
    double most = 0;
    for (SectionId s = item.first; s <= item.last; ++s) most = std::max(most, load[s.value()]);
    load_ratio_[i] = most / static_cast<double>(std::max<int64_t>(1, instance.capacity));
  }
}

Search::Outcome Search::Run(const Rule& rule, int64_t nodes) {
  if (!begun_) hopeless_ = !state_.Begin();
  begun_ = true;
  if (hopeless_) return Outcome::kInfeasible;
  rule_ = rule;
  limit_ = nodes > std::numeric_limits<int64_t>::max() - nodes_
               ? std::numeric_limits<int64_t>::max()
               : nodes_ + nodes;
  for (const ItemId i : Ids(instance_.items)) {
    const Item& item = instance_.items[i];
    const auto length = static_cast<double>(item.last.value() - item.first.value() + 1);
    order_key_[i] = rule.size_power * std::log(static_cast<double>(item.size)) +
                    rule.length_power * std::log(length) + rule.load_weight * load_ratio_[i];
  }
  const size_t mark = state_.Mark();
  const Outcome outcome = ExploreParts(SectionId(0), SectionId(instance_.sections - 1));
  if (outcome != Outcome::kPlaced) state_.UndoTo(mark);
  return outcome;
}

// Sections between which no buffer is left to be placed are independent of each other: the first
// part that does not fit refutes them all.
Search::Outcome Search::ExploreParts(SectionId first, SectionId last) {
  for (SectionId from = first; from <= last;) {
    SectionId to = from;
    while (to < last && state_.Crossed(to)) ++to;
    if (state_.At(from).floor != State::kNever || from < to) {
      const Outcome outcome = Explore(from, to);
      if (outcome != Outcome::kPlaced) return outcome;
    }
    from = SectionId(to.value() + 1);
  }
  return Outcome::kPlaced;
}

Search::Outcome Search::Explore(SectionId first, SectionId last) {
  while (true) {
    if (nodes_ >= limit_ || watch_->Passed()) return Outcome::kCut;
    ++nodes_;
    SectionId section;
    if (!ChooseSection(first, last, &section)) return Outcome::kPlaced;
    const std::vector<ItemId> candidates = CandidatesAt(section);
    const size_t mark = state_.Mark();
    for (size_t k = 0; k < candidates.size(); ++k) {
      bool seen = false;
      for (size_t j = 0; j < k && !seen; ++j) seen = Identical(candidates[j], candidates[k]);
      if (seen && options_.skip_identical) continue;
      if (state_.Place(candidates[k])) {
        const Outcome outcome = ExploreParts(first, last);
        if (outcome != Outcome::kInfeasible) return outcome;
      } else {
        NoteFailure();
      }
      state_.UndoTo(mark);
    }
    // None of them: the caller undoes it.
    if (!state_.Block(candidates)) {
      NoteFailure();
      return Outcome::kInfeasible;
    }
  }
}

bool Search::ChooseSection(SectionId first, SectionId last, SectionId* chosen) const {
  double best = std::numeric_limits<double>::infinity();
  bool found = false;
  for (SectionId s = first; s <= last; ++s) {
    const State::Section& at = state_.At(s);
    if (at.floor == State::kNever || at.candidates == 0) continue;
    const double score = Score(s);
    if ((found && score >= best) || !Eligible(s)) continue;
    best = score;
    *chosen = s;
    found = true;
  }
  return found;
}

// All candidates must be able to rest where they are: nothing that lives with them may have to be
// placed lower first.
bool Search::Eligible(SectionId s) const {
  const int64_t floor = state_.At(s).floor;
  for (const ItemId i : state_.Members(s)) {
    if (state_.Placed(i) || state_.Start(i) != floor) continue;
    for (SectionId t = instance_.items[i].first; t <= instance_.items[i].last; ++t) {
      if (state_.At(t).floor < floor) return false;
    }
  }
  return true;
}

double Search::Score(SectionId s) const {
  const State::Section& at = state_.At(s);
  const auto slack = static_cast<double>(at.slack);
  const auto candidates = static_cast<double>(at.candidates);
  switch (rule_.section) {
    case SectionRule::kFewCandidates:
      return candidates * candidates * (slack + static_cast<double>(instance_.capacity) + 1) /
             (1 + trouble_[s] / trouble_step_);
    case SectionRule::kLeastSlack:
      return slack;
  }
  return 0;
}

std::vector<ItemId> Search::CandidatesAt(SectionId s) const {
  const int64_t floor = state_.At(s).floor;
  std::vector<ItemId> candidates;
  for (const ItemId i : state_.Members(s)) {
    if (!state_.Placed(i) && state_.Start(i) == floor) candidates.push_back(i);
  }
  std::sort(candidates.begin(), candidates.end(), [&](ItemId a, ItemId b) {
    return order_key_[a] != order_key_[b] ? order_key_[a] > order_key_[b] : a < b;
  });
  return candidates;
}

bool Search::Identical(ItemId a, ItemId b) const {
  const Item &x = instance_.items[a], &y = instance_.items[b];
  return x.first == y.first && x.last == y.last && x.size == y.size && x.alignment == y.alignment &&
         x.max_start == y.max_start;
}

// Instead of all others decaying, each failure counts more than the one before.
void Search::NoteFailure() {
  trouble_[state_.FailedAt()] += trouble_step_;
  trouble_step_ *= 1.01;
  if (trouble_step_ < 1e100) return;
  for (double& trouble : trouble_) trouble /= trouble_step_;
  trouble_step_ = 1;
}

}  // namespace inlay::dsa
