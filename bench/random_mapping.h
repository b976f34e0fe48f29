#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"

namespace inlay::bench {

// Mappings drawn at random from a mapspace: one loop per dimension and level, random orders,
// spatial loops as far as the fan-outs allow, tensors kept wherever the architecture lets them.
// Capacities are not looked at: the cost of an evaluation does not depend on them.
std::vector<Mapping> RandomMappings(const Problem& problem, const Architecture& architecture,
                                    Mapspace mapspace, size_t count, uint64_t seed);

}  // namespace inlay::bench
