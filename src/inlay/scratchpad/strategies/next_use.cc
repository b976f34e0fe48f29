#include "inlay/scratchpad/strategies/next_use.h"

#include <utility>

namespace inlay {
namespace {

void HoldIfCheaper(ValueId tensor, IncrementalCost* costs) {
  const TensorLife& life = costs->LifeOf(tensor);
  double cost = costs->Cost();
  for (const PadId pad : Ids(costs->problem().machine.pads)) {
    const Machine& machine = costs->problem().machine;
    if (!Reaches(machine, costs->NodeAt(life.written->step).unit, pad) ||
        !Reaches(machine, costs->NodeAt(life.reads[0].step).unit, pad) ||
        costs->AlignedIn(pad, tensor) > machine.pads[pad].bytes) {
      continue;
    }
    TensorChoice before = costs->ChoiceOf(tensor);
    TensorChoice held = before;
    held.written_into = pad;
    if (life.reads.size() == 1 && !costs->problem().tensors[tensor].needed_after) {
      held.written_back_at.reset();
    }
    held.reads[0] = {ReadChoice::Way::kKept, pad, 0};
    costs->Set(tensor, std::move(held));
    if (costs->Cost() < cost) {
      cost = costs->Cost();
    } else {
      costs->Set(tensor, std::move(before));
    }
  }
}

}  // namespace

void HoldForNextStep(IncrementalCost* costs) {
  for (int64_t t = 0; t + 1 < costs->steps(); ++t) {
    for (const Operand& operand : costs->NodeAt(t).operands) {
      if (!operand.written) continue;
      const TensorLife& life = costs->LifeOf(operand.tensor);
      if (!life.reads.empty() && life.reads[0].step == t + 1) HoldIfCheaper(operand.tensor, costs);
    }
  }
}

}  // namespace inlay
