#pragma once

#include <cstdint>
#include <functional>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay {

// Words that move at one step from a level to the next one inwards that keeps a tensor, or to
// compute (one past the last level): of the busiest instance of either.
struct WalkedWords {
  TensorId tensor;
  LevelId outer, inner;
  std::vector<int64_t> step;  // the indices of the temporal loops above `inner`, outer to inner
  bool last = false;          // behind the last step: what the lanes still hold goes out
  int64_t reads = 0, updates = 0;  // at the outer level
  int64_t fills = 0, drains = 0;   // at the inner one
};

inline constexpr int64_t kMostWalkedOperations = 2'000'000;  // unless asked for more

struct WalkOptions {
  int64_t most_operations = kMostWalkedOperations;  // a larger problem is refused
  bool fill_and_drain = false;
  std::function<bool()> stop;            // polled now and then; true ends the walk with a fault
  std::function<void(double)> progress;  // called with the share done, 0 … 1
  std::function<void(const WalkedWords&)> words;  // called where words move, tensor by tensor
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
