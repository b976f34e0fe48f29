#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/thistle/model.h"

namespace inlay::thistle {

// One way to tile a dimension: bound ≥ sram ≥ array ≥ tile, the last of them on so many lanes.
struct ListedChain {
  int64_t sram = 1, array = 1, lanes = 1, tile = 1;
};

// All chains of one dimension, one by one.
class ChainList {
 public:
  // More are not listed: they take some 130 MB. A dimension of 50,000 iterations has fewer in
  // `ruby`.
  static constexpr size_t kMost = size_t{1} << 22;

  ChainList() = default;
  // Empty if the time is up before the end, or if there are more than `most`.
  ChainList(const Model& model, FreeIndex f, DeadlineWatch* watch, size_t most = kMost);

  bool is_too_long() const { return is_too_long_; }
  // By SRAM tile, array tile, lanes, register tile.
  const std::vector<ListedChain>& chains() const { return chains_; }

  // All values that occur, ascending.
  const std::vector<int64_t>& srams() const { return srams_; }
  const std::vector<int64_t>& arrays() const { return arrays_; }
  const std::vector<int64_t>& lane_counts() const { return lane_counts_; }

  // Calls `visit` with the chains whose tiles lie within [low, high], in order.
  template <typename Visit>
  void ForEachIn(int64_t sram_low, int64_t sram_high, int64_t array_low, int64_t array_high,
                 const Visit& visit) const {
    const auto first = std::lower_bound(srams_.begin(), srams_.end(), sram_low);
    for (auto s = static_cast<size_t>(first - srams_.begin());
         s < srams_.size() && srams_[s] <= sram_high; ++s) {
      const auto end = chains_.begin() + static_cast<std::ptrdiff_t>(begins_[s + 1]);
      auto chain = std::lower_bound(
          chains_.begin() + static_cast<std::ptrdiff_t>(begins_[s]), end, array_low,
          [](const ListedChain& a, int64_t array) { return a.array < array; });
      for (; chain != end && chain->array <= array_high; ++chain) visit(*chain);
    }
  }

 private:
  bool Sort(DeadlineWatch* watch);
  void FindValues();

  bool is_too_long_ = false;
  std::vector<ListedChain> chains_;
  std::vector<int64_t> srams_, arrays_, lane_counts_;
  std::vector<size_t> begins_;  // of the chains of each SRAM tile; and the end
};

}  // namespace inlay::thistle
