#pragma once

#include "inlay/core/architecture.h"

namespace inlay {

// Every cycle takes so much more energy, by leakage of the outermost level: on it the mapping of
// least energy is the one of least energy + price × cycles without it.
inline void AddCyclePrice(double price_pj, Architecture* architecture) {
  const auto instances = static_cast<double>(Instances(*architecture, LevelId(0)));
  architecture->levels[LevelId(0)].leakage_pj_per_cycle += price_pj / instances;
}

}  // namespace inlay
