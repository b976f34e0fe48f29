#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/products/product_bound.h"
#include "inlay/mapspace/space.h"

namespace inlay::exact_search {

// A way to unroll the dimensions of a `perfect` or `ruby-s` space.
struct LaneChoice {
  std::vector<DimFactors> lanes;            // [level]: x times y, by dimension
  std::vector<std::vector<int64_t>> steps;  // [dimension][spatial slot]
};

// All of them; in `perfect`, one only of those that differ merely in what lies on x and what on y:
// it makes no difference to any count. nullopt if there are too many, or the deadline passed.
std::optional<std::vector<LaneChoice>> LaneChoicesOf(const Space& space, const Deadline& deadline);

}  // namespace inlay::exact_search
