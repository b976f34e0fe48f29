#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/graph.h"
#include "inlay/core/vector_unit.h"

namespace inlay {

// Operations by VectorOp; the last are of no kind.
using VectorOpCounts = std::array<int64_t, kVectorOps + 1>;

// What a node that does not multiply is to a vector unit: rows that are all alike, and the words
// that they need. docs/reference/vector-units.md has the rules.
struct VectorWork {
  struct Input {
    bool is_weight = false;
    int64_t words = 0;
    int64_t steps = 0;  // how often another word is asked for than the last one; at least the words
    int64_t uses = 0;   // how often one is asked for; of the first input in each pass
  };
  int64_t rows = 0;
  VectorOpCounts row_operations{};
  int64_t passes = 1;     // over the first input; of several, its rows are held
  int64_t rewrites = 0;   // passes that put another row in its place
  int64_t row_words = 0;  // of a row of the first input, where there are several passes
  std::vector<Input> inputs;
  int64_t written = 0;
};

// The error says what 64 bits do not hold.
tl::expected<VectorWork, std::string> VectorWorkOf(const Graph& graph, const GraphNode& node);

}  // namespace inlay
