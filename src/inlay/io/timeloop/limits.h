#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/core/architecture.h"
#include "inlay/core/problem.h"

namespace inlay::io::timeloop {

// What constraints say of the loops over one dimension at a level or fan-out.
struct LoopLimits {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
  int64_t min = 1, max = kUnlimited;  // steps; at a fan-out, of both axes together
  bool on_x = true, on_y = true;      // fan-out: where it may be unrolled
  bool CanLoop() const { return max > 1; }
  bool operator==(const LoopLimits&) const = default;
};

inline bool OnBoth(const LoopLimits& limits) { return limits.on_x && limits.on_y; }
inline bool OnOne(const LoopLimits& limits) { return limits.on_x != limits.on_y; }

// What all constraints of an architecture say of one level or fan-out.
struct PlaceLimits {
  // The dimensions of the problem; without one, those that the constraints name.
  std::vector<std::string> dims;
  std::vector<LoopLimits> loops;     // as `dims`
  std::optional<LoopLimits> others;  // without a problem: of every other dimension
  // Without a problem: fixed factors that depend on how long the dimension is.
  std::vector<FactorBound> by_length;
  std::vector<std::string> innermost, outermost;  // as in a constraint
  std::optional<int64_t> remainders;
  double min_utilization = 0;

  bool AnyOf(bool (*holds)(const LoopLimits&)) const;  // among all dimensions that can loop
};

// `at` is the name of a level or a fan-out; `fanout` is the latter. `problem` may be null. Faults
// name constraints that contradict each other, and what cannot be known without a problem.
PlaceLimits LimitsAt(const Architecture& architecture, const std::string& at, const Fanout* fanout,
                     const Problem* problem, Diagnostics* faults);

}  // namespace inlay::io::timeloop
