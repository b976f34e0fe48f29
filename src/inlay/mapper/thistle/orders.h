#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "inlay/mapper/thistle/model.h"

namespace inlay::thistle {

// Loop orders of one level that cost the same: per tensor, the dimensions whose loops repeat no
// copy (those inside the innermost loop that moves the tensor) or join its tiles (that loop, if it
// is along a rank of two dimensions).
struct OrderClass {
  std::vector<uint32_t> saved;   // per tensor, sets of free dimensions
  std::vector<FreeIndex> order;  // the first such order, outer to inner
};

// The orders of the loops of a level that are not dominated, given which dimensions have a loop:
// an order is worse than another that saves, for every tensor, at least the same dimensions.
class Orders {
 public:
  // Without a rule all orders are allowed.
  Orders(const Model& model, const OrderRule* rule) : model_(&model), rule_(rule) {}

  const std::vector<OrderClass>& For(uint32_t loops);

 private:
  OrderClass ClassOf(const std::vector<FreeIndex>& order) const;

  const Model* model_;
  const OrderRule* rule_;
  std::unordered_map<uint32_t, std::vector<OrderClass>> classes_;
};

struct PricedOrder {
  double pj = 0;
  const OrderClass* order = nullptr;
};

// The cheapest of them, the first among equals.
PricedOrder Cheapest(const Model& model, Boundary boundary, const std::vector<OrderClass>& classes,
                     const Cuts& outside, const Cuts& inside);

}  // namespace inlay::thistle
