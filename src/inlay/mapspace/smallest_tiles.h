#pragma once

#include <optional>
#include <utility>

#include "inlay/mapspace/space.h"

namespace inlay {

// A mapping with tiles as small as possible, and what it computes: no step more than the
// constraints ask for, all the rest in the outermost temporal loops that may take it; no tensor
// kept where it need not be. It has the smallest footprint where constraints do not force it
// otherwise. nullopt: not all dimensions can be tiled so simply, or the lanes are not as asked for.
std::optional<std::pair<Problem, Mapping>> SmallestTiles(const Space& space);

}  // namespace inlay
