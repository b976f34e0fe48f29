#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "inlay/mapper/exact/keep_case.h"

namespace inlay::exact_search {

// Puts first the dimensions whose tiles decide how often something is repeated if the innermost
// loop is `inner`; then those with few choices.
template <typename Choices>
std::vector<size_t> DimOrder(const KeepCase& keep_case, size_t child, int inner,
                             const Choices& choices) {
  std::vector<std::pair<double, double>> rank(keep_case.dims, {0, 0});
  for (size_t d = 0; d < keep_case.dims; ++d) {
    rank[d].second = choices(d);
    if (inner < 0 || child >= keep_case.levels) continue;
    for (const Edge& edge : keep_case.edges[child]) {
      const auto& rank_of = keep_case.tensors[edge.tensor].rank_of;
      if (rank_of[static_cast<size_t>(inner)] >= 0 && rank_of[d] < 0) rank[d].first = -1;
    }
  }
  std::vector<size_t> order(keep_case.dims);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank[a] < rank[b]; });
  return order;
}

}  // namespace inlay::exact_search
