#pragma once

#include <functional>

#include "inlay/mapspace/space.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// Visits every mapping of a space of the mapspace `uneven`, capacities not looked at, some of them
// more than once: loop by loop, and tensors entering one by one, with nothing known of even forms.
// `visit` returns false to stop. Returns whether it came to the end, with so many steps at most.
bool ForEachUnevenMapping(const Space& space, int64_t most_steps,
                          const std::function<bool(const Mapping&)>& visit);

// Lets some tensors enter their levels late.
void MakeUneven(Random& random, Mapping* mapping);

}  // namespace inlay::testing
