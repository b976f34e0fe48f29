#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/thistle/array_grid.h"
#include "inlay/mapper/thistle/chains.h"
#include "inlay/mapper/thistle/orders.h"

namespace inlay::thistle {

// One range of SRAM tiles per dimension.
struct SramRanges {
  PerFree<uint32_t> range{};
  double dram_pj = 0;   // no less is copied from and to DRAM
  double bound_pj = 0;  // no mapping with such tiles costs less, `base` included
};

// All of them that may fit into the SRAM, from the lowest bound up; sorted as far as asked for.
// Along one dimension (with the most ranges) the bound rises with the number of trips, so each
// choice of the others is a column of which only the next range waits in the heap.
class SramQueue {
 public:
  SramQueue(const Model& model, const std::vector<Chains>& chains, const ArrayGrid& grid,
            Orders* dram_orders, DeadlineWatch* watch);

  // nullptr: there are no more.
  const SramRanges* Get(size_t i);
  Cuts CutsOf(const SramRanges& ranges) const;

 private:
  void AddColumns(FreeIndex f, SramRanges* ranges, PerFree<int64_t>* sizes);
  void Push(SramRanges ranges);
  static bool After(const SramRanges& a, const SramRanges& b);

  const Model& model_;
  const std::vector<Chains>& chains_;
  const ArrayGrid& grid_;
  Orders* dram_orders_;
  DeadlineWatch* watch_;
  FreeIndex main_ = 0;
  std::vector<SramRanges> heap_, sorted_;
};

}  // namespace inlay::thistle
