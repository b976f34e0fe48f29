#pragma once

#include "inlay/base/check.h"
#include "inlay/core/objective.h"

namespace inlay {

// What a metric is of any kind of cost, of a mapping or of a tree.
template <typename AnyCost>
double MetricValue(const AnyCost& cost, Metric metric) {
  switch (metric) {
    case Metric::kEnergy:
      return cost.energy_pj;
    case Metric::kDelay:
      return static_cast<double>(cost.cycles);
    case Metric::kEdp:
      return cost.energy_pj * static_cast<double>(cost.cycles);
    case Metric::kOffchip:
      return static_cast<double>(cost.offchip_words);
  }
  INLAY_CHECK(false);
  return 0;
}

}  // namespace inlay
