#pragma once

#include <array>

#include "inlay/mapspace/space.h"
#include "tests/support/random_space.h"

namespace inlay::testing {

inline constexpr std::array kMapspaces = {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                                          Mapspace::kRubyT,   Mapspace::kRuby,   Mapspace::kAny};

// Spaces of one to four levels, most of them small enough to be listed.
inline SpaceLimits RandomMapperLimits(Random& random) {
  SpaceLimits limits;
  limits.most_operations = Pick(random, 4, 60);
  limits.most_levels = static_cast<size_t>(Pick(random, 1, 4));
  limits.bounded = Chance(random, 0.5) ? 0.3 : 0.8;
  limits.constrained = Chance(random, 0.5) ? 0.0 : 0.6;
  limits.timed = 0.4;
  return limits;
}

}  // namespace inlay::testing
