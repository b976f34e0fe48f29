#pragma once

#include <cstdint>
#include <vector>

#include "inlay/batch/network_profile.h"

namespace inlay::batch {

// How a batch goes through its layers: in slices of `first` inferences up to (without) layer
// first_end, where they wait until there are `second`; those go on up to second_end, where they
// wait for the whole batch. The two places are the gates of the plan. first ≤ second ≤ batch; the
// last slice of each may be smaller. Whole: first_end = second_end = 0.
struct SlicePlan {
  int64_t first = 0, second = 0;  // 0: the whole batch
  size_t first_end = 0, second_end = 0;
  bool operator==(const SlicePlan&) const = default;
};

// What a plan asks for when nothing stalls it.
struct SlicePlanCost {
  int64_t peak_bytes = 0;
  int64_t cycles = 0;
  int64_t bytes = 0;  // weights of a layer once per slice that comes through it, and the inputs
  bool operator==(const SlicePlanCost&) const = default;
};
SlicePlanCost CostOf(const NetworkProfile& profile, const Accelerator& accelerator, int64_t batch,
                     const SlicePlan& plan);

struct CostedSlicePlan {
  SlicePlan plan;
  SlicePlanCost cost;
};
// The plans that no other beats in all three; by peak, the smallest first. The whole batch, if
// nothing beats it, is the last.
std::vector<CostedSlicePlan> SlicePlanFront(const NetworkProfile& profile,
                                            const Accelerator& accelerator, int64_t batch);

}  // namespace inlay::batch
