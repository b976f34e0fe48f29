#pragma once

#include <cstdint>

#include "inlay/mapper/mapper.h"
#include "inlay/mapspace/space.h"

namespace inlay::testing {

// DRAM, `words` of memory for all tensors, an array of rows × columns elements; no constraints.
Space SystolicSpace(const Problem& problem, int64_t rows, int64_t columns, int64_t words,
                    bool double_buffer);

// By the strategy dnnopt, whatever the options say.
LayerAnswer MapByDnnopt(const Space& space, MapOptions options);

}  // namespace inlay::testing
