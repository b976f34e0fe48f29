#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/graph.h"

namespace inlay::testing {

// A node on vector units, row by row and word by word, as docs/reference/vector-units.md says. Slow
// and obvious; knows nothing of src/inlay/cost/vector_cost.h.
struct TwinVectorCost {
  bool counted = true;                                      // every operation has a unit
  std::map<std::pair<size_t, std::string>, Counts> counts;  // by level and tensor; none: no words
  int64_t operations = 0;
  double energy_pj = 0;
  double cycles = 0;
  std::string held_in;
};
TwinVectorCost TwinVectorCostOf(const Graph& graph, const GraphNode& node,
                                const Architecture& architecture);

}  // namespace inlay::testing
