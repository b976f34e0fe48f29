#pragma once

#include <string>
#include <vector>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/problem.h"

namespace inlay::report {

inline constexpr size_t kScreenColumns = 100;  // no line of a report is meant to be longer

// "architecture eyeriss", "resnet18 on onsram": words and names with blanks between them, bold.
// What is empty is left out, and long names are cut. No newline at the end.
std::string Title(const std::vector<std::string>& names, const TextStyle& style);

// Joins pieces into lines of at most kScreenColumns; a line after the first starts with `indent`
// blanks. A piece is never broken, but cut as a name is. No newline at the end.
std::string Wrap(const std::vector<std::string>& pieces, const std::string& separator,
                 size_t indent);

// "Outputs[K, P, Q] += Weights[K, C, R, S] × Inputs[C, P + R, Q + S]", wrapped.
std::string EinsumLine(const Problem& problem, const TextStyle& style);
// "K 64 · C 64 · P 56", wrapped.
std::string BoundsLine(const Problem& problem, const TextStyle& style);
// "DRAM → GLB 65 536 words → 14 × 12 → spads 220 words → mac", wrapped.
std::string ChainLine(const Architecture& architecture, const TextStyle& style);

// "65 536 words", "12 + 192 + 16 words" for partitions, "unbounded".
std::string CapacityText(const Level& level, const TextStyle& style);

}  // namespace inlay::report
