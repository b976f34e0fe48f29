#pragma once

#include <cstdint>
#include <functional>
#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

struct WalkOptions {
  int64_t most_operations = 2'000'000;  // a larger problem is refused
  bool fill_and_drain = false;
  std::function<bool()> stop;            // polled now and then; true ends the walk with a fault
  std::function<void(double)> progress;  // called with the share done, 0 … 1
};

struct WalkResult {
  Cost cost;
  bool numeric_check =
      false;  // the nest, executed lane by lane on integers, gives what the plain loops give
};

// The definition of `exact`: visits every tile of every lane in time order and counts words as
// sets. Slow and obvious; the closed form is tested against it. Problem, architecture and mapping
// are valid.
tl::expected<WalkResult, Fault> Walk(const Problem& problem, const Architecture& architecture,
                                     const Mapping& mapping, const WalkOptions& options = {});

}  // namespace inlay
