#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "inlay/codesign/cost_table.h"
#include "inlay/codesign/search_group.h"

namespace inlay {

// A row's best mapping and the column it is on.
struct PlacedRow {
  size_t column = 0;
  Solution solution;
  std::optional<double> relaxed = {};  // kGp
};
// Per row; none: there is no mapping, or the time was up.
using Placement = std::vector<std::optional<PlacedRow>>;
bool IsComplete(const Placement& placement);

// What a scope comes to. At the end of the time it is the best so far, if there is one.
struct PlacementResult {
  Placement placement;
  bool proven = false;  // none is better
  // No placement has less of the objective's first metric; 0: nothing is known.
  double lower_bound = 0;
};

// A row or a column is through.
struct PlacementProgress {
  std::optional<double> incumbent = {}, bound = {};  // of the objective, where they are known
  std::optional<size_t> taken = {};  // how many rows or columns were begun, by all of the group
};
// Called from any thread, one at a time.
using PlacementProgressSink = std::function<void(const PlacementProgress&)>;

// The scopes that choose one column for something; `several_architectures` and `pareto_front` have
// the others. Each is exact over the table. The objective's first metric is energy, delay or edp;
// the sums count repeats. `first` has mappings of some or all rows: a first answer, which shortens
// the search and does not change what is proven. The same holds for a group: the answer is what its
// leader returns.

// Every row on the column that suits it best. The bound is of LayerValueOf.
PlacementResult BestPerRow(CostTable* table, const Objective& objective, const Placement& first,
                           int threads, SearchGroup* group, const PlacementProgressSink& progress);
// All rows on the one column of the least sum; for edp, of the least sum of energies × sum of
// cycles (LeastNetworkEdp).
PlacementResult BestColumn(CostTable* table, const Objective& objective, const Placement& first,
                           int threads, SearchGroup* group, const PlacementProgressSink& progress);
// All rows on the column that suits the row with the largest share best. Never proven; the bound is
// that of every row on its own best column.
PlacementResult DominantColumn(CostTable* table, const Objective& objective, const Placement& first,
                               int threads, SearchGroup* group,
                               const PlacementProgressSink& progress);

// All rows on one column, and whether each is known to have no better mapping, or none.
PlacementResult PlaceAll(CostTable* table, const Objective& objective, size_t column, int threads);

// The row with the largest share of the sum of the metric; all rows are placed.
size_t DominantRow(const CostTable& table, const Placement& placement, Metric metric);

// Sums over the rows that have a mapping, every repeat counted.
double EnergyOf(const CostTable& table, const Placement& placement);
double CyclesOf(const CostTable& table, const Placement& placement);
// For edp, sum × sum.
double ValueOf(const CostTable& table, const Placement& placement, Metric metric);
// For edp, the sum over layers of their own edp, all repeats of a layer together.
double LayerValueOf(const CostTable& table, const Placement& placement, Metric metric);

}  // namespace inlay
