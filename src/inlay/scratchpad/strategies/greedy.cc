#include "inlay/scratchpad/strategies/greedy.h"

#include <utility>

#include "inlay/scratchpad/reassign_all.h"

namespace inlay {
namespace {

// The cheapest of several sweeps, and of a descent from the current choices.
void SweepBest(const Deadline& deadline, IncrementalCost* costs) {
  // Small steps of the price are better on the whole, but not always.
  constexpr double kRatios[] = {0.5, 0.75};
  constexpr double kLowest = 1e-3;  // of the highest price: one use, spread over so many steps
  const std::vector<ValueId> tensors = TensorsToAssign(*costs);
  const double highest = HighestPrice(*costs);
  const IncrementalCost start = *costs;
  TensorReassigner first(costs);
  ReassignUntilStable(tensors, costs, &first, &deadline);
  for (const double ratio : kRatios) {
    if (deadline.Passed()) return;
    IncrementalCost trial = start;
    TensorReassigner reassigner(&trial);
    ReassignByFallingPrice(tensors, {highest, highest * kLowest, ratio}, &trial, &reassigner,
                           &deadline);
    if (trial.Cost() < costs->Cost()) *costs = std::move(trial);
  }
}

}  // namespace

std::optional<PlacedPlan> PlanGreedily(const IncrementalCost& start, const Deadline& deadline) {
  constexpr double kShares[] = {1, 0.97};
  constexpr int64_t kQuickNodes = 500;
  std::optional<PlacedPlan> best;
  double least = IncrementalCost::kInfinite;
  for (const double share : kShares) {
    IncrementalCost costs = start;
    costs.LeaveRoom(share);
    if (costs.Cost() == IncrementalCost::kInfinite || (best && deadline.Passed())) break;
    SweepBest(deadline, &costs);
    const double hoped_for = costs.Cost();
    std::optional<PlacedPlan> placed =
        PlaceWithEvictions({.cost = least, .address_nodes = kQuickNodes}, &costs, &deadline);
    if (!placed) continue;
    best = std::move(placed);
    least = costs.Cost();
    if (least <= hoped_for) break;
  }
  if (!best || deadline.Passed()) return best;
  // What was left free may take something yet.
  IncrementalCost costs(start.problem(), start.objective(), best->choices);
  TensorReassigner reassigner(&costs);
  ReassignUntilStable(TensorsToAssign(costs), &costs, &reassigner, &deadline);
  const Plan like = best->plan;
  std::optional<PlacedPlan> filled = PlaceWithEvictions(
      {.cost = least, .address_nodes = kQuickNodes, .like = &like}, &costs, &deadline);
  return filled ? std::move(filled) : std::move(best);
}

}  // namespace inlay
