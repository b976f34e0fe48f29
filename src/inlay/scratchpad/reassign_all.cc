#include "inlay/scratchpad/reassign_all.h"

#include <algorithm>
#include <tuple>

namespace inlay {
namespace {

// Rounds of a descent: each is cheaper than the one before, and mostly there are three.
constexpr int kMostRounds = 50;

}  // namespace

std::vector<ValueId> TensorsToAssign(const IncrementalCost& costs) {
  std::vector<ValueId> tensors;
  for (const ValueId tensor : Ids(costs.problem().tensors)) {
    if (costs.IsUsed(tensor)) tensors.push_back(tensor);
  }
  const auto first_use = [&](ValueId tensor) {
    const TensorLife& life = costs.LifeOf(tensor);
    return life.written ? life.written->step : life.reads[0].step;
  };
  std::sort(tensors.begin(), tensors.end(), [&](ValueId a, ValueId b) {
    return std::tuple{first_use(a), a} < std::tuple{first_use(b), b};
  });
  return tensors;
}

void ReassignUntilStable(const std::vector<ValueId>& tensors, IncrementalCost* costs,
                         TensorReassigner* reassigner, const Deadline* deadline) {
  reassigner->SetPrice(0);
  double before = costs->Cost();
  for (int round = 0; round < kMostRounds; ++round) {
    for (const ValueId tensor : tensors) {
      if (deadline != nullptr && deadline->Passed()) return;
      reassigner->Improve(tensor);
    }
    const double now = costs->Cost();
    if (!(now < before)) return;
    before = now;
  }
}

void ReassignByFallingPrice(const std::vector<ValueId>& tensors, const FallingPrice& fall,
                            IncrementalCost* costs, TensorReassigner* reassigner,
                            const Deadline* deadline) {
  double price = fall.from;
  while (price > fall.to) {
    reassigner->SetPrice(price);
    price *= fall.ratio;
    for (const ValueId tensor : tensors) {
      if (deadline != nullptr && deadline->Passed()) return;
      reassigner->Improve(tensor);
    }
  }
  ReassignUntilStable(tensors, costs, reassigner, deadline);
}

double HighestPrice(const IncrementalCost& costs) {
  const double byte = costs.CostOfByte();
  double highest = 0;
  for (int64_t t = 0; t < costs.steps(); ++t) {
    const PlanNode& node = costs.NodeAt(t);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const int64_t bytes = costs.problem().tensors[node.operands[i].tensor].bytes;
      if (bytes == 0) continue;
      int64_t most = 0;
      for (const Tiling& tiling : node.tilings) most = std::max(most, tiling.operands[i].bytes);
      highest = std::max(highest, byte * static_cast<double>(most) / static_cast<double>(bytes));
    }
  }
  return highest;
}

}  // namespace inlay
