#pragma once

#include <tl/expected.hpp>

#include "inlay/core/architecture.h"
#include "inlay/core/fault.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"
#include "inlay/core/systolic.h"
#include "inlay/mapper/dnnopt/accesses.h"
#include "inlay/mapper/dnnopt/machine.h"

namespace inlay::dnnopt {

// The nest of loops: over blocks in the given order at the outermost level, and inside a block as
// the dataflow has it. os: filters on x, pixels on y, channels and window in the elements; ws:
// filters on x, channels and window on y, pixels in the elements; is: pixels on x, channels and
// window on y, filters in the elements. Several dimensions share an axis of the array as far as
// they fit: of the pixels the last one first, of the others the first. Faults if the elements
// cannot hold even one word of what they keep.
tl::expected<Mapping, Faults> BuildMapping(const Problem& problem, const Architecture& architecture,
                                           const Machine& machine, const Layer& layer,
                                           Dataflow dataflow,
                                           const std::array<uint8_t, kMaxAxes>& order,
                                           const Sizes& blocks);

}  // namespace inlay::dnnopt
