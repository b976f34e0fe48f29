#pragma once

#include <vector>

#include "inlay/cost/evaluate.h"
#include "inlay/mapspace/space.h"

namespace inlay::testing {

struct EnergyDelayPoint {
  double energy_pj = 0;
  double cycles = 0;
};
using EnergyDelayFront = std::vector<EnergyDelayPoint>;

// Every mapping of the space that fits is listed; the points that no other beats in energy and
// cycles, by energy. Thistle semantics count capacities as they do.
EnergyDelayFront ListFront(const Space& space, const EvaluateOptions& options);

// What no point of the two beats.
EnergyDelayFront Merged(const EnergyDelayFront& a, const EnergyDelayFront& b);

// The least (ΣE)·(ΣC) over all combinations of points, one of each layer, times its repeats.
// Infinite if a layer has none.
double LeastProductOf(const std::vector<EnergyDelayFront>& layers,
                      const std::vector<double>& repeats);

// The same where every layer has the point of its own least product.
double ProductOfOwnLeast(const std::vector<EnergyDelayFront>& layers,
                         const std::vector<double>& repeats);

}  // namespace inlay::testing
