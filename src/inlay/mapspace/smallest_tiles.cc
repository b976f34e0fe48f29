#include "inlay/mapspace/smallest_tiles.h"

#include <algorithm>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapspace/tilings.h"

namespace inlay {
namespace {

std::optional<Chain> LazyChain(const Space& space, DimId dim) {
  const std::vector<CutSlot> cuts = CutsOf(space, dim);
  size_t sink = cuts.size();
  for (size_t i = 0; i < cuts.size(); ++i) {  // the outermost slot of time
    if (space.slots[cuts[i].slot].axis != Axis::kTime) continue;
    if (sink == cuts.size() || cuts[i].slot < cuts[sink].slot) sink = i;
  }
  Chain chain;
  chain.steps.assign(space.slots.size(), 1);
  chain.tiles.assign(space.slots.size(), 1);
  const bool any = space.mapspace == Mapspace::kAny;
  int64_t inner = 1;  // steps of the cuts inside the sink
  for (size_t i = any ? sink + 1 : cuts.size(); i < cuts.size(); ++i) {
    const auto more = CheckedMultiply(inner, std::max<int64_t>(1, cuts[i].range.min));
    if (!more) return std::nullopt;
    inner = *more;
  }
  int64_t left = space.problem.dims[dim].bound;
  for (size_t i = 0; i < cuts.size(); ++i) {
    const CutSlot& cut = cuts[i];
    int64_t steps = std::max<int64_t>(1, cut.range.min);
    int64_t tile = CeilDiv(left, steps);
    if (i == sink) {
      tile = any ? std::min(inner, left) : 1;
      steps = CeilDiv(left, tile);
    }
    const bool divides = left % steps == 0;
    if (cut.cut == Cut::kDivide && !divides) return std::nullopt;
    if (cut.cut == Cut::kRound && (steps > left || (!divides && steps > cut.most_rounded))) {
      return std::nullopt;
    }
    if (any) steps = CeilDiv(left, tile);
    if (steps < cut.range.min || steps > cut.range.max) return std::nullopt;
    chain.steps[cut.slot] = steps;
    chain.tiles[cut.slot] = tile;
    left = tile;
  }
  if (left != 1 || !UnrollingAllowed(space, dim, chain.steps)) return std::nullopt;
  CompleteChain(space, dim, &chain);
  return chain;
}

bool LanesAllowed(const Space& space, const IndexedVector<DimId, Chain>& chains) {
  IndexedVector<LevelId, int64_t> below(space.min_lanes.size(), 1);
  for (SlotId s : Ids(space.slots)) {
    if (space.slots[s].axis == Axis::kTime) continue;
    int64_t lanes = 1;
    for (const Chain& chain : chains) {
      lanes *= chain.steps[s];
      if (lanes > space.slots[s].max_lanes) return false;
    }
    below[space.slots[s].level] *= lanes;
  }
  return std::equal(below.begin(), below.end(), space.min_lanes.begin(),
                    [](int64_t lanes, int64_t least) { return lanes >= least; });
}

// What must be kept, and the rest at the outermost level that may keep it.
std::optional<IndexedVector<LevelId, TensorSet>> LazyKeeps(const Space& space) {
  IndexedVector<LevelId, TensorSet> keeps;
  uint64_t kept = 0;
  for (const auto& choices : space.keeps) {
    keeps.push_back(choices.front());
    kept |= choices.front().bits();
  }
  for (TensorId t : Ids(space.problem.tensors)) {
    if (((kept >> t.value()) & 1) != 0) continue;
    const auto home = std::find_if(space.keeps.begin(), space.keeps.end(),
                                   [t](const auto& c) { return c.back().contains(t); });
    if (home == space.keeps.end()) return std::nullopt;
    keeps[LevelId(static_cast<size_t>(home - space.keeps.begin()))].insert(t);
  }
  return keeps;
}

}  // namespace

std::optional<std::pair<Problem, Mapping>> SmallestTiles(const Space& space) {
  IndexedVector<DimId, Chain> chains;
  for (DimId d : Ids(space.problem.dims)) {
    auto chain = LazyChain(space, d);
    if (!chain) return std::nullopt;
    chains.push_back(std::move(*chain));
  }
  const auto keeps = LazyKeeps(space);
  if (!keeps || !LanesAllowed(space, chains)) return std::nullopt;
  IndexedVector<LevelId, std::vector<DimId>> orders;
  for (const OrderRule& rule : space.orders) {
    std::vector<DimId> order = rule.outermost;
    const auto listed = [](const std::vector<DimId>& list, DimId d) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    for (DimId d : Ids(space.problem.dims)) {
      if (!listed(rule.outermost, d) && !listed(rule.innermost, d)) order.push_back(d);
    }
    order.insert(order.end(), rule.innermost.rbegin(), rule.innermost.rend());
    orders.push_back(std::move(order));
  }
  return std::pair(ProblemOf(space, chains), AssembleMapping(space, chains, orders, *keeps));
}

}  // namespace inlay
