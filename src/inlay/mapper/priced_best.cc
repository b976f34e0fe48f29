#include "inlay/mapper/priced_best.h"

#include <algorithm>
#include <iterator>

namespace inlay {

void PricedBest::AddBound(double price_pj, double least) {
  least_[price_pj] = std::max(least, LowerBound(price_pj));
}

double PricedBest::LowerBound(double price_pj) const {
  const auto right = least_.lower_bound(price_pj);
  if (right != least_.end() && right->first == price_pj) return right->second;
  const auto left = std::prev(right);
  const double more = price_pj - left->first;
  if (right == least_.end()) return left->second + more * least_cycles_;
  return left->second + more * (right->second - left->second) / (right->first - left->first);
}

const Solution* PricedBest::Best(double price_pj) const {
  const Solution* best = nullptr;
  for (const Solution& solution : found_) {
    if (best == nullptr || ValueOf(solution, price_pj) < ValueOf(*best, price_pj)) best = &solution;
  }
  return best;
}

bool PricedBest::IsKnown(double price_pj) const {
  constexpr double kRounding = 1 + 1e-12;
  const Solution* best = Best(price_pj);
  return best != nullptr && LowerBound(price_pj) * kRounding >= ValueOf(*best, price_pj);
}

}  // namespace inlay
