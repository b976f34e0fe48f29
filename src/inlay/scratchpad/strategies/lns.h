#pragma once

#include <cstdint>
#include <functional>

#include "inlay/base/deadline.h"
#include "inlay/base/rng.h"
#include "inlay/scratchpad/incremental_cost.h"
#include "inlay/scratchpad/place_with_evictions.h"

namespace inlay {

struct LnsOptions {
  uint64_t seed = 1;
  // Ends after so many rounds without a better plan; 0: after as many as suit the problem.
  int64_t patience = 0;
  // No plan costs less (as IncrementalCost counts): reaching it ends the search.
  double bound = 0;
};

// Called with every better plan.
using PlacedSink = std::function<void(const PlacedPlan& placed, double cost)>;

// Large-neighbourhood search: takes the tensors of a random window of steps out, puts them back by
// a falling price in random order, and goes on from there unless that got too bad; changes
// that are not accepted are undone. `best` has addresses and has the current choices. Returns the
// rounds.
int64_t ImproveByWindows(const LnsOptions& options, const Deadline& deadline,
                         IncrementalCost* costs, PlacedPlan* best, const PlacedSink& sink = {});

}  // namespace inlay
