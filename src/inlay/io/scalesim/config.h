#pragma once

#include <string>

#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/systolic.h"
#include "inlay/core/technology.h"
#include "inlay/io/file.h"

namespace inlay::io {

// What SCALE-Sim's cfg says about the machine.
struct ScaleSimConfig {
  std::string run_name;
  SystolicArray array;
  // DRAM – the three SRAMs as partitions of one double-buffered level – array – one register per
  // element for the stationary operand – MAC. 8-bit words, as SCALE-Sim counts bytes.
  Architecture architecture;
};

// Energies come from `technology`: SCALE-Sim has none. Keys that Inlay has no use for (offsets,
// banks, layout) are accepted; unknown ones are warnings.
Result<WithWarnings<ScaleSimConfig>> ReadScaleSimConfig(const Source& source,
                                                        const Technology& technology);

}  // namespace inlay::io
