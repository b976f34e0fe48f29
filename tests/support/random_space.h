#pragma once

#include <cstdint>

#include "inlay/mapspace/space.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

struct SpaceLimits {
  int64_t most_operations = 24;
  size_t most_levels = 3;
  double constrained = 0.6;  // how often there are constraints
  double bounded = 0.7;      // how often a level has a capacity
  double timed = 0;          // how often the architecture says more of time than rates
};

// A problem small enough to list its mapspace, levels with fan-outs, capacities (some too small for
// anything), bandwidths and tensors to keep, bypass or choose, and constraints that do not
// contradict each other (the space may be empty all the same).
Space RandomSpace(Random& random, Mapspace mapspace, const SpaceLimits& limits = {});

// For failure messages.
std::string Describe(const Space& space);

}  // namespace inlay::testing
