#include "inlay/codesign/several_architectures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "inlay/base/parallel.h"
#include "inlay/codesign/column_subset.h"
#include "inlay/codesign/network_edp.h"
#include "inlay/mapper/priced_best.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The best mapping of every row on every column, at one price of a cycle after the other: where
// what is known says enough, without a search.
class PricedPairs {
 public:
  explicit PricedPairs(const CostTable& table) : columns_(table.columns()) {
    for (size_t r = 0; r < table.rows(); ++r) {
      for (size_t c = 0; c < table.columns(); ++c) {
        pairs_.push_back({PricedBest(table.LeastEnergy(r, c), table.LeastCycles(r, c))});
      }
    }
  }

  // At the table's price. From any thread, for different pairs.
  MappingSearchResult Best(size_t row, size_t column, const Objective& objective,
                           CostTable* table) {
    auto& [known, is_empty] = pairs_[row * columns_ + column];
    const double price = table->cycle_price();
    MappingSearchResult searched;
    searched.proven = true;
    if (is_empty) return searched;
    if (!known.IsKnown(price)) {
      std::optional<std::vector<double>> better_than;
      if (const Solution* best = known.Best(price)) {
        better_than = std::vector<double>(objective.size(), kInfinity);
        better_than->front() = PricedBest::ValueOf(*best, price);
      }
      searched = table->Best(row, column, objective, better_than);
      if (searched.best) {
        searched.best->cost = table->CostAt(0, row, column, *searched.best);
        known.Add(*std::move(searched.best));
      }
    }
    const Solution* best = known.Best(price);
    is_empty = searched.proven && best == nullptr;
    if (best == nullptr) return searched;
    const double value = PricedBest::ValueOf(*best, price);
    known.AddBound(price, searched.proven ? value : std::min(value, searched.lower_bound));
    searched.lower_bound = known.LowerBound(price);
    searched.best = *best;
    searched.best->cost = table->CostOf(row, column, *best);
    return searched;
  }

 private:
  struct Pair {
    PricedBest known;
    bool is_empty = false;  // there is no mapping
  };
  size_t columns_;
  std::vector<Pair> pairs_;  // by row and column
};

// Every row on every column. Columns with a small bound go first, so that there is a good answer
// early; those beyond the deadline stay empty.
class AllColumns {
 public:
  // `pairs`: with a price; may be null.
  AllColumns(CostTable* table, const Objective& objective, PricedPairs* pairs)
      : table_(*table),
        objective_(objective),
        pairs_(pairs),
        placements_(table->columns(), Placement(table->rows())),
        costs_(table->columns(), std::vector<double>(table->rows(), kInfinity)),
        floors_(table->rows(), kInfinity) {}

  void Run(int threads, const PlacementProgressSink& progress) {
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
      MappingSearchResult searched = pairs_ != nullptr
                                         ? pairs_->Best(r, column, objective_, &table_)
                                         : table_.Best(r, column, objective_);
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
  PricedPairs* pairs_;
  std::vector<Placement> placements_;
  std::vector<std::vector<double>> costs_;  // by column and row, repeats counted; infinite: none
  std::vector<double> floors_;              // by row: no column has less
  bool proven_ = true;
  std::mutex mutex_;  // of what the columns share
};

PlacementResult LeastSumColumns(CostTable* table, const Objective& objective,
                                const Placement& first, size_t most, PricedPairs* pairs,
                                int threads, const PlacementProgressSink& progress) {
  AllColumns all(table, objective, pairs);
  all.Run(threads, progress);
  const auto& costs = all.costs();
  const ColumnSubset subset = BestColumnSubset(costs, most, table->deadline());
  PlacementResult result{Placement(table->rows())};
  for (const size_t column : subset.columns) {
    for (size_t r = 0; r < table->rows(); ++r) {
      auto& best = result.placement[r];
      if (!std::isfinite(costs[column][r])) continue;
      if (!best || costs[column][r] < costs[best->column][r]) best = all.placement(column)[r];
    }
  }
  result.proven = all.proven() && subset.proven;
  if (!result.proven && IsComplete(first) &&
      (!IsComplete(result.placement) || ValueOf(*table, first, objective.front()) <
                                            ValueOf(*table, result.placement, objective.front()))) {
    result.placement = first;
  }
  result.lower_bound = all.proven() ? subset.lower_bound : all.Floor();
  return result;
}

}  // namespace

PlacementResult BestColumns(CostTable* table, const Objective& objective, const Placement& first,
                            size_t most, int threads, const PlacementProgressSink& progress) {
  if (objective.front() != Metric::kEdp) {
    return LeastSumColumns(table, objective, first, most, nullptr, threads, progress);
  }
  PricedPairs pairs(*table);
  const auto search = [&](const Objective& sum, const Placement& known, double /*below*/,
                          const PlacementProgressSink& report) {
    return LeastSumColumns(table, sum, known, most, &pairs, threads, report);
  };
  SingleProcess single;
  return LeastNetworkEdp(table, objective, first, SumBoundsOfRows(*table), &single, progress,
                         search);
}

}  // namespace inlay
