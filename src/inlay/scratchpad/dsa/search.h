#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/dsa/state.h"

namespace inlay::dsa {

// Which section is branched on.
enum class SectionRule {
  kFewCandidates,  // few candidates and little slack, where there was trouble before
  kLeastSlack,
};

// One way through the tree: the section rule, and size^a · length^b · e^(c · load ratio) by which
// candidates are tried, largest first.
struct Rule {
  SectionRule section = SectionRule::kFewCandidates;
  double size_power = 1, length_power = 0, load_weight = 0;
};

// The search of one part, by branching on points: which of the buffers that may start at the floor
// of a section does so, or none of them. The branches exclude each other.
class Search {
 public:
  enum class Outcome { kPlaced, kInfeasible, kCut };

  Search(const Instance& instance, const Options& options, DeadlineWatch* watch);

  // From the beginning; kCut after `nodes` nodes or when the deadline has passed.
  Outcome Run(const Rule& rule, int64_t nodes);

  int64_t nodes() const { return nodes_; }
  int64_t StartOf(ItemId i) const { return state_.Start(i); }  // if placed

 private:
  Outcome Explore(SectionId first, SectionId last);
  Outcome ExploreParts(SectionId first, SectionId last);
  bool ChooseSection(SectionId first, SectionId last, SectionId* chosen) const;
  bool Eligible(SectionId s) const;
  double Score(SectionId s) const;
  std::vector<ItemId> CandidatesAt(SectionId s) const;
  bool Identical(ItemId a, ItemId b) const;
  void NoteFailure();

  const Instance& instance_;
  const Options& options_;
  DeadlineWatch* watch_;
  State state_;
  bool begun_ = false, hopeless_ = false;
  Rule rule_;
  IndexedVector<ItemId, double> load_ratio_, order_key_;
  IndexedVector<SectionId, double> trouble_;  // how often and how lately it failed there
  double trouble_step_ = 1;
  int64_t nodes_ = 0, limit_ = 0;
};

}  // namespace inlay::dsa
