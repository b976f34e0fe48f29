#pragma once

#include <cstdint>
#include <vector>

#include "inlay/scratchpad/exact/model.h"

namespace inlay::exact {

// Where copying ahead or late can pay. A prefetch can always be put off to a fetch in the step that
// reads, and a late write-back be made in the step that writes: that loses at most what that step
// has to spare besides its own bytes off chip, for all such copies of the step together (unless a
// pad is slower than the way off chip), and at most the time of the transfer. Steps, reads and
// tensors whose losses together are within a budget are left out.
struct CopySteps {
  std::vector<int64_t> steps;                            // ascending
  IndexedVector<ValueId, std::vector<bool>> prefetched;  // by tensor, read: whether it can be
  IndexedVector<ValueId, uint8_t> late;                  // whether it can be written back later
  double lost_seconds = 0;
};

CopySteps NoCopySteps(const IndexedVector<ValueId, TensorLife>& lives);
// `used_outside`: whether a tensor that no step writes can be moved before the first that reads it.
CopySteps FindCopySteps(const PlanProblem& problem, const std::vector<size_t>& order,
                        const IndexedVector<ValueId, TensorLife>& lives, double budget_seconds,
                        const IndexedVector<ValueId, uint8_t>& used_outside);

// Whether the tensor can lie in the pad at all.
bool CanHold(const PlanProblem& problem, ValueId tensor, PadId pad);
// What the pad has for tensors: whole multiples of its alignment.
int64_t RoomOf(const Scratchpad& pad);

}  // namespace inlay::exact
