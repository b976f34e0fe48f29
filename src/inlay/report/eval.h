#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/mapping.h"
#include "inlay/core/problem.h"
#include "inlay/core/result.h"

namespace inlay::report {

struct SemanticsCost {
  Semantics semantics = Semantics::kExact;
  Cost cost;
};

// The cost of a mapping on one screen: problem and architecture in a line each, levels × tensors
// with their counts and energies, what limits the cycles, the totals.
std::string EvalSummary(const Problem& problem, const Architecture& architecture,
                        const Mapping& mapping, const SemanticsCost& result,
                        const TextStyle& style);

// The same mapping under several semantics, a column each. What differs from the first column is
// marked and says by how much.
std::string EvalComparison(const Problem& problem, const Architecture& architecture,
                           const Mapping& mapping, const std::vector<SemanticsCost>& results,
                           const TextStyle& style);

// The lines that both begin with.
std::string EvalHeader(const Problem& problem, const Architecture& architecture,
                       const Mapping& mapping, const std::string& semantics,
                       const TextStyle& style);

// Seconds, and watts and TOPS behind them; nullopt without a clock.
std::optional<std::pair<std::string, std::string>> TimeCells(const TimeResult& time,
                                                             const TextStyle& style);

// "compute", "reads of GLB", "writes to GLB", "GLB's bandwidth".
std::string LimitText(const Architecture& architecture, const Cost& cost);

}  // namespace inlay::report
