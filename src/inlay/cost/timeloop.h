#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

// The rules by which Timeloop's counting differs from the exact one. All on: Timeloop. All off: on
// perfect mappings, exact. Bypass scaling can only be switched off on perfect mappings.
struct TimeloopRules {
  // Overlap is reused only while the tile keeps moving by the same vector.
  bool same_displacement = true;
  // Iteration 1 of a loop stands for all later ones.
  bool extrapolation = true;
  // A lane takes from a neighbour what that one received at the previous step.
  bool link_transfers = true;
  // Bypass is applied by scaling after an analysis in which every level keeps all.
  bool bypass_scaling = true;
  // A returning partial sum is filled into every lane of a group.
  bool partial_sum_multicast = true;
  // Words that leave a level outward are not counted there.
  bool no_drains = true;
  // A level's cycles go through a rate and back in double precision, which can add one to them.
  bool rounded_rates = true;
  bool operator==(const TimeloopRules&) const = default;
};

// What Timeloop prints besides a level's counts.
struct TimeloopTensorDetail {
  int64_t partition_words = 0;      // the instance's share of the whole tensor
  int64_t temporal_reductions = 0;  // per instance
};

struct TimeloopResult {
  Cost cost;
  int64_t average_lanes = 0;  // compute lanes utilised on average, truncated
  IndexedVector<LevelId, IndexedVector<TensorId, TimeloopTensorDetail>> details;
};

// Timeloop's classic analysis (commit 4cf6d4c, default environment). A fault where factors cannot
// express the mapping, where a fan-out cannot multicast or reduce, or where counts leave the range
// of its arithmetic.
tl::expected<Cost, Fault> EvaluateTimeloop(const Problem& problem, const Architecture& architecture,
                                           const Mapping& mapping, const TimeloopRules& rules = {});
tl::expected<TimeloopResult, Fault> EvaluateTimeloopInDetail(const Problem& problem,
                                                             const Architecture& architecture,
                                                             const Mapping& mapping,
                                                             const TimeloopRules& rules = {});

}  // namespace inlay
