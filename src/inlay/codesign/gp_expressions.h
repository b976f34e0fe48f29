#pragma once

#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/explanation.h"
#include "inlay/core/fault.h"
#include "inlay/core/network.h"

namespace inlay {

// The expressions of a layer's geometric programs on an architecture, whose sizes are not looked
// at: every dimension of more than one iteration has a loop of unknown steps at every level and
// over every fan-out (of more than one lane, or with a name) but for windows, which are whole in
// the innermost level. Outputs count both ways. Faults where there are no such expressions (ranks
// of three dimensions).
tl::expected<Explanation, Faults> Explain(const Layer& layer, const Architecture& architecture);

}  // namespace inlay
