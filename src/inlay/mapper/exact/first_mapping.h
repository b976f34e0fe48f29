#pragma once

#include <optional>

#include "inlay/core/map_result.h"
#include "inlay/core/objective.h"
#include "inlay/mapspace/space.h"

namespace inlay::exact_search {

// A mapping that fits: an answer for a search that is stopped before it has one of its own. Mostly
// in a fraction of a millisecond: all tiles are divisors, so it is one of every mapspace; the loops
// stand as far out as the constraints allow, which makes the tiles as small as they can be, and of
// the choices of tensors kept it is the best. Where it is not as simple as that (a level that must
// be filled, lanes that must be used) a search of bounded effort finds one that fits, no worse than
// that of any mapspace within the space. nullopt: there is none, or it takes a longer search.
std::optional<Solution> FirstMapping(const Space& space, const Objective& objective);

}  // namespace inlay::exact_search
