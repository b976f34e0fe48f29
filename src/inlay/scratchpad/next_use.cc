#include "inlay/scratchpad/next_use.h"

#include <utility>

namespace inlay {
namespace {

void HoldIfCheaper(ValueId tensor, Book* book) {
  const TensorLife& life = book->LifeOf(tensor);
  double cost = book->Cost();
  for (const PadId pad : Ids(book->problem().machine.pads)) {
    const Machine& machine = book->problem().machine;
    if (!Reaches(machine, book->NodeAt(life.written->step).unit, pad) ||
        !Reaches(machine, book->NodeAt(life.reads[0].step).unit, pad) ||
        book->AlignedIn(pad, tensor) > machine.pads[pad].bytes) {
      continue;
    }
    TensorChoice before = book->ChoiceOf(tensor);
    TensorChoice held = before;
    held.written_into = pad;
    if (life.reads.size() == 1 && !book->problem().tensors[tensor].needed_after) {
      held.off_chip_in.reset();
    }
    held.reads[0] = {ReadChoice::Way::kKept, pad, 0};
    book->Set(tensor, std::move(held));
    if (book->Cost() < cost) {
      cost = book->Cost();
    } else {
      book->Set(tensor, std::move(before));
    }
  }
}

}  // namespace

void HoldForNextStep(Book* book) {
  for (int64_t t = 0; t + 1 < book->steps(); ++t) {
    for (const Operand& operand : book->NodeAt(t).operands) {
      if (!operand.written) continue;
      const TensorLife& life = book->LifeOf(operand.tensor);
      if (!life.reads.empty() && life.reads[0].step == t + 1) HoldIfCheaper(operand.tensor, book);
    }
  }
}

}  // namespace inlay
