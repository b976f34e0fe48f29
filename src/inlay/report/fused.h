#pragma once

#include <string>
#include <vector>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fused_result.h"

namespace inlay::report {

// A fused mapping on one screen: the tree with the words that its holds take and move, what every
// node executes, words by tensor, the totals.
std::string FusedSummary(const Architecture& architecture, const FusedEvalResult& result,
                         const TextStyle& style);

// Its parts: the lines of a tree, besides those of holds their words; what every node executes.
std::string TreeTable(const std::vector<std::string>& tree,
                      const std::vector<FusedHoldResult>& holds, const TextStyle& style);
std::string NodeTable(const std::vector<FusedNodeResult>& nodes, const TextStyle& style);

}  // namespace inlay::report
