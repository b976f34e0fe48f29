#pragma once

#include <cstdint>

#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {

// As FirstFit, but content with the first placement that is no higher than `enough`.
Solution FirstFitBelow(const Problem& problem, const Options& options, int64_t enough);

}  // namespace inlay::dsa
