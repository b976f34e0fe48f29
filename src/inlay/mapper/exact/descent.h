#pragma once

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/core/objective.h"
#include "inlay/mapspace/space.h"

namespace inlay::exact_search {

// Improves a mapping of the space (of any mapspace but `padded`) step by step: the best chain of
// one dimension after the other, then the best order of the loops, until nothing is better. The
// chains tried are all of the dimension, or where these are too many, all of `ruby` and those that
// change one tile. Proves nothing.
void Descend(const Space& space, const Objective& objective, const Deadline& deadline,
             Solution* solution, SearchEffort* effort);

}  // namespace inlay::exact_search
