#pragma once

#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"
#include "inlay/cost/timeloop.h"

namespace inlay {

struct EvaluateOptions {
  Semantics semantics = Semantics::kExact;
  Accounting accounting = Accounting::kElide;  // thistle only
  bool add_fill_and_drain =
      false;                     // exact only: add the first fill and the last drain to the latency
  TimeloopRules timeloop_rules;  // timeloop only
};

// The cost of one mapping. Problem, architecture and mapping are valid; capacity is not looked at
// (CheckCapacity does that). A fault means that the semantics cannot express the mapping, or that a
// count does not fit into 64 bits.
tl::expected<Cost, Fault> Evaluate(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping, const EvaluateOptions& options = {});

// For the cost of a problem whose bounds were rounded up: only the operations that were asked for
// count as operations and as use of the lanes; `padded_operations` are all.
void CountPadding(const Problem& asked_for, const Problem& computed, Cost* cost);

}  // namespace inlay
