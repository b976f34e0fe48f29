#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "inlay/mapper/exact/frame.h"

namespace inlay::exact_search {

// Puts first the dimensions whose tiles decide how often something is repeated if the innermost
// loop is `inner`; then those with few choices.
template <typename Choices>
std::vector<size_t> DimOrder(const Frame& frame, size_t child, int inner, const Choices& choices) {
  std::vector<std::pair<double, double>> rank(frame.dims, {0, 0});
  for (size_t d = 0; d < frame.dims; ++d) {
    rank[d].second = choices(d);
    if (inner < 0 || child >= frame.levels) continue;
    for (const Edge& edge : frame.edges[child]) {
      const auto& rank_of = frame.tensors[edge.tensor].rank_of;
      if (rank_of[static_cast<size_t>(inner)] >= 0 && rank_of[d] < 0) rank[d].first = -1;
    }
  }
  std::vector<size_t> order(frame.dims);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank[a] < rank[b]; });
  return order;
}

}  // namespace inlay::exact_search
