#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "inlay/core/map_result.h"
#include "inlay/core/node_coverage.h"
#include "inlay/mapper/network.h"

namespace inlay::run {

// The nodes of networks that do not multiply, on the vector units of what they are mapped onto.
struct VectorNodes {
  std::vector<VectorNodeResult> nodes;  // in the order of the networks
  std::vector<WhyNotCounted> why_not;   // of each network
  VectorTotals totals;
};

// nullopt where nothing counts them: the architecture has no vector units, or the task is counted
// in another way than they are.
std::optional<VectorNodes> VectorNodesOf(const std::vector<std::shared_ptr<const Graph>>& graphs,
                                         const NetworkTask& task);

}  // namespace inlay::run
