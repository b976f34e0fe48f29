#pragma once

#include <optional>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {

// The parts of an architecture, a file each.

const Type& LevelType();
const Type& ConstraintsType();  // a list of them

// `node` is a mapping that Check has gone over as LevelType().
Level BuildLevel(const Node& node, int default_word_bits, Places* places, Diagnostics* diagnostics);

// `architecture` has its levels; what a constraint is `at` must be one of them or a fan-out.
Constraint BuildConstraint(const Node& node, const Architecture& architecture,
                           Diagnostics* diagnostics);

}  // namespace inlay::io
