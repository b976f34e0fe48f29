#pragma once

#include <functional>

#include "inlay/codesign/single_architecture.h"
#include "inlay/mapper/least_product.h"

namespace inlay {

// A placement by an objective that is a sum over rows, below a value of its first metric; if there
// is none, `first`, which has all rows or some.
using SumSearch =
    std::function<PlacementResult(const Objective& objective, const Placement& first, double below,
                                  const PlacementProgressSink& progress)>;

// The least sum of energies × sum of cycles, in which a row's mapping need not be the one of its
// own least edp. The search of the least sum is asked at one price of a cycle after the other
// (LeastProduct). `floor`: no placement has less of either, nor a smaller product.
struct SumBounds {
  EnergyDelay sums;
  double product = 0;
};
PlacementResult LeastNetworkEdp(CostTable* table, const Objective& objective,
                                const Placement& first, const SumBounds& floor, SearchGroup* group,
                                const PlacementProgressSink& progress, const SumSearch& search);

// Lower bounds of all rows on one column, by the table's bounds; of every row on any.
SumBounds SumBoundsOfColumns(const CostTable& table);
SumBounds SumBoundsOfRows(const CostTable& table);

}  // namespace inlay
