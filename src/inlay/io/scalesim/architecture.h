#pragma once

#include <cstdint>
#include <optional>

#include "inlay/core/architecture.h"
#include "inlay/core/systolic.h"
#include "inlay/core/technology.h"

namespace inlay::io::scalesim {

struct SramSizes {
  int64_t inputs = 1, weights = 1, outputs = 1;  // words
};

// DRAM – the three SRAMs as partitions of one double-buffered level – array – one register per
// element for the stationary operand – MAC. Words have 8 bits, as SCALE-Sim counts bytes.
// `bandwidth`: words per cycle between each SRAM and the DRAM; none: no limit.
Architecture MakeArchitecture(const SystolicArray& array, const SramSizes& sizes,
                              std::optional<int64_t> bandwidth, const Technology& technology);

}  // namespace inlay::io::scalesim
