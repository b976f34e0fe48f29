#pragma once

#include "inlay/base/stop.h"
#include "inlay/core/fault.h"
#include "inlay/core/graph.h"
#include "inlay/scratchpad/problem.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay {

// Gives the compute nodes of units with architectures their tilings, from the mapper's fronts.
// Faults: what is in the way.
Faults AddMapperTilings(const Graph& graph, const PlanSettings& settings, const StopFlag& stop,
                        PlanProblem* problem);

}  // namespace inlay
