#pragma once

#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/chains.h"
#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapper/exact/lower_bound.h"

namespace inlay::exact_search {

// A lower bound for every mapping of the problem on the architecture that keeps what the case
// keeps, whatever its mapspace: each word moves at least once, every operation takes a lane a step.
LowerBound BoundOfAll(const Space& space, const KeepCase& keep_case);

// The same, and what the tensors that a level keeps together cost at least (LeastEntering). It
// holds for uneven mappings, too.
LowerBound BoundOfHeld(const Space& space, const KeepCase& keep_case);

// The part of a metric that no mapping can change: the energy of compute and of leakage. `least` is
// a bound of all mappings.
double FixedPart(const Problem& problem, const KeepCase& keep_case, const LowerBound& least,
                 Metric metric);

// What a level costs at least, whatever the others do: energy and off-chip words over all tiles
// that fit it.
struct LevelBound {
  LowerBound entering;  // everything that moves into it
  LowerBound sent;      // everything that the level above it sends inwards, past it too
};
std::vector<LevelBound> BoundsByLevel(const KeepCase& keep_case, const Chains& chains,
                                      Metric metric, const Deadline& deadline);

}  // namespace inlay::exact_search
