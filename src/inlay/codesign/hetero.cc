#include "inlay/codesign/hetero.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "inlay/base/parallel.h"
#include "inlay/codesign/network_edp.h"
#include "inlay/codesign/subset.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every row on every column. Columns with a small bound go first, so that there is a good answer
// early; those beyond the deadline stay empty.
class AllColumns {
 public:
  AllColumns(CostTable* table, const Objective& objective)
      : table_(*table),
        objective_(objective),
        placements_(table->columns(), Placement(table->rows())),
        costs_(table->columns(), std::vector<double>(table->rows(), kInfinity)),
        floors_(table->rows(), kInfinity) {}

  void Run(int threads, const ScopeProgress& progress) {
    std::vector<std::pair<double, size_t>> order;
    for (size_t c = 0; c < table_.columns(); ++c) {
      double bound = 0;
      for (size_t r = 0; r < table_.rows(); ++r) bound += LeastOf(r, c);
      order.emplace_back(bound, c);
    }
    std::sort(order.begin(), order.end());
    double incumbent = kInfinity;  // all rows on one column
    ParallelFor(order.size(), threads, [&](size_t i, size_t) {
      const double sum = Search(order[i].second);
      const std::scoped_lock lock(mutex_);
      incumbent = std::min(incumbent, sum);
      if (progress) progress({std::isfinite(incumbent) ? std::optional(incumbent) : std::nullopt});
    });
  }

  const std::vector<std::vector<double>>& costs() const { return costs_; }
  const Placement& placement(size_t column) const { return placements_[column]; }
  bool proven() const { return proven_; }
  // No set of columns has less.
  double Floor() const { return std::accumulate(floors_.begin(), floors_.end(), 0.0); }

 private:
  double LeastOf(size_t row, size_t column) const {
    return table_.repeat(row) * table_.Least(objective_.front(), row, column);
  }

  // The sum of the column.
  double Search(size_t column) {
    for (size_t r = 0; r < table_.rows(); ++r) {
      Searched searched = table_.Best(r, column, objective_);
      double& cost = costs_[column][r];
      if (searched.best) {
        cost = table_.repeat(r) * ValueOf(searched.best->cost, objective_.front());
        placements_[column][r] = PlacedRow{column, *std::move(searched.best)};
      }
      const std::scoped_lock lock(mutex_);
      proven_ = proven_ && searched.proven;
      const double floor =
          searched.proven ? cost : std::min(cost, table_.repeat(r) * searched.lower_bound);
      floors_[r] = std::min(floors_[r], floor);
    }
    return std::accumulate(costs_[column].begin(), costs_[column].end(), 0.0);
  }

  CostTable& table_;
  const Objective& objective_;
  std::vector<Placement> placements_;
  std::vector<std::vector<double>> costs_;  // by column and row, repeats counted; infinite: none
  std::vector<double> floors_;              // by row: no column has less
  bool proven_ = true;
  std::mutex mutex_;  // of what the columns share
};

Placing LeastSumColumns(CostTable* table, const Objective& objective, const Placement& first,
                        size_t most, int threads, const ScopeProgress& progress) {
  AllColumns all(table, objective);
  all.Run(threads, progress);
  const auto& costs = all.costs();
  const Subset subset = BestSubset(costs, most, table->deadline());
  Placing placing{Placement(table->rows())};
  for (const size_t column : subset.columns) {
    for (size_t r = 0; r < table->rows(); ++r) {
      auto& best = placing.placement[r];
      if (!std::isfinite(costs[column][r])) continue;
      if (!best || costs[column][r] < costs[best->column][r]) best = all.placement(column)[r];
    }
  }
  placing.proven = all.proven() && subset.proven;
  if (!placing.proven && IsComplete(first) &&
      (!IsComplete(placing.placement) ||
       ValueOf(*table, first, objective.front()) <
           ValueOf(*table, placing.placement, objective.front()))) {
    placing.placement = first;
  }
  placing.lower_bound = all.proven() ? subset.lower_bound : all.Floor();
  return placing;
}

}  // namespace

Placing BestColumns(CostTable* table, const Objective& objective, const Placement& first,
                    size_t most, int threads, const ScopeProgress& progress) {
  const auto search = [&](const Objective& sum, const Placement& known, double /*below*/,
                          const ScopeProgress& tell) {
    return LeastSumColumns(table, sum, known, most, threads, tell);
  };
  if (objective.front() != Metric::kEdp) return search(objective, first, kInfinity, progress);
  Alone alone;
  return LeastNetworkEdp(table, objective, first, FloorOfRows(*table), &alone, progress, search);
}

}  // namespace inlay
