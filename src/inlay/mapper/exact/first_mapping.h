#pragma once

#include <optional>

#include "inlay/core/map_result.h"
#include "inlay/core/objective.h"
#include "inlay/mapspace/space.h"

namespace inlay::exact_search {

// A mapping that fits, in a fraction of a millisecond: an answer for a search that is stopped
// before it has one of its own. All tiles are divisors, so it is one of every mapspace; the loops
// stand as far out as the constraints allow, which makes the tiles as small as they can be, and of
// the choices of tensors kept it is the best. nullopt: it is not as simple as that (a level that
// must be filled, lanes that must be used), or there is none.
std::optional<Solution> FirstMapping(const Space& space, const Objective& objective);

}  // namespace inlay::exact_search
