#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "inlay/codesign/single_architecture.h"

namespace inlay {

// Columns with all rows on them that none beats in energy, cycles and area.
struct ColumnFront {
  std::vector<Placement> placements;  // by energy, then cycles, then area
  // Columns that were not searched to the end, and that no bound rules out: each may add
  // placements, or beat some.
  size_t open = 0;
  // Whatever they add, some placement here has at most 1 / (1 − gap) times its energy, its cycles
  // and its area. 0: nothing is open; none: nothing is known.
  std::optional<double> gap;
};

// Mappings are the best of each row by energy, by delay, or by edp; as long as columns are open
// also some that are found quickly.
ColumnFront ParetoColumns(CostTable* table, int threads, const PlacementProgressSink& progress);

}  // namespace inlay
