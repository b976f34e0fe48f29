#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/chains.h"

namespace inlay::exact_search {

// The fewest steps of the array that the lanes allow while nothing about the lanes is decided:
// every combination of the dimensions' lanes is looked at, as far as it can be of use.
class FewestStepsSearch {
 public:
  // Once the watch has passed, what it finds is incomplete and must not be used.
  FewestStepsSearch(const Space& space, const Chains& chains, DeadlineWatch* watch);

  // Of the mappings in these nodes of a stage in which dimension d has no temporal loop at the
  // levels `still[d]` (a bit each). At least `cut` if it is not below that.
  double Fewest(size_t stage, const std::vector<uint32_t>& nodes,
                const std::vector<uint64_t>& still, double cut);

 private:
  struct Option {
    double steps = 1;            // of the dimension
    uint64_t loops = 0;          // levels with a temporal loop
    std::vector<int64_t> lanes;  // by spatial slot
  };
  using Options = std::vector<Option>;  // by steps; none is beaten by another
  const Options& OptionsOf(size_t stage, size_t dim, uint32_t node);
  void Collect(size_t stage, size_t dim, uint32_t node, Options* options) const;
  void Descend(size_t depth, double steps);

  const Space& space_;
  const Chains& chains_;
  DeadlineWatch* watch_;
  std::vector<SlotId> spatial_;
  size_t own_steps_, operations_;
  std::vector<std::vector<std::vector<Options>>> options_;  // [stage][dim][node]; empty: not yet
  std::vector<const Options*> of_;                          // by depth
  std::vector<uint64_t> still_;                             // by depth
  std::vector<double> rest_, rest_operations_;              // by depth, of those behind it
  std::vector<std::vector<int64_t>> lanes_;                 // [depth][slot]: product so far
  double best_ = 0;
};

}  // namespace inlay::exact_search
