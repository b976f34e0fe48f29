#include "inlay/mapper/front/open_entries.h"

#include <bit>
#include <limits>

namespace inlay::exact_search {

OpenEntries::OpenEntries(const InnerTable& table, size_t cases, size_t dims)
    : table_(table),
      dims_(dims),
      open_(cases, std::vector(dims + 1, std::vector<uint64_t>(table.mask_chunks()))),
      first_(cases, std::vector<size_t>(dims + 1, 0)) {}

void OpenEntries::Begin() {
  for (auto& by_depth : open_) by_depth.front().assign(table_.mask_chunks(), ~uint64_t{0});
  for (size_t d = 0; d < dims_; ++d) Narrow(d, d, TileBlocks::kRoot);
  for (auto& by_depth : open_) by_depth.front() = by_depth.back();
}

void OpenEntries::Narrow(size_t depth, size_t dim, size_t block) {
  for (size_t c = 0; c < open_.size(); ++c) {
    const std::vector<uint64_t>& before = open_[c][depth];
    std::vector<uint64_t>& after = open_[c][depth + 1];
    const uint64_t* mask = table_.Mask(c, dim, block);
    for (size_t w = 0; w < after.size(); ++w) after[w] = before[w] & mask[w];
    size_t& first = first_[c][depth + 1];
    for (first = 0; first < after.size() && after[first] == 0;) ++first;
  }
}

double OpenEntries::FewestOf(size_t in_case, size_t depth, const uint64_t* mask, double cut) const {
  const std::vector<uint64_t>& open = open_[in_case][depth];
  for (size_t w = first_[in_case][depth]; w < open.size(); ++w) {
    const uint64_t both = open[w] & mask[w];
    if (both != 0) return table_.Cycles(64 * w + static_cast<size_t>(std::countr_zero(both)));
    if (table_.Cycles(64 * w) >= cut) return cut;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace inlay::exact_search
