#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_problem.h"

namespace inlay {

// Cycles of single events in a sequence (docs/reference/fused-semantics.md, section 8). Saturates.
class FusedEventCycles {
 public:
  explicit FusedEventCycles(const Architecture& architecture);
  int64_t Load(int64_t words) const;   // from off chip into the pad
  int64_t Store(int64_t words) const;  // back
  int64_t Scale(int64_t words) const;  // of sums that lie in the pad
  // The compute cycles of a scaling alone.
  int64_t ScaleCompute(int64_t words) const;

 private:
  struct Port {
    double read = 0, write = 0, shared = 0;  // words per cycle; 0: no limit
  };
  Port offchip_, pad_;
  int64_t lanes_ = 1;
};

// From counts to energy and cycles. A fault where something does not fit into 64 bits.
tl::expected<FusedCost, Fault> FinishFused(const FusedProblem& problem,
                                           const Architecture& architecture,
                                           const FusedCounts& counts);

}  // namespace inlay
