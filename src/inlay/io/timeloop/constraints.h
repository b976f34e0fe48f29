#pragma once

#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/problem.h"
#include "inlay/io/timeloop/architecture.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/timeloop/sections.h"

namespace inlay::io::timeloop {

// Adds to the architecture what its constraints say: factors, orders and axes as core constraints,
// keep and bypass to the levels. What has no counterpart is named in a warning. `problem` (may be
// null) is needed to understand multi-letter dimensions and 'keep_only'; `layers` are the problems
// that will be mapped, as far as they are known, which say how many dimensions 'split' divides.
void ReadConstraints(const Sections& sections, const ArchitectureFile& file, const Problem* problem,
                     const std::vector<Problem>& layers, Architecture* architecture,
                     Report* report);

// The same from files without an architecture; keep and bypass become constraints as well.
std::vector<Constraint> ReadConstraints(const Sections& sections, const Architecture& architecture,
                                        const Problem* problem, const std::vector<Problem>& layers,
                                        Report* report);

}  // namespace inlay::io::timeloop
