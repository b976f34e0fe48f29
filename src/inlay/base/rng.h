#pragma once

#include <cstdint>
#include <random>

namespace inlay {

// The same numbers on every machine, unlike the distributions of <random>.
using Rng = std::mt19937_64;

// Uniform in [0, 1).
inline double UniformUnit(Rng& rng) { return static_cast<double>(rng() >> 11) * 0x1p-53; }

// Uniform in [0, n); n ≥ 1.
inline uint64_t UniformBelow(Rng& rng, uint64_t n) {
  const uint64_t rest = (~uint64_t{0} % n + 1) % n;  // 2^64 mod n values that would come too often
  uint64_t value = rng();
  while (value > ~uint64_t{0} - rest) value = rng();
  return value % n;
}

}  // namespace inlay
