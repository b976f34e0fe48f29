#pragma once

#include <cstdint>
#include <optional>

#include "inlay/base/check.h"
#include "inlay/scratchpad/choices.h"

namespace inlay {

// What the choice for one tensor does, step by step, reported to a visitor in the order of steps:
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
  const auto write_back_in = [&](int64_t step) {
    if (at && choice.written_back_at == step) {
      visitor.Copy(TransferKind::kWriteBack, at, std::nullopt, step);
    }
  };
  // The same in a step from … to − 1. True: it was.
  const auto write_back_between = [&](int64_t from, int64_t to) {
    const bool here =
        choice.written_back_at && from <= *choice.written_back_at && *choice.written_back_at < to;
    if (!here) return false;
    INLAY_CHECK(at.has_value());
    write_back_in(*choice.written_back_at);
    return true;
  };
  // It is not kept until the next use: it leaves its pad as soon as it can be read from off chip.
  const auto drop = [&](int64_t to) {
    leave(write_back_between(last + 1, to) ? *choice.written_back_at + 1 : last + 1);
  };
  if (life.written) {
    last = life.written->step;
    INLAY_CHECK(choice.written_into || choice.written_back_at == last);
    if (choice.written_into) enter(*choice.written_into, last);
    visitor.Use(*life.written, at);
    write_back_in(last);
  }
  for (size_t i = 0; i < life.reads.size(); ++i) {
    const ReadChoice& read = choice.reads[i];
    const int64_t now = life.reads[i].step;
    const bool from_off_chip =
        read.way != ReadChoice::Way::kKept && read.way != ReadChoice::Way::kMoved;
    INLAY_CHECK(
        !from_off_chip || !life.written ||
        (choice.written_back_at &&
         *choice.written_back_at < (read.way == ReadChoice::Way::kPrefetched ? read.step : now)));
    switch (read.way) {
      case ReadChoice::Way::kKept:
        INLAY_CHECK(at == read.pad);
        write_back_between(last + 1, now);
        break;
      case ReadChoice::Way::kMoved:
        INLAY_CHECK(at && last < read.step && read.step < now);
        write_back_between(last + 1, read.step + 1);
        visitor.Copy(TransferKind::kMove, at, read.pad, read.step);
        leave(read.step + 1);
        enter(read.pad, read.step);
        write_back_between(read.step + 1, now);
        break;
      case ReadChoice::Way::kPrefetched:
        INLAY_CHECK(last < read.step && read.step < now);
        drop(read.step);
        visitor.Copy(TransferKind::kPrefetch, std::nullopt, read.pad, read.step);
        enter(read.pad, read.step);
        break;
      case ReadChoice::Way::kFetched:
        drop(now);
        visitor.Copy(TransferKind::kFetch, std::nullopt, read.pad, now);
        enter(read.pad, now);
        break;
      case ReadChoice::Way::kStreamed:
        drop(now);
        break;
    }
    visitor.Use(life.reads[i], at);
    write_back_in(now);
    last = now;
  }
  drop(steps);
}

}  // namespace inlay
