#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/edge_bounds.h"
#include "inlay/mapper/front/archive.h"
#include "inlay/mapper/front/bypass_cases.h"

namespace inlay::exact_search {

// Lower bounds of the off-chip words by the order of the loops of level 0, while the tiles of level
// 1 are decided or in ranges. Orders are the dimensions of the innermost loops, inner to outer.
class OuterOrderBounds {
 public:
  OuterOrderBounds(const KeepCase& keep_case, const BypassCases& cases, const FrontArchive& archive)
      : keep_case_(keep_case), cases_(cases), archive_(archive) {}

  // Takes up a set that the cases have bounded; it outlives what is then asked of it.
  void Begin(const MappingSet& set);
  // Off-chip words of everything, whatever the case.
  double WordsInOrder(const std::vector<size_t>& order) const;
  // Off-chip words of a bypassing edge that no loop inside level 0 moves.
  double StillWords(size_t edge, const std::vector<size_t>& order) const {
    return OffchipInOrder(*set_, *cases_.edges()[edge], bypassing_terms_[edge], order);
  }
  // Whether, in a set that the cases have bounded, some order is not excluded by the archive in
  // some case, if the cases take so many cycles at least.
  bool SomeOrderMayImprove(const MappingSet& set, const std::vector<double>& case_cycles);

 private:
  double PlacedWords(const Edge& edge, const EdgeTerms& terms, bool* settled) const;
  bool PlaceMayImprove(const std::vector<double>& case_cycles);

  const KeepCase& keep_case_;
  const BypassCases& cases_;
  const FrontArchive& archive_;
  const MappingSet* set_ = nullptr;
  std::vector<EdgeTerms> level1_terms_, bypassing_terms_;  // by edge
  std::vector<size_t> waiting_, placed_;                   // loops of level 0; inner to outer
  uint64_t anywhere_ = 0;  // of the loops placed, those that may also stand further out
};

}  // namespace inlay::exact_search
