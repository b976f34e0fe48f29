#pragma once

#include <functional>

#include "inlay/base/result.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Reads a tree: names looked up, ranges and rules checked, every error at its line. What it returns
// binds the mappings of the leaves to an architecture; empty after an error.
std::function<Result<FusedTree>(const Architecture&)> ReadFusedTree(const Node& list,
                                                                    const FusedProblem& problem,
                                                                    Diagnostics* diagnostics);

}  // namespace inlay::io
