#include "inlay/mapper/thistle_exact.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/deadline.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/thistle/chains.h"
#include "inlay/mapper/thistle/faults.h"
#include "inlay/mapper/thistle/fewest_steps.h"
#include "inlay/mapper/thistle/goal.h"
#include "inlay/mapper/thistle/model.h"
#include "inlay/mapper/thistle/tile_search.h"
#include "inlay/mapspace/enumerate.h"
#include "inlay/mapspace/tilings.h"

namespace inlay {
namespace {

using thistle::FreeIndex;
using thistle::Model;
using thistle::TileSearchResult;
using thistle::Tiling;

Mapping MappingOf(const Model& model, const Tiling& tiling) {
  const Space& space = model.space();
  const SlotId spatial(3 + static_cast<size_t>(model.axis()));
  IndexedVector<DimId, Chain> chains;
  for (const Dimension& dim : space.problem.dims) {
    Chain chain;  // not tiled: all of it in the registers
    chain.bound = dim.bound;
    chain.steps.assign(space.slots.size(), 1);
    chain.tiles.assign(space.slots.size(), dim.bound);
    chains.push_back(std::move(chain));
  }
  for (FreeIndex f = 0; f < model.free_count(); ++f) {
    Chain& chain = chains[model.dim(f)];
    for (SlotId slot : Ids(space.slots)) {
      chain.tiles[slot] = slot < SlotId(3)   ? tiling.sram[f]
                          : slot < spatial   ? tiling.array[f]
                          : slot < SlotId(6) ? tiling.registers[f]
                                             : 1;
    }
  }
  for (Chain& chain : chains) {
    int64_t range = chain.bound;
    for (SlotId slot : Ids(space.slots)) {
      if (slot >= SlotId(6)) chain.tiles[slot] = 1;
      chain.steps[slot] = CeilDiv(range, chain.tiles[slot]);
      range = chain.tiles[slot];
    }
  }
  IndexedVector<LevelId, std::vector<DimId>> orders(3);
  for (const FreeIndex f : tiling.dram_order) orders[LevelId(0)].push_back(model.dim(f));
  for (const FreeIndex f : tiling.sram_order) orders[LevelId(1)].push_back(model.dim(f));
  std::vector<DimId> loops;  // the order within the registers costs nothing
  for (DimId d : Ids(chains)) {
    if (chains[d].steps[SlotId(6)] > 1) loops.push_back(d);
  }
  orders[LevelId(2)] = OrdersOf(space.orders[LevelId(2)], loops).front();
  const IndexedVector<LevelId, TensorSet> keeps(3, TensorSet::FirstN(space.problem.tensors.size()));
  return AssembleMapping(space, chains, orders, keeps);
}

// What the search computed is what the evaluation says.
Solution EvaluatedSolution(const Model& model, const MapOptions& options,
                           const TileSearchResult& found) {
  const Space& space = model.space();
  Solution solution{space.problem, MappingOf(model, *found.best), {}};
  INLAY_CHECK(CheckMembership(space, solution.mapping).empty());
  EvaluateOptions evaluate;
  evaluate.semantics = Semantics::kThistle;
  evaluate.accounting = options.accounting;
  auto cost = Evaluate(space.problem, space.architecture, solution.mapping, evaluate);
  INLAY_CHECK(cost.has_value());
  solution.cost = *std::move(cost);
  INLAY_CHECK(static_cast<double>(solution.cost.cycles) == found.steps);
  const bool offchip = std::find(options.objective.begin(), options.objective.end(),
                                 Metric::kOffchip) != options.objective.end();
  const double pj = offchip ? static_cast<double>(solution.cost.offchip_words)
                            : solution.cost.energy_pj - model.pj_per_cycle() * found.steps;
  INLAY_CHECK(std::abs(pj - found.pj) <= 1e-9 * std::abs(solution.cost.energy_pj));
  return solution;
}

// Why there is no mapping: a dimension that cannot be tiled, a memory too small for the smallest
// tiles, or, where each is possible by itself, all of it together.
Faults WhyNothingFits(const Model& model, DeadlineWatch* watch) {
  const Space& space = model.space();
  Faults faults;
  Tiling smallest;
  for (FreeIndex f = 0; f < model.free_count(); ++f) {
    const thistle::Chains chains(model, f, watch);
    if (watch->PassedNow()) return {};
    if (chains.empty()) {
      faults.push_back({"constraints",
                        "no tiling of '" + space.problem.dims[model.dim(f)].name +
                            "' satisfies the constraints in the mapspace '" + Name(space.mapspace) +
                            "'",
                        "relax a factor, or choose a larger mapspace"});
      continue;
    }
    smallest.dram_order.push_back(f);
    smallest.sram_order.push_back(f);
    smallest.sram[f] = chains.sram_ranges().back().smallest;
    smallest.array[f] = smallest.registers[f] = chains.array_ranges().back().smallest;
    for (size_t i = 0; i < chains.array_ranges().size(); ++i) {
      for (const thistle::LaneSplit& split : chains.LeastSplits(i, std::nullopt)) {
        smallest.registers[f] = std::min(smallest.registers[f], split.tile);
      }
    }
  }
  if (!model.is_possible()) {
    faults.push_back(
        {"constraints", "a dimension that may not be tiled must be", "relax a factor"});
  }
  if (!faults.empty()) return faults;
  faults = CheckCapacity(space.problem, space.architecture, MappingOf(model, smallest));
  for (Fault& fault : faults) {
    fault.message = "even the smallest tiles do not fit: " + fault.message;
    fault.hint = "enlarge the memory, or relax the constraints";
  }
  if (faults.empty()) {
    faults.push_back({"mapping", "no mapping satisfies the constraints and all capacities at once",
                      "enlarge a memory, or relax the constraints"});
  }
  return faults;
}

// More chains than can be listed: the best mapping of a smaller mapspace, and what no mapping
// beats.
LayerAnswer AnswerWithoutList(const Model& model, const MapOptions& options,
                              const Deadline& deadline) {
  LayerAnswer answer;
  const Mapspace mapspace = model.space().mapspace;
  if (mapspace != Mapspace::kPerfect) {
    Space smaller = model.space();
    const bool rounds_lanes = mapspace == Mapspace::kRuby || mapspace == Mapspace::kAny;
    smaller.mapspace = rounds_lanes ? Mapspace::kRubyS : Mapspace::kPerfect;
    answer = SearchThistle(smaller, options, deadline, {});
    answer.infeasible.clear();
    answer.unsupported.clear();
  }
  answer.interrupted = true;
  if (answer.best) {
    const thistle::Goal goal(options.objective, model.pj_per_cycle());
    answer.certificate.status = CertificateStatus::kBounded;
    answer.certificate.lower_bound = std::min(goal.First(model.LeastPj(), model.LeastSteps()),
                                              ValueOf(answer.best->cost, options.objective[0]));
  } else if (!options.cutoff && !deadline.Passed()) {
    answer.interrupted = false;
    answer.unsupported.push_back({"mapspace", "the mapspace is too large to be searched",
                                  "try a smaller mapspace, or constraints on the factors"});
  }
  return answer;
}

}  // namespace

LayerAnswer SearchThistle(const Space& space, const MapOptions& options, const Deadline& deadline,
                          const MapProgressSink& progress) {
  LayerAnswer answer;
  answer.unsupported = thistle::FaultsOf(space, options);
  if (!answer.unsupported.empty()) return answer;
  const Model model(space, options);
  const auto report = [&](std::optional<double> incumbent, double bound) {
    if (progress) progress({0, incumbent, bound});
  };
  const TileSearchResult found =
      thistle::TileSearch(model, options.objective, options.cutoff, deadline, report).Run();
  if (found.is_too_large) return AnswerWithoutList(model, options, deadline);
  answer.interrupted = !found.complete;
  answer.effort.nodes = found.nodes;
  answer.effort.evaluations = found.evaluations;
  if (!found.best) {
    if (!found.complete) {
      const thistle::Goal goal(options.objective, model.pj_per_cycle());
      answer.certificate.status = CertificateStatus::kBounded;
      answer.certificate.lower_bound = goal.First(model.LeastPj(), model.LeastSteps());
    }
    if (!found.complete || options.cutoff) return answer;
    DeadlineWatch watch(deadline);
    answer.infeasible = WhyNothingFits(model, &watch);
    return answer;
  }
  answer.best = EvaluatedSolution(model, options, found);
  answer.certificate.status =
      found.complete ? CertificateStatus::kOptimal : CertificateStatus::kBounded;
  answer.certificate.lower_bound = found.lower_bound;
  return answer;
}

std::optional<LeastCost> LeastThistleCost(const Space& space, const MapOptions& options,
                                          const Deadline& deadline) {
  if (!thistle::FaultsOf(space, options).empty()) return std::nullopt;
  const Model model(space, options);
  double steps = model.LeastSteps();
  const bool timed = model.pj_per_cycle() > 0 ||
                     std::any_of(options.objective.begin(), options.objective.end(),
                                 [](Metric m) { return m == Metric::kDelay || m == Metric::kEdp; });
  if (timed) {
    DeadlineWatch watch(deadline);
    std::vector<thistle::Chains> chains;
    for (FreeIndex f = 0; f < model.free_count(); ++f) chains.emplace_back(model, f, &watch);
    // Without any, nothing fits, and any bound is one; or they are too many, or time is up.
    const auto fewest = FewestSteps(model, chains, &watch);
    if (fewest) steps = std::max(steps, fewest->steps);
  }
  return LeastCost{model.LeastPj() + model.pj_per_cycle() * steps, steps};
}

}  // namespace inlay
