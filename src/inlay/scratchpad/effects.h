#pragma once

#include <cstdint>
#include <optional>

#include "inlay/base/check.h"
#include "inlay/scratchpad/choices.h"

namespace inlay {

// What the choice for one tensor does, step by step, told to a visitor in the order of steps:
//   Use(use, pad)                  the operand lies in the pad, or off chip (none), when it is used
//   Copy(kind, from, to, step)     the whole tensor is copied; none: off chip. A tensor that is
//                                  only read from or written to off chip is not copied.
//   Lie(pad, from, to)             it lies in the pad during the steps from … to − 1
// The choice must be one for this life; steps is how many there are.
template <typename Visitor>
void VisitEffects(const TensorLife& life, const TensorChoice& choice, int64_t steps,
                  Visitor&& visitor) {
  std::optional<PadId> at;
  int64_t since = 0;
  int64_t last = -1;  // step of the use before
  const auto leave = [&](int64_t to) {
    if (at) visitor.Lie(*at, since, to);
    at.reset();
  };
  const auto enter = [&](PadId pad, int64_t from) {
    at = pad;
    since = from;
  };
  INLAY_CHECK(choice.reads.size() == life.reads.size());
  if (choice.stays_in) {
    for (const TensorUse& use : life.reads) visitor.Use(use, choice.stays_in);
    visitor.Lie(*choice.stays_in, 0, steps);
    return;
  }
  if (life.written) {
    last = life.written->step;
    INLAY_CHECK(choice.written_into || choice.written_back);
    if (choice.written_into) enter(*choice.written_into, last);
    visitor.Use(*life.written, at);
    if (at && choice.written_back) visitor.Copy(TransferKind::kWriteBack, at, std::nullopt, last);
  }
  for (size_t i = 0; i < life.reads.size(); ++i) {
    const ReadChoice& read = choice.reads[i];
    const int64_t now = life.reads[i].step;
    switch (read.way) {
      case ReadChoice::Way::kKept:
        INLAY_CHECK(at == read.pad);
        break;
      case ReadChoice::Way::kMoved:
        INLAY_CHECK(at && last < read.step && read.step < now);
        visitor.Copy(TransferKind::kMove, at, read.pad, read.step);
        leave(read.step + 1);
        enter(read.pad, read.step);
        break;
      case ReadChoice::Way::kPrefetched:
        INLAY_CHECK(last < read.step && read.step < now);
        leave(last + 1);
        visitor.Copy(TransferKind::kPrefetch, std::nullopt, read.pad, read.step);
        enter(read.pad, read.step);
        break;
      case ReadChoice::Way::kFetched:
        leave(last + 1);
        visitor.Copy(TransferKind::kFetch, std::nullopt, read.pad, now);
        enter(read.pad, now);
        break;
      case ReadChoice::Way::kStreamed:
        leave(last + 1);
        break;
    }
    visitor.Use(life.reads[i], at);
    last = now;
  }
  leave(last + 1);
}

}  // namespace inlay
