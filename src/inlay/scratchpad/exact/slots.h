#pragma once

#include <cstdint>
#include <vector>

#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

// Where prefetching can pay. A prefetch can always be put off to a fetch in the step that reads:
// that loses at most what the slot has to spare beside reading from off chip, for all prefetches of
// the slot together (unless a pad is slower than the way off chip), and at most the time of the
// transfer. Slots and reads whose losses together are within a budget are left out.
struct PrefetchSlots {
  std::vector<int64_t> steps;                        // ascending
  IndexedVector<ValueId, std::vector<bool>> useful;  // by tensor, read
  double lost_seconds = 0;
};

PrefetchSlots FindSlots(const PlanProblem& problem, const std::vector<size_t>& order,
                        const IndexedVector<ValueId, TensorLife>& lives, double budget_seconds);

// Whether the tensor can lie in the pad at all.
bool CanHold(const PlanProblem& problem, ValueId tensor, PadId pad);
// What the pad has for tensors: whole multiples of its alignment.
int64_t RoomOf(const Scratchpad& pad);

}  // namespace inlay::exact
