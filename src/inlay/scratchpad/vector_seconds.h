#pragma once

#include <string>
#include <tl/expected.hpp>

#include "inlay/core/graph.h"
#include "inlay/core/machine.h"
#include "inlay/core/node_coverage.h"

namespace inlay {

// Nodes that do not multiply, on the units of machines: docs/reference/scratchpad.md.

// Whether some unit has a time for their operations.
bool CountsVectorNodes(const Machine& machine);

// How long the unit computes such a node. The error says why nothing counts its operations: then it
// takes the time of its bytes.
tl::expected<double, std::string> VectorSeconds(const Graph& graph, const GraphNode& node,
                                                const Machine& machine, UnitId unit);

// By node of the graph; "" for those that are counted, and for those that multiply.
WhyNotCounted WhyNotCountedOn(const Machine& machine, const Graph& graph);

}  // namespace inlay
