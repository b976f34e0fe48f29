#pragma once

#include <tl/expected.hpp>

#include "inlay/base/deadline.h"
#include "inlay/scratchpad/problem.h"

namespace inlay {

struct PlanSettings {
  int bits = 16;  // of every element
  bool weights_stay = false;
  int threads = 1;  // for the fronts
};

// The planning problem of a valid graph on a valid machine. Where a unit has an architecture, the
// mapper's fronts are computed here, those of equal layers once. Faults: a tensor of no bytes or of
// more than 64 bits hold, a layer that the architecture cannot compute.
tl::expected<PlanProblem, Faults> MakePlanProblem(const Graph& graph, const Machine& machine,
                                                  const PlanSettings& settings,
                                                  const StopFlag& stop);

}  // namespace inlay
