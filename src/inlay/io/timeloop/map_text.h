#pragma once

#include <string>

#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::io {

// The loop nest as Timeloop's .map.txt shows it: per level the tensors it keeps with the words of
// their largest tiles, a rule, and the loops, each two columns further in. A short last pass is
// written [0:6,4). Loops whose tiling is not one of factors show the number of their steps only.
std::string WriteMapText(const Problem& problem, const Architecture& architecture,
                         const Mapping& mapping);

}  // namespace inlay::io
