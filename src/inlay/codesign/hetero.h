#pragma once

#include "inlay/codesign/scopes.h"

namespace inlay {

// Every row on the best of at most `most` columns. Energy or delay only, the first metric chooses
// the columns.
Placing BestColumns(CostTable* table, const Objective& objective, size_t most, int threads,
                    const ScopeProgress& progress);

}  // namespace inlay
