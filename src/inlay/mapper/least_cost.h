#pragma once

#include <optional>

#include "inlay/base/deadline.h"
#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// No mapping of the space costs less.
struct LeastCost {
  double energy_pj = 0;
  double cycles = 0;
};

// Found without a search, under the semantics of the options: every word is copied once over every
// boundary, no lane idles, and (thistle, where the objective looks at cycles, if there is time to
// find out) the SRAM holds a word for every lane. nullopt where the search by proof is unable.
std::optional<LeastCost> LeastCostOf(const Space& space, const MapOptions& options,
                                     const Deadline& deadline);

}  // namespace inlay
