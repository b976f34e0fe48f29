#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "inlay/mapper/exact/chain_tree.h"
#include "inlay/mapper/exact/keep_case.h"

namespace inlay::exact_search {

// Lanes and steps of the array while the dimensions take their lanes one after the other. `depth`
// is the number of dimensions that have theirs.
class LaneCounter {
 public:
  LaneCounter(const Space& space, const KeepCase& keep_case, const RowLayout& layout);

  // Before the first dimension; they come in this order.
  void Open(const std::vector<ChainTree>& trees, const std::vector<size_t>& dim_order);
  // The dimension at `depth` takes the lanes of a node; false if there are not so many left.
  bool Take(size_t depth, const ChainTree& tree, const ChainTree::Node& node);
  // The steps at least, if those of the dimension at `depth` are `own`: the dimensions that come
  // later share the lanes that are left.
  double StepsAt(size_t depth, double own);
  // The steps at least, before any dimension has taken lanes.
  double FewestSteps() { return OpenSteps(0); }
  void SetSteps(size_t depth, double own) { steps_[depth + 1] = steps_[depth] * own; }
  // Lanes left for the dimensions that come after `depth`.
  double LeftAfter(size_t depth) const { return left_[depth + 1]; }
  // Whether all dimensions together take as many lanes as the constraints ask for.
  bool Suffice() const;

  // Where a row holds the steps of one dimension.
  size_t OwnSteps() const { return own_steps_; }

 private:
  // What is left of a spatial slot is one of few numbers: the whole parts of its lanes divided by
  // 1, 2, 3, ….
  struct Slot {
    std::vector<int64_t> left;   // these numbers, ascending
    std::vector<uint32_t> rank;  // of each, by the number
  };
  void ListStates();
  double OpenSteps(size_t depth);
  double FewestFrom(size_t depth, size_t state);

  const Space& space_;
  const KeepCase& keep_case_;
  std::vector<SlotId> spatial_;
  size_t own_steps_, operations_;
  std::vector<std::vector<int64_t>> lanes_;  // [depth][spatial slot]: product so far
  // By depth: steps of the dimensions decided; operations of those that are not; lanes left for
  // these.
  std::vector<double> steps_, open_operations_, left_;

  // The fewest steps of the dimensions from a depth on with the lanes of a state, [depth][state];
  // −1: not known yet. Empty where there are too many states.
  using Table = std::vector<double>;
  std::vector<Slot> slots_;
  size_t states_ = 0;
  std::vector<size_t> state_;                    // by depth
  std::map<std::vector<size_t>, Table> tables_;  // by the order of dimensions
  Table* table_ = nullptr;
  const std::vector<ChainTree>* trees_ = nullptr;
  std::vector<size_t> order_;
};

}  // namespace inlay::exact_search
