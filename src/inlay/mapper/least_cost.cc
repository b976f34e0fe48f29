#include "inlay/mapper/least_cost.h"

#include <algorithm>
#include <limits>

#include "inlay/mapper/exact/level_bounds.h"
#include "inlay/mapper/thistle_exact.h"

namespace inlay {
namespace {

LeastCost LeastExactCost(const Space& space) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  LeastCost least{kInfinity, kInfinity};
  for (const auto& keeps : exact_search::KeepChoices(space)) {
    const auto of_case = exact_search::BoundOfAll(space, exact_search::KeepCase(space, keeps));
    least.energy_pj = std::min(least.energy_pj, of_case.energy_pj);
    least.cycles = std::min(least.cycles, of_case.cycles);
  }
  return least;
}

}  // namespace

std::optional<LeastCost> LeastCostOf(const Space& space, const MapOptions& options,
                                     const Deadline& deadline) {
  if (options.semantics == Semantics::kThistle) return LeastThistleCost(space, options, deadline);
  return LeastExactCost(space);
}

}  // namespace inlay
