#pragma once

#include "inlay/codesign/single_architecture.h"

namespace inlay {

// All rows on one column (without `together` each on one of its own) with some mapping, however
// little time there is: an answer for a search that is stopped at once. Columns are tried until one
// has a mapping of every row, at most a few dozen of them, and when the time is up for a second at
// most but for the first few; what has none then stays empty.
Placement AnyPlacement(const CostTable& table, const CodesignTask& task, bool together);

// All rows on one column with mappings that are found quickly, to have an answer early and
// something to beat. The column: from the middle of the family uphill, one free attribute at a
// time, first for the row with the most operations, then, if `together`, for all rows. A row has
// none where none is found on the column, or where the time was up.
Placement HillClimbPlacement(CostTable* table, const Objective& objective, bool together,
                             int threads);

}  // namespace inlay
