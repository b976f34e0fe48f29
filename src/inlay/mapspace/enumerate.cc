#include "inlay/mapspace/enumerate.h"

#include <algorithm>
#include <vector>

#include "inlay/mapspace/tilings.h"

namespace inlay {
namespace {

class Enumeration {
 public:
  Enumeration(const Space& space, const MappingVisitor& visit) : space_(space), visit_(visit) {
    for (DimId d : Ids(space.problem.dims)) all_chains_.push_back(ChainsOf(space, d));
    chains_.resize(space.problem.dims.size());
    orders_.resize(space.architecture.levels.size());
    keeps_.resize(space.architecture.levels.size());
  }

  bool Run() { return ChooseChain(DimId(0)); }

 private:
  bool ChooseChain(DimId dim) {
    if (dim.value() == chains_.size()) {
      if (!EnoughLanesUsed()) return true;
      problem_ = ProblemOf(space_, chains_);
      return ChooseOrder(LevelId(0));
    }
    for (const Chain& chain : all_chains_[dim]) {
      chains_[dim] = chain;
      if (!LanesSuffice()) continue;
      if (!ChooseChain(DimId(dim.value() + 1))) return false;
    }
    chains_[dim] = Chain();
    return true;
  }

  bool LanesSuffice() const {
    for (SlotId s : Ids(space_.slots)) {
      if (space_.slots[s].axis != Axis::kTime && Lanes(s) > space_.slots[s].max_lanes) return false;
    }
    return true;
  }

  bool EnoughLanesUsed() const {
    for (LevelId l : Ids(space_.min_lanes)) {
      const int64_t lanes = Lanes(SlotId(3 * l.value() + 1)) * Lanes(SlotId(3 * l.value() + 2));
      if (lanes < space_.min_lanes[l]) return false;
    }
    return true;
  }

  int64_t Lanes(SlotId slot) const {
    int64_t lanes = 1;
    for (const Chain& chain : chains_) {
      if (!chain.steps.empty()) lanes *= chain.steps[slot];  // empty: not chosen yet
    }
    return lanes;
  }

  bool ChooseOrder(LevelId level) {
    if (level.value() == orders_.size()) return ChooseKeep(LevelId(0));
    std::vector<DimId> loops;
    for (DimId d : Ids(chains_)) {
      if (chains_[d].steps[SlotId(3 * level.value())] > 1) loops.push_back(d);
    }
    for (const std::vector<DimId>& order : OrdersOf(space_.orders[level], loops)) {
      orders_[level] = order;
      if (!ChooseOrder(LevelId(level.value() + 1))) return false;
    }
    return true;
  }

  bool ChooseKeep(LevelId level) {
    if (level.value() == keeps_.size()) {
      return !AllKept() || visit_(problem_, AssembleMapping(space_, chains_, orders_, keeps_));
    }
    for (const TensorSet keep : space_.keeps[level]) {
      keeps_[level] = keep;
      if (!ChooseKeep(LevelId(level.value() + 1))) return false;
    }
    return true;
  }

  bool AllKept() const {
    uint64_t kept = 0;
    for (const TensorSet keep : keeps_) kept |= keep.bits();
    return kept == TensorSet::FirstN(space_.problem.tensors.size()).bits();
  }

  const Space& space_;
  const MappingVisitor& visit_;
  IndexedVector<DimId, std::vector<Chain>> all_chains_;
  IndexedVector<DimId, Chain> chains_;
  IndexedVector<LevelId, std::vector<DimId>> orders_;
  IndexedVector<LevelId, TensorSet> keeps_;
  Problem problem_;
};

}  // namespace

std::vector<std::vector<DimId>> OrdersOf(const OrderRule& rule, const std::vector<DimId>& loops) {
  std::vector<DimId> head, middle, tail;
  for (DimId d : rule.outermost) {
    if (Contains(loops, d)) head.push_back(d);
  }
  for (DimId d : rule.innermost) {
    if (Contains(loops, d)) tail.insert(tail.begin(), d);
  }
  for (DimId d : loops) {
    if (!Contains(head, d) && !Contains(tail, d)) middle.push_back(d);
  }
  std::sort(middle.begin(), middle.end());
  std::vector<std::vector<DimId>> orders;
  do {
    std::vector<DimId> order = head;
    order.insert(order.end(), middle.begin(), middle.end());
    order.insert(order.end(), tail.begin(), tail.end());
    orders.push_back(std::move(order));
  } while (std::next_permutation(middle.begin(), middle.end()));
  return orders;
}

bool ForEachMapping(const Space& space, const MappingVisitor& visit) {
  return Enumeration(space, visit).Run();
}

}  // namespace inlay
