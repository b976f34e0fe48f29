#pragma once

#include <optional>
#include <vector>

#include "inlay/codesign/table.h"

namespace inlay {

// A row's best mapping and the column it is on.
struct Placed {
  size_t column = 0;
  Solution solution;
  std::optional<double> relaxed = {};  // kGp
};
// Per row; none: there is no mapping, or the time was up.
using Placement = std::vector<std::optional<Placed>>;

// Called from any thread, one at a time.
using ScopeProgress = std::function<void(std::optional<double> incumbent)>;

// One file with the scopes; each is exact over the table. The objective's first metric is energy,
// delay or edp; the sums count repeats.

// Every row on the column that suits it best.
Placement BestPerRow(CostTable* table, const Objective& objective, int threads,
                     const ScopeProgress& progress);
// All rows on the one column of the least sum; for edp, sum of energies × sum of cycles over every
// row's own best mapping.
Placement BestColumn(CostTable* table, const Objective& objective, int threads,
                     const ScopeProgress& progress);
// All rows on the column that suits the row with the largest share best.
Placement DominantColumn(CostTable* table, const Objective& objective, int threads,
                         const ScopeProgress& progress);
// Every row on the best of at most `most` columns. Energy or delay only.
Placement BestColumns(CostTable* table, const Objective& objective, size_t most, int threads,
                      const ScopeProgress& progress);
// All rows on one column: the placements that no other beats in energy, cycles and area. Mappings
// are the best of each row by energy, by delay, or by edp.
std::vector<Placement> ParetoColumns(CostTable* table, int threads, const ScopeProgress& progress);

// The row with the largest share of the sum of the metric; all rows are placed.
size_t DominantRow(const CostTable& table, const Placement& placement, Metric metric);

// Sums over the rows that have a mapping, every repeat counted.
double EnergyOf(const CostTable& table, const Placement& placement);
double CyclesOf(const CostTable& table, const Placement& placement);
double ValueOf(const CostTable& table, const Placement& placement, Metric metric);

}  // namespace inlay
