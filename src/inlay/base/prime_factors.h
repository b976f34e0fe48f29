#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace inlay {

// The primes whose product a number (at least 1) is, ascending, each with how often; quick for
// every number of 64 bits.
std::vector<std::pair<int64_t, int>> PrimeFactors(int64_t number);

}  // namespace inlay
