#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fused_problem.h"
#include "inlay/core/graph.h"

namespace inlay {

// A node of a graph as a nest over dimensions of its own; for fused_graph.cc.
struct FusedOp {
  std::vector<Dimension> dims;  // each of several iterations
  struct Use {
    ValueId value;
    Shape words;                       // of its dimensions of several words, one per rank
    std::vector<Rank> ranks;           // over the dimensions above
    std::vector<FusedBorder> borders;  // as in FusedOperand
    bool is_output = false;
  };
  std::vector<Use> uses;  // of every value once, the output last
  std::optional<DimId> softmax, rows;
};

// Why there is none is the error: the rest of a sentence about the node.
tl::expected<FusedOp, std::string> FusedOpOf(const Graph& graph, const GraphNode& node);

}  // namespace inlay
