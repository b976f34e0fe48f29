#include "inlay/mapper/exact/lower_bound.h"

#include <algorithm>
#include <limits>

namespace inlay::exact_search {

double BoundOf(const LowerBound& bound, Metric metric) {
  switch (metric) {
    case Metric::kEnergy:
      return bound.energy_pj;
    case Metric::kDelay:
      return bound.cycles;
    case Metric::kEdp:
      return bound.energy_pj * bound.cycles;
    case Metric::kOffchip:
      return bound.offchip_words;
  }
  return 0;
}

double SafeBound(const LowerBound& bound, Metric metric) {
  const double value = BoundOf(bound, metric);
  // Whole numbers below 2^53 are exact.
  const bool whole = metric == Metric::kDelay || metric == Metric::kOffchip;
  return whole && value < 1e15 ? value : value * (1 - 1e-12);
}

double Raised(double bound, double fixed, double factor) {
  // Where next to nothing can change a step must still be one.
  const double rest = std::max(bound - fixed, 0.01 * bound);
  return factor < std::numeric_limits<double>::infinity() ? bound + rest * (factor - 1) : factor;
}

}  // namespace inlay::exact_search
