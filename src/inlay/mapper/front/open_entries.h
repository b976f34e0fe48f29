#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/front/inner_table.h"

namespace inlay::exact_search {

// The entries of the inner table that go with the tiles of level 1, case by case, while these are
// decided dimension after dimension. `depth` is the number of dimensions whose tile is decided.
class OpenEntries {
 public:
  OpenEntries(const InnerTable& table, size_t cases, size_t dims);

  // Before the first dimension: the entries that go with some tile of every dimension.
  void Begin();
  // Decides on a block of tiles for the dimension that comes at `depth`.
  void Narrow(size_t depth, size_t dim, size_t block);

  // The fewest cycles of the entries open at `depth` that go with a block of the next dimension. At
  // least `cut` if it is not below that; infinite if there is none.
  double FewestCycles(size_t in_case, size_t depth, size_t dim, size_t block, double cut) const {
    return FewestOf(in_case, depth, table_.Mask(in_case, dim, block), cut);
  }
  // The same of those that are left when all dimensions are decided.
  double FewestCycles(size_t in_case, double cut) const {
    return FewestOf(in_case, dims_, Left(in_case).data(), cut);
  }
  // These, by bit.
  const std::vector<uint64_t>& Left(size_t in_case) const { return open_[in_case][dims_]; }

 private:
  double FewestOf(size_t in_case, size_t depth, const uint64_t* mask, double cut) const;

  const InnerTable& table_;
  size_t dims_;
  std::vector<std::vector<std::vector<uint64_t>>> open_;  // [case][depth]
  std::vector<std::vector<size_t>> first_;  // [case][depth]: of open_, the first chunk not 0
};

}  // namespace inlay::exact_search
