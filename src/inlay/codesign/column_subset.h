#pragma once

#include <cstddef>
#include <vector>

#include "inlay/base/deadline.h"

namespace inlay {

// Columns of which every row takes the one that costs it least.
struct ColumnSubset {
  std::vector<size_t> columns;  // ascending; empty: no set serves every row, or the time was up
  double sum = 0;               // over rows, of the least cost among the columns
  double lower_bound = 0;       // no set has less; the sum if proven
  bool proven = false;
};

// At most `most` columns of the least sum. `costs[column][row]`, at least one of each; infinite:
// the column cannot serve the row. Columns that another one beats in every row are left out; of
// equal sets (but for 1e-12) the first in the order of depth-first search. At the deadline the best
// so far: there is one as soon as adding column by column, the most useful first, serves every row.
ColumnSubset BestColumnSubset(const std::vector<std::vector<double>>& costs, size_t most,
                              const Deadline& deadline);

}  // namespace inlay
