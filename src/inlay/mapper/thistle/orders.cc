#include "inlay/mapper/thistle/orders.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "inlay/mapspace/enumerate.h"

namespace inlay::thistle {
namespace {

bool Saves(const OrderClass& a, const OrderClass& b) {
  for (size_t t = 0; t < a.saved.size(); ++t) {
    if ((a.saved[t] & b.saved[t]) != b.saved[t]) return false;
  }
  return true;
}

}  // namespace

OrderClass Orders::ClassOf(const std::vector<FreeIndex>& order) const {
  OrderClass result;
  result.order = order;
  for (size_t t = 0; t < model_->tensor_count(); ++t) {
    uint32_t saved = 0;
    for (size_t i = order.size(); i-- > 0;) {
      const uint32_t bit = uint32_t{1} << order[i];
      if ((model_->relevant(t) & bit) == 0) {
        saved |= bit;
        continue;
      }
      saved |= model_->paired(t) & bit;
      break;
    }
    result.saved.push_back(saved);
  }
  return result;
}

const std::vector<OrderClass>& Orders::For(uint32_t loops) {
  const auto [it, is_new] = classes_.try_emplace(loops);
  if (!is_new) return it->second;
  std::vector<DimId> dims;
  for (FreeIndex f = 0; f < model_->free_count(); ++f) {
    if ((loops >> f & 1) != 0) dims.push_back(model_->dim(f));
  }
  std::vector<OrderClass> all;
  std::set<std::vector<uint32_t>> seen;
  for (const std::vector<DimId>& order : OrdersOf(rule_ != nullptr ? *rule_ : OrderRule(), dims)) {
    std::vector<FreeIndex> indices;
    for (const DimId d : order) {
      for (FreeIndex f = 0; f < model_->free_count(); ++f) {
        if (model_->dim(f) == d) indices.push_back(f);
      }
    }
    OrderClass next = ClassOf(indices);
    if (seen.insert(next.saved).second) all.push_back(std::move(next));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    bool dominated = false;
    for (size_t j = 0; j < all.size() && !dominated; ++j) {
      dominated = i != j && Saves(all[j], all[i]);
    }
    if (!dominated) it->second.push_back(all[i]);
  }
  return it->second;
}

PricedOrder Cheapest(const Model& model, Boundary boundary, const std::vector<OrderClass>& classes,
                     const Cuts& outside, const Cuts& inside) {
  PricedOrder best{std::numeric_limits<double>::infinity(), nullptr};
  for (const OrderClass& order : classes) {
    double pj = 0;
    for (size_t t = 0; t < order.saved.size(); ++t) {
      pj += model.CopiesPj(boundary, t, order.saved[t], outside, inside);
    }
    if (pj < best.pj) best = {pj, &order};
  }
  return best;
}

}  // namespace inlay::thistle
