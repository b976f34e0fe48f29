#pragma once

#include "inlay/core/architecture_space.h"
#include "inlay/core/technology.h"

namespace inlay {

// The family of the Thistle paper: DRAM – SRAM – a line of elements – registers – MAC, everything
// kept everywhere, 16-bit words. Registers of 2^2 … 2^12 words, an SRAM of 2^6 … 2^18, and as many
// elements as the area leaves room for.
ArchitectureSpace ThistleTemplate(const Technology& technology, double area_um2);

}  // namespace inlay
