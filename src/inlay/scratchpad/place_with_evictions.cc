#include "inlay/scratchpad/place_with_evictions.h"

#include <utility>

#include "inlay/scratchpad/tensor_reassigner.h"

namespace inlay {
namespace {

// Decides the cheapest member of the window again, without that window. False: none can give way.
bool GiveWay(const Misfit& misfit, IncrementalCost* costs, TensorReassigner* reassigner) {
  const double before = costs->Cost();
  std::optional<ValueId> cheapest;
  TensorChoice instead;
  double least = IncrementalCost::kInfinite;
  for (const ValueId tensor : misfit.tensors) {
    TensorChoice old = costs->ChoiceOf(tensor);
    reassigner->Ban(tensor, misfit.pad, misfit.from, misfit.to);
    std::optional<TensorChoice> other = reassigner->Best(tensor);
    reassigner->RemoveLastBan(tensor);
    if (other) {
      costs->Set(tensor, *other);
      const double loss =
          (costs->Cost() - before) / static_cast<double>(costs->AlignedIn(misfit.pad, tensor));
      if (loss < least) {
        least = loss;
        cheapest = tensor;
        instead = std::move(*other);
      }
    }
    costs->Set(tensor, std::move(old));
  }
  if (!cheapest) return false;
  reassigner->Ban(*cheapest, misfit.pad, misfit.from, misfit.to);
  costs->Set(*cheapest, std::move(instead));
  return true;
}

// Steps whose addresses are found together where those of all steps are not.
constexpr int64_t kStretch = 16;

}  // namespace

std::optional<PlacedPlan> PlaceWithEvictions(const EvictionLimits& limits, IncrementalCost* costs,
                                             const Deadline* deadline) {
  TensorReassigner reassigner(costs);
  AddressHint hint{limits.like};
  if (limits.like == nullptr) {
    Choices choices = costs->Snapshot();
    tl::expected<Plan, Misfit> plan =
        PlanFrom(costs->problem(), choices, limits.address_nodes, deadline);
    if (plan) return PlacedPlan{std::move(choices), std::move(*plan)};
    hint.until = kStretch;
  }
  Plan known;  // until hint.known_until
  int64_t changes = 0;
  while (costs->Cost() < limits.cost) {
    Choices choices = costs->Snapshot();
    tl::expected<Plan, Misfit> plan =
        PlanFrom(costs->problem(), choices, limits.address_nodes, deadline, hint);
    if (plan && hint.until >= costs->steps())
      return PlacedPlan{std::move(choices), std::move(*plan)};
    if (deadline != nullptr && deadline->Passed()) return std::nullopt;
    if (plan) {
      known = std::move(*plan);
      hint = {&known, hint.until, hint.until + kStretch};
    } else if (++changes > limits.changes || !GiveWay(plan.error(), costs, &reassigner)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace inlay
