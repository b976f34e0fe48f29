#include "inlay/mapper/gp/rounding.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace inlay::gp {
namespace {

class ChainLister {
 public:
  ChainLister(const Space& space, const Unknowns& unknowns, const Values& values, int nearest,
              bool all_lanes, DimId dim)
      : space_(space), nearest_(static_cast<size_t>(nearest)), all_lanes_(all_lanes), dim_(dim) {
    slots_ = unknowns.slots_of(dim);
    double inside = 1;
    real_.resize(slots_.size());
    for (size_t i = slots_.size(); i-- > 0;) {
      real_[i] = inside;
      inside *= ValueOf(unknowns.steps(slots_[i], dim), values);
    }
    chain_.bound = space.problem.dims[dim].bound;
    chain_.steps.assign(space.slots.size(), 1);
    chain_.tiles.assign(space.slots.size(), 1);
  }

  // The closest ones, closest first.
  std::vector<Chain> Run(size_t most) {
    Choose(0, 0, chain_.bound);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& a, const Found& b) { return a.distance < b.distance; });
    if (all_lanes_) {
      std::map<std::vector<int64_t>, int> seen;
      for (Found& found : found_) found.rank = seen[LanesOf(found.chain)]++;
      std::stable_sort(found_.begin(), found_.end(),
                       [](const Found& a, const Found& b) { return a.rank < b.rank; });
    }
    std::vector<Chain> chains;
    for (Found& found : found_) {
      if (chains.size() < most) chains.push_back(std::move(found.chain));
    }
    return chains;
  }

 private:
  struct Found {
    double distance = 0;
    Chain chain;
    int rank = 0;  // among those of the same unrolling
  };

  bool IsSpatial(SlotId slot) const { return space_.slots[slot].axis != Axis::kTime; }

  std::vector<int64_t> LanesOf(const Chain& chain) const {
    std::vector<int64_t> lanes;
    for (SlotId slot : Ids(space_.slots)) {
      if (IsSpatial(slot)) lanes.push_back(chain.steps[slot]);
    }
    return lanes;
  }

  bool IsAllowed(SlotId slot, int64_t steps) const {
    const FactorRange& range = space_.factors[slot][dim_];
    const Slot& place = space_.slots[slot];
    return steps >= range.min && steps <= range.max &&
           (place.axis == Axis::kTime || steps <= place.max_lanes);
  }

  // `so_far`: squares of the logarithms of all ratios.
  void Choose(size_t i, double so_far, int64_t range) {
    if (i == slots_.size()) {
      if (range == 1 && UnrollingAllowed(space_, dim_, chain_.steps)) Complete(so_far);
      return;
    }
    std::vector<int64_t> tiles;
    for (const int64_t tile : DivisorsOf(range)) {
      if (IsAllowed(slots_[i], range / tile)) tiles.push_back(tile);
    }
    if (i + 1 == slots_.size()) {
      std::erase_if(tiles, [](int64_t tile) { return tile != 1; });
    }
    const double real = real_[i];
    const auto distance = [real](int64_t tile) {
      return std::abs(std::log(static_cast<double>(tile) / real));
    };
    std::stable_sort(tiles.begin(), tiles.end(),
                     [&](int64_t a, int64_t b) { return distance(a) < distance(b); });
    const bool all = all_lanes_ && IsSpatial(slots_[i]);
    if (!all && tiles.size() > nearest_) tiles.resize(nearest_);
    for (const int64_t tile : tiles) {
      chain_.steps[slots_[i]] = range / tile;
      Choose(i + 1, so_far + distance(tile) * distance(tile), tile);
    }
  }

  void Complete(double distance) {
    Chain chain = chain_;
    int64_t tile = chain.bound;
    for (SlotId slot : Ids(space_.slots)) {
      tile /= chain.steps[slot];
      chain.tiles[slot] = tile;
    }
    found_.push_back({distance, std::move(chain), 0});
  }

  const Space& space_;
  size_t nearest_;
  bool all_lanes_;
  DimId dim_;
  std::vector<SlotId> slots_;
  std::vector<double> real_;  // tile inside each of them
  Chain chain_;
  std::vector<Found> found_;
};

// All iterations in one slot.
Chain WholeChain(const Space& space, DimId dim, SlotId whole_slot) {
  Chain chain;
  chain.bound = space.problem.dims[dim].bound;
  for (SlotId slot : Ids(space.slots)) {
    chain.steps.push_back(slot == whole_slot ? chain.bound : 1);
    chain.tiles.push_back(slot < whole_slot ? chain.bound : 1);
  }
  return chain;
}

}  // namespace

IndexedVector<DimId, std::vector<Chain>> NearestChains(const Space& space, const Unknowns& unknowns,
                                                       const Values& values, int nearest,
                                                       double most, bool all_lanes) {
  int tiled = 0;
  for (DimId d : Ids(space.problem.dims)) tiled += unknowns.is_tiled(d) ? 1 : 0;
  const double each = std::pow(most, 1.0 / std::max(tiled, 1));
  IndexedVector<DimId, std::vector<Chain>> chains;
  for (DimId d : Ids(space.problem.dims)) {
    if (unknowns.is_tiled(d)) {
      ChainLister lister(space, unknowns, values, nearest, all_lanes, d);
      chains.push_back(lister.Run(static_cast<size_t>(std::max(each, 1.0))));
    } else {
      chains.push_back({WholeChain(space, d, unknowns.whole_slot(d))});
    }
  }
  return chains;
}

}  // namespace inlay::gp
