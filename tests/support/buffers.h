#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/core/buffer.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "tests/support/random_case.h"

namespace inlay::testing {

// Up to `most` buffers with small sizes and lives; now and then one is aligned, fixed, empty or
// never alive. The capacity is about the peak load.
dsa::Problem RandomBuffers(Random& random, int64_t most);

// Tries every address of every buffer, one buffer after the other.
bool FitsByBruteForce(const dsa::Problem& problem);

// The least capacity up to `most` into which the buffers fit.
std::optional<int64_t> LeastCapacityByBruteForce(const std::vector<Buffer>& buffers, int64_t most);

}  // namespace inlay::testing
