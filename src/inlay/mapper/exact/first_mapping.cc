#include "inlay/mapper/exact/first_mapping.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapspace/fit_search.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {
namespace {

constexpr size_t kMostChoices = 512;  // of tensors kept, to be looked at

// The largest divisor of a number that is at most `most`, which is at least 1.
int64_t LargestDivisor(int64_t number, int64_t most) {
  if (most >= number) return number;
  constexpr int64_t kMostTried = 1 << 16;  // then 1 has to do
  int64_t best = 1;
  for (int64_t low = 1; low <= std::min(kMostTried, number / low); ++low) {
    if (number % low != 0) continue;
    if (low <= most) best = std::max(best, low);
    if (number / low <= most) best = std::max(best, number / low);
  }
  return best;
}

class FirstTiling {
 public:
  explicit FirstTiling(const Space& space) : space_(space) {
    for (const Slot& slot : space.slots) lanes_left_.push_back(slot.max_lanes);
  }

  // False if the constraints leave no such chain.
  bool Choose(DimId dim, Chain* chain) {
    const int64_t bound = space_.problem.dims[dim].bound;
    int64_t rest = bound;
    *chain = {};
    chain->bound = bound;
    for (SlotId s : Ids(space_.slots)) {
      const int64_t least = space_.factors[s][dim].min;
      if (least > lanes_left_[s] || rest % least != 0) return false;
      chain->steps.push_back(least);
      rest /= least;
    }
    for (const bool in_time : {true, false}) {
      for (SlotId s : Ids(space_.slots)) {
        if ((space_.slots[s].axis == Axis::kTime) == in_time) Extend(s, dim, &rest, chain);
      }
    }
    if (rest > 1) return false;
    int64_t tile = bound;
    for (SlotId s : Ids(space_.slots)) {
      tile /= chain->steps[s];
      chain->tiles.push_back(tile);
      lanes_left_[s] /= space_.slots[s].axis == Axis::kTime ? 1 : chain->steps[s];
    }
    return true;
  }

 private:
  // As many steps of what is left as the slot allows.
  void Extend(SlotId slot, DimId dim, int64_t* rest, Chain* chain) const {
    int64_t& steps = chain->steps[slot];
    const int64_t most = std::min(space_.factors[slot][dim].max, lanes_left_[slot]) / steps;
    if (*rest == 1 || most <= 1) return;
    const int64_t more = LargestDivisor(*rest, most);
    steps *= more;
    *rest /= more;
  }

  const Space& space_;
  IndexedVector<SlotId, int64_t> lanes_left_;  // time: without end
};

// The rule's dimensions at its two ends.
std::vector<DimId> AnyOrder(const OrderRule& rule, size_t dims) {
  std::vector<DimId> order = rule.outermost;
  for (size_t d = 0; d < dims; ++d) {
    const auto in = [d](const std::vector<DimId>& list) {
      return std::find(list.begin(), list.end(), DimId(d)) != list.end();
    };
    if (!in(rule.outermost) && !in(rule.innermost)) order.emplace_back(d);
  }
  order.insert(order.end(), rule.innermost.rbegin(), rule.innermost.rend());
  return order;
}

IndexedVector<LevelId, std::vector<DimId>> AnyOrders(const Space& space) {
  IndexedVector<LevelId, std::vector<DimId>> orders;
  for (const OrderRule& rule : space.orders) {
    orders.push_back(AnyOrder(rule, space.problem.dims.size()));
  }
  return orders;
}

// Takes a mapping if it is one of the space, fits and is better.
void Offer(const Space& space, const Objective& objective, Solution one,
           std::optional<Solution>* best) {
  if (!CheckMembership(space, one.problem, one.mapping).empty()) return;
  if (!Fits(space, one.problem, one.mapping)) return;
  ExactModel model(one.problem, space.architecture);
  if (!model.Evaluate(one.mapping, &one.cost) || !std::isfinite(one.cost.energy_pj)) return;
  if (*best && ValuesOf(one.cost, objective) >= ValuesOf((*best)->cost, objective)) return;
  *best = std::move(one);
}

// The divisors that leave the tiles as small as they can be.
std::optional<Solution> SmallestTiles(const Space& space, const Objective& objective) {
  FirstTiling tiling(space);
  IndexedVector<DimId, Chain> chains(space.problem.dims.size());
  for (DimId d : Ids(chains)) {
    if (!tiling.Choose(d, &chains[d])) return std::nullopt;
  }
  const auto orders = AnyOrders(space);
  const auto choices = KeepChoices(space);
  std::optional<Solution> best;
  for (size_t i = 0; i < std::min(choices.size(), kMostChoices); ++i) {
    Offer(space, objective, {space.problem, AssembleMapping(space, chains, orders, choices[i]), {}},
          &best);
  }
  return best;
}

std::vector<DimId> ShortestFirst(const Problem& problem) {
  std::vector<DimId> dims;
  for (DimId d : Ids(problem.dims)) dims.push_back(d);
  std::stable_sort(dims.begin(), dims.end(),
                   [&](DimId a, DimId b) { return problem.dims[a].bound < problem.dims[b].bound; });
  return dims;
}

// A tiling that fits by search, where it is no more than some tens of milliseconds' work.
void SearchFit(const Space& space, const Objective& objective, std::optional<Solution>* best) {
  constexpr FitEffort kEffort = {.tries = 1e5, .chains = 20'000, .nodes = 20'000};
  IndexedVector<DimId, std::vector<TileChoice>> choices(space.problem.dims.size());
  for (const DimId d : ShortestFirst(space.problem)) {  // to find soon that one has none
    auto of_dim = TileChoicesOf(space, d, kEffort);
    if (!of_dim || of_dim->empty()) return;
    choices[d] = *std::move(of_dim);
  }
  bool gave_up = false;
  const auto fit = FindNearestFit(space, choices, &gave_up, kEffort);
  if (!fit || !fit->Fits()) return;
  Offer(space, objective,
        {ProblemOf(space, fit->chains),
         AssembleMapping(space, fit->chains, AnyOrders(space), fit->keeps),
         {}},
        best);
}

// The spaces within a space, itself included: those that hold none of each other stand together,
// after all that they hold.
std::vector<std::vector<Mapspace>> SpacesWithin(Mapspace mapspace) {
  std::vector<std::vector<Mapspace>> spaces = {{Mapspace::kPerfect}};
  if (mapspace == Mapspace::kRuby || mapspace == Mapspace::kAny) {
    spaces.push_back({Mapspace::kRubyS, Mapspace::kRubyT});
  }
  if (mapspace == Mapspace::kAny) spaces.push_back({Mapspace::kRuby});
  if (mapspace != Mapspace::kPerfect) spaces.push_back({mapspace});
  return spaces;
}

}  // namespace

std::optional<Solution> FirstMapping(const Space& space, const Objective& objective) {
  std::optional<Solution> best = SmallestTiles(space, objective);
  if (best) return best;
  Space within = space;
  for (const std::vector<Mapspace>& spaces : SpacesWithin(space.mapspace)) {
    for (const Mapspace mapspace : spaces) {
      within.mapspace = mapspace;
      SearchFit(within, objective, &best);
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace inlay::exact_search
