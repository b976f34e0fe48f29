#pragma once

#include <optional>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// The parts of an architecture, a file each.

const Type& LevelType();
const Type& ConstraintsType();  // a list of them

// What a level takes over from its architecture.
struct ArchitectureContext {
  int word_bits = 16;
  const double* clock_hz = nullptr;  // null: it has no clock
};

// `node` is a mapping that Check has gone over as LevelType().
Level BuildLevel(const Node& node, const ArchitectureContext& context, Places* places,
                 Diagnostics* diagnostics);

// Reports the numbers of a node that are in seconds or per second, where there is no clock.
void CheckClock(const Node& node, const Structure& keys, const double* clock_hz,
                Diagnostics* diagnostics);

// `architecture` has its levels; what a constraint is `at` must be one of them or a fan-out.
Constraint BuildConstraint(const Node& node, const Architecture& architecture,
                           Diagnostics* diagnostics);

}  // namespace inlay::io
