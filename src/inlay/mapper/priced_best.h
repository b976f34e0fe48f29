#pragma once

#include <map>
#include <utility>
#include <vector>

#include "inlay/core/map_result.h"

namespace inlay {

// What is known of the least energy + price × cycles of one mapspace, at any price of a cycle. It
// is concave in the price: between two prices it is at least what lies between their least.
class PricedBest {
 public:
  // No mapping has less of either.
  PricedBest(double energy_pj, double cycles) : least_{{0, energy_pj}}, least_cycles_(cycles) {}

  static double ValueOf(const Solution& solution, double price_pj) {
    return solution.cost.energy_pj + price_pj * static_cast<double>(solution.cost.cycles);
  }

  // A mapping with what it costs without a price.
  void Add(Solution solution) { found_.push_back(std::move(solution)); }
  // At the price no mapping has less.
  void AddBound(double price_pj, double least);

  double LowerBound(double price_pj) const;
  // The best of those added; null: there is none. Of equals the first.
  const Solution* Best(double price_pj) const;
  // Whether none is better, but for rounding.
  bool IsKnown(double price_pj) const;

 private:
  std::vector<Solution> found_;
  std::map<double, double> least_;  // by price, from 0 on
  double least_cycles_;
};

}  // namespace inlay
