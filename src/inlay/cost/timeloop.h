#pragma once

#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

// The rules by which Timeloop's counting differs from the exact one. All on: Timeloop. All off: on
// perfect mappings, exact.
struct TimeloopRules {
  bool same_displacement =
      true;  // overlap is reused only while the tile keeps moving by the same vector
  bool extrapolation = true;  // iteration 1 of a loop stands for all later ones
  bool link_transfers =
      true;  // a lane takes from a neighbour what that one received at the previous step
  bool bypass_scaling =
      true;  // bypass is applied by scaling after an analysis in which every level keeps all
  bool partial_sum_multicast =
      true;               // a returning partial sum is filled into every lane of a group
  bool no_drains = true;  // words that leave a level inward-out are not counted there
};

// Timeloop's classic analysis (commit 4cf6d4c, default environment). A fault where factors cannot
// express the mapping.
tl::expected<Cost, Fault> EvaluateTimeloop(const Problem& problem, const Architecture& architecture,
                                           const Mapping& mapping, const TimeloopRules& rules = {});

}  // namespace inlay
