#pragma once

#include <string>

#include "inlay/base/table.h"
#include "inlay/core/node_coverage.h"

namespace inlay::report {

// What a result says of the nodes that do not multiply: "54 of 60 nodes WHAT: softmax 12 (…), …",
// then the gates of recurrent nodes, and how many nodes are views or folded. "" where there are
// none of them.
std::string CoverageLines(const NodeCoverage& coverage, const std::string& what,
                          const TextStyle& style);

}  // namespace inlay::report
