#pragma once

#include "inlay/codesign/single_architecture.h"

namespace inlay {

// Every row on the best of at most `most` columns; the first metric chooses the columns. For edp
// the least sum of energies × sum of cycles (LeastNetworkEdp). `first`, all rows on one column, is
// the answer as long as there is none.
PlacementResult BestColumns(CostTable* table, const Objective& objective, const Placement& first,
                            size_t most, int threads, const PlacementProgressSink& progress);

}  // namespace inlay
