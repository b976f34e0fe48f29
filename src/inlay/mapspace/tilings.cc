#include "inlay/mapspace/tilings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/prime_factors.h"

namespace inlay {
namespace {

class ChainWalk {
 public:
  ChainWalk(const Space& space, DimId dim, const std::function<bool(const Chain&)>& visit,
            DeadlineWatch* watch)
      : space_(space), dim_(dim), visit_(visit), watch_(watch), cuts_(CutsOf(space, dim)) {
    chain_.steps.assign(space.slots.size(), 1);
    chain_.tiles.assign(space.slots.size(), 1);
    reach_.assign(cuts_.size() + 1, 1);
    for (size_t i = cuts_.size(); i-- > 0;) {
      const int64_t most = std::max<int64_t>(cuts_[i].range.max, 0);
      reach_[i] = CheckedMultiply(reach_[i + 1], most).value_or(FactorRange::kUnlimited);
    }
  }

  bool Run() { return Walk(0, space_.problem.dims[dim_].bound); }

 private:
  // `left`: tiles, or for kTile the iterations of a tile, that the remaining slots have to cover.
  bool Walk(size_t i, int64_t left) {
    if (left > reach_[i]) return true;
    if (i == cuts_.size()) return Leaf();
    const FactorRange& range = cuts_[i].range;
    // What is left has to be within the reach of the slots that follow; without this a large bound
    // is stepped through for nothing.
    const int64_t reach = std::max<int64_t>(reach_[i + 1], 1);
    const int64_t least = std::max(range.min, CeilDiv(left, reach));
    switch (cuts_[i].cut) {
      case Cut::kDivide:
        for (const int64_t steps : DivisorsOf(left)) {
          if (!Try(i, steps, left / steps)) return false;
        }
        return true;
      case Cut::kRound:
        for (int64_t steps = least; steps <= std::min(range.max, left); ++steps) {
          const bool allowed = steps <= cuts_[i].most_rounded || left % steps == 0;
          if (allowed ? !Try(i, steps, CeilDiv(left, steps)) : IsOver()) return false;
        }
        return true;
      case Cut::kPad:
        for (int64_t steps = least; steps <= range.max; ++steps) {
          if (!Try(i, steps, CeilDiv(left, steps))) return false;
        }
        return true;
      case Cut::kTile:
        for (int64_t tile = std::min(left, reach); tile >= 1; --tile) {
          chain_.tiles[cuts_[i].slot] = tile;
          if (!Try(i, CeilDiv(left, tile), tile)) return false;
        }
        return true;
    }
    return true;
  }

  bool IsOver() { return watch_ != nullptr && watch_->Passed(); }

  bool Try(size_t i, int64_t steps, int64_t left) {
    if (IsOver()) return false;
    if (steps < cuts_[i].range.min || steps > cuts_[i].range.max) return true;
    chain_.steps[cuts_[i].slot] = steps;
    return Walk(i + 1, left);
  }

  bool Leaf() {
    if (!UnrollingAllowed(space_, dim_, chain_.steps)) return true;
    Chain chain = chain_;
    CompleteChain(space_, dim_, &chain);
    return visit_(chain);
  }

  const Space& space_;
  DimId dim_;
  const std::function<bool(const Chain&)>& visit_;
  DeadlineWatch* watch_;
  std::vector<CutSlot> cuts_;
  std::vector<int64_t> reach_;  // the most that the slots from i on can cover
  Chain chain_;
};

Cut CutOf(Mapspace mapspace, Axis axis) {
  const bool time = axis == Axis::kTime;
  switch (mapspace) {
    case Mapspace::kPerfect:
      return Cut::kDivide;
    case Mapspace::kPadded:
      return time ? Cut::kDivide : Cut::kPad;
    case Mapspace::kRubyS:
      return time ? Cut::kDivide : Cut::kRound;
    case Mapspace::kRubyT:
      return time ? Cut::kRound : Cut::kDivide;
    case Mapspace::kRuby:
      return Cut::kRound;
    case Mapspace::kAny:
    case Mapspace::kUneven:
      return Cut::kTile;
  }
  return Cut::kDivide;
}

}  // namespace

std::vector<CutSlot> CutsOf(const Space& space, DimId dim) {
  std::vector<CutSlot> cuts;
  for (SlotId s : Ids(space.slots)) {
    FactorRange range = space.factors[s][dim];
    if (space.slots[s].axis != Axis::kTime)
      range.max = std::min(range.max, space.slots[s].max_lanes);
    if (range.min <= 1 && range.max <= 1) continue;
    cuts.push_back({s, CutOf(space.mapspace, space.slots[s].axis), range, space.remainders[s]});
  }
  if (space.mapspace != Mapspace::kAny) std::reverse(cuts.begin(), cuts.end());
  std::stable_partition(cuts.begin(), cuts.end(),
                        [](const CutSlot& cut) { return cut.cut == Cut::kPad; });
  return cuts;
}

bool UnrollingAllowed(const Space& space, DimId dim, const IndexedVector<SlotId, int64_t>& steps) {
  for (LevelId l : Ids(space.unrolling)) {
    const FactorRange& range = space.unrolling[l][dim];
    const int64_t both = steps[SlotId(3 * l.value() + 1)] * steps[SlotId(3 * l.value() + 2)];
    if (both < range.min || both > range.max) return false;
  }
  return true;
}

void CompleteChain(const Space& space, DimId dim, Chain* chain) {
  const int64_t bound = space.problem.dims[dim].bound;
  chain->bound = bound;
  if (space.mapspace == Mapspace::kAny) {  // slots without a loop pass their range on
    int64_t range = bound;
    for (SlotId s : Ids(space.slots)) {
      if (chain->steps[s] == 1) chain->tiles[s] = range;
      range = chain->tiles[s];
    }
    return;
  }
  if (space.mapspace == Mapspace::kPadded) {
    int64_t unrolling = 1;
    for (SlotId s : Ids(space.slots)) {
      if (space.slots[s].axis != Axis::kTime) unrolling *= chain->steps[s];
    }
    chain->bound = CeilDiv(bound, unrolling) * unrolling;
  }
  // A tile holds all steps further in; outside the outermost loop that would be more than there is.
  int64_t tile = 1;
  for (size_t i = space.slots.size(); i-- > 0;) {
    const SlotId s(i);
    chain->tiles[s] = tile;
    tile = std::min(CheckedMultiply(tile, chain->steps[s]).value_or(chain->bound), chain->bound);
  }
}

bool ForEachChain(const Space& space, DimId dim, const std::function<bool(const Chain&)>& visit,
                  DeadlineWatch* watch) {
  return ChainWalk(space, dim, visit, watch).Run();
}

std::vector<Chain> ChainsOf(const Space& space, DimId dim) {
  std::vector<Chain> chains;
  ForEachChain(space, dim, [&](const Chain& chain) {
    chains.push_back(chain);
    return true;
  });
  return chains;
}

double LeastChainCount(const Space& space, DimId dim) {
  for (const auto& unrolling : space.unrolling) {
    if (unrolling[dim].min > 1) return 0;
  }
  const int64_t bound = space.problem.dims[dim].bound;
  int unlimited = 0;
  for (const CutSlot& cut : CutsOf(space, dim)) {
    if (cut.range.min > 1) return 0;
    const bool rounds = cut.cut == Cut::kRound && cut.most_rounded >= bound;
    if ((rounds || cut.cut == Cut::kTile) && cut.range.max >= bound) ++unlimited;
  }
  const auto tiles = static_cast<double>(bound);
  // The pairs whose product is within the bound: Σ ⌊n / a⌋ > n·ln n − n.
  if (unlimited >= 3) return std::max(tiles, tiles * (std::log(tiles) - 1));
  return unlimited == 2 ? tiles : 0;
}

std::vector<int64_t> DivisorsOf(int64_t number) {
  std::vector<int64_t> divisors = {1};
  for (const auto& [prime, times] : PrimeFactors(number)) {
    const size_t before = divisors.size();
    for (size_t i = 0; i < before * static_cast<size_t>(times); ++i) {
      divisors.push_back(divisors[divisors.size() - before] * prime);
    }
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

Mapping AssembleMapping(const Space& space, const IndexedVector<DimId, Chain>& chains,
                        const IndexedVector<LevelId, std::vector<DimId>>& orders,
                        const IndexedVector<LevelId, TensorSet>& keeps) {
  Mapping mapping;
  mapping.levels.resize(space.architecture.levels.size());
  for (LevelId l : Ids(mapping.levels)) {
    LevelMapping& level = mapping.levels[l];
    level.keep = keeps[l];
    const SlotId time(3 * l.value());
    for (DimId d : orders[l]) {
      if (chains[d].steps[time] > 1) level.temporal.push_back({d, chains[d].tiles[time]});
    }
    for (const Axis axis : {Axis::kX, Axis::kY}) {
      const SlotId slot(3 * l.value() + static_cast<size_t>(axis));
      for (DimId d : Ids(chains)) {
        if (chains[d].steps[slot] > 1) level.spatial.push_back({d, chains[d].tiles[slot], axis});
      }
    }
  }
  return mapping;
}

Problem ProblemOf(const Space& space, const IndexedVector<DimId, Chain>& chains) {
  Problem problem = space.problem;
  for (DimId d : Ids(problem.dims)) problem.dims[d].bound = chains[d].bound;
  return problem;
}

}  // namespace inlay
