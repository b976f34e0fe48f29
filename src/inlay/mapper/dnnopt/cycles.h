#pragma once

#include <cstdint>
#include <optional>

#include "inlay/core/systolic.h"
#include "inlay/mapper/dnnopt/accesses.h"
#include "inlay/mapper/dnnopt/machine.h"

namespace inlay::dnnopt {

struct ArrayCycles {
  int64_t compute = 0;  // all blocks, one after the other: the index of the last cycle
  int64_t stall = 0;    // Σ max(0, cycles to bring the next block − cycles of this one)
};

// SCALE-Sim's cycles of every block, and what the array waits for the next one. A block's transfer
// holds the words that it brings in by the model of accesses.h and the sums that it replaces. The
// first block is not waited for. Nothing if the cycles do not fit into 64 bits.
std::optional<ArrayCycles> CyclesOf(const Machine& machine, const Layer& layer, Dataflow dataflow,
                                    const std::array<uint8_t, kMaxAxes>& order,
                                    const Sizes& blocks);

}  // namespace inlay::dnnopt
