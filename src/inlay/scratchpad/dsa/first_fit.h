#pragma once

#include <cstdint>

#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {

// As FirstFit, but content with the first placement that is no higher than `enough`.
Solution FirstFitBelow(const Problem& problem, const Options& options, int64_t enough);

// First-fit in ever other orders, for what is too large for the search: the first placement that is
// no higher than `enough`, else the lowest within the capacity that is found in time, without a
// time limit in about a second; kUnknown: none.
Solution SearchOrders(const Problem& problem, const Options& options, int64_t enough);

}  // namespace inlay::dsa
