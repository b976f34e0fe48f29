#pragma once

#include "inlay/core/objective.h"

namespace inlay::exact_search {

// Figures that no mapping of a set goes below.
struct LowerBound {
  double energy_pj = 0;
  double cycles = 0;
  double offchip_words = 0;
};

// The bound of one metric; and a little less than that, below the rounding errors of its
// computation.
double BoundOf(const LowerBound& bound, Metric metric);
double SafeBound(const LowerBound& bound, Metric metric);

// A bound whose part above `fixed` is multiplied: with a large part that no mapping can change, the
// next cut-off would otherwise be too far away.
double Raised(double bound, double fixed, double factor);

}  // namespace inlay::exact_search
