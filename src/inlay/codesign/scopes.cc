#include "inlay/codesign/scopes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "inlay/base/parallel.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1 + 1e-9;

// Columns by a bound, the least first.
template <typename Bound>
std::vector<std::pair<double, size_t>> ByBound(size_t columns, const Bound& bound) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t c = 0; c < columns; ++c) order.emplace_back(bound(c), c);
  std::sort(order.begin(), order.end());
  return order;
}

std::optional<Placed> BestOfRow(CostTable* table, const Objective& objective, size_t row) {
  std::optional<Placed> best;
  std::optional<std::vector<double>> values;
  const auto order = ByBound(table->columns(), [&](size_t column) {
    return table->Least(objective.front(), row, column);
  });
  for (const auto& [bound, column] : order) {
    if (values && bound > values->front() * kRounding) break;
    auto solution = table->Best(row, column, objective, values);
    if (solution) {
      values = ValuesOf(solution->cost, objective);
      best = Placed{column, *std::move(solution)};
    }
    if (table->out_of_time()) break;
  }
  return best;
}

std::optional<double> Incumbent(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// Least sums of one column, row after row, and whether they can still be the best.
class ColumnSearch {
 public:
  // `floors`: no column has less of the first metric, per row.
  ColumnSearch(CostTable* table, const Objective& objective, std::vector<double> floors)
      : table_(*table), objective_(objective), floors_(std::move(floors)) {
    rows_.resize(table->rows());
    std::iota(rows_.begin(), rows_.end(), size_t{0});
    // The heavy rows decide soonest.
    std::sort(rows_.begin(), rows_.end(), [&](size_t a, size_t b) {
      return floors_[a] * table_.repeat(a) > floors_[b] * table_.repeat(b);
    });
  }

  double Bound(size_t column) const { return Bound(column, 0, 0, 0); }

  // The placement on a column if it is better than `best`.
  std::optional<Placement> Run(size_t column, double best) {
    Placement placement(table_.rows());
    double energy = 0, cycles = 0;
    const bool sums = objective_.front() != Metric::kEdp;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const size_t row = rows_[i];
      if (Bound(column, i, energy, cycles) > best * kRounding) return std::nullopt;
      std::optional<std::vector<double>> limit;
      if (sums && std::isfinite(best)) {
        const double so_far = objective_.front() == Metric::kEnergy ? energy : cycles;
        const double rest = best * kRounding - so_far - RestOf(column, i + 1);
        limit = std::vector<double>(objective_.size(), kInfinity);
        limit->front() = rest / table_.repeat(row);
      }
      auto solution = table_.Best(row, column, objective_, limit);
      if (!solution) return std::nullopt;
      energy += table_.repeat(row) * solution->cost.energy_pj;
      cycles += table_.repeat(row) * static_cast<double>(solution->cost.cycles);
      placement[row] = Placed{column, *std::move(solution)};
    }
    return placement;
  }

 private:
  double Least(size_t row, size_t column) const {
    return std::max(floors_[row], table_.Least(objective_.front(), row, column));
  }
  // Of the rows from the i-th on, for a metric that is a sum.
  double RestOf(size_t column, size_t i) const {
    double rest = 0;
    for (; i < rows_.size(); ++i) rest += table_.repeat(rows_[i]) * Least(rows_[i], column);
    return rest;
  }
  // With the first rows known. For edp, by Cauchy and Schwarz (ΣE)(ΣC) ≥ (Σ√(E·C))².
  double Bound(size_t column, size_t known, double energy, double cycles) const {
    if (objective_.front() == Metric::kEnergy) return energy + RestOf(column, known);
    if (objective_.front() == Metric::kDelay) return cycles + RestOf(column, known);
    double roots = std::sqrt(energy * cycles);
    for (size_t i = known; i < rows_.size(); ++i) {
      roots += table_.repeat(rows_[i]) * std::sqrt(Least(rows_[i], column));
      energy += table_.repeat(rows_[i]) * table_.LeastEnergy(rows_[i], column);
      cycles += table_.repeat(rows_[i]) * table_.LeastCycles(rows_[i], column);
    }
    return std::max(roots * roots, energy * cycles);
  }

  CostTable& table_;
  const Objective& objective_;
  std::vector<double> floors_;
  std::vector<size_t> rows_;
};

// All rows on one column; incomplete where there is no mapping.
Placement PlaceAll(CostTable* table, const Objective& objective, size_t column, int threads) {
  Placement placement(table->rows());
  ParallelFor(table->rows(), threads, [&](size_t row, size_t) {
    auto solution = table->Best(row, column, objective);
    if (solution) placement[row] = Placed{column, *std::move(solution)};
  });
  return placement;
}

bool IsComplete(const Placement& placement) {
  return std::all_of(placement.begin(), placement.end(),
                     [](const auto& placed) { return placed.has_value(); });
}

std::vector<double> ValuesOf(const CostTable& table, const Placement& placement,
                             const Objective& objective) {
  std::vector<double> values;
  for (const Metric metric : objective) values.push_back(ValueOf(table, placement, metric));
  return values;
}

}  // namespace

double EnergyOf(const CostTable& table, const Placement& placement) {
  double sum = 0;
  for (size_t r = 0; r < placement.size(); ++r) {
    if (placement[r]) sum += table.repeat(r) * placement[r]->solution.cost.energy_pj;
  }
  return sum;
}

double CyclesOf(const CostTable& table, const Placement& placement) {
  double sum = 0;
  for (size_t r = 0; r < placement.size(); ++r) {
    if (placement[r]) {
      sum += table.repeat(r) * static_cast<double>(placement[r]->solution.cost.cycles);
    }
  }
  return sum;
}

double ValueOf(const CostTable& table, const Placement& placement, Metric metric) {
  if (metric == Metric::kEnergy) return EnergyOf(table, placement);
  if (metric == Metric::kDelay) return CyclesOf(table, placement);
  return EnergyOf(table, placement) * CyclesOf(table, placement);
}

Placement BestPerRow(CostTable* table, const Objective& objective, int threads,
                     const ScopeProgress& progress) {
  Placement placement(table->rows());
  std::mutex mutex;
  ParallelFor(table->rows(), threads, [&](size_t row, size_t) {
    placement[row] = BestOfRow(table, objective, row);
    const std::scoped_lock lock(mutex);
    if (progress) progress(std::nullopt);
  });
  return placement;
}

Placement BestColumn(CostTable* table, const Objective& objective, int threads,
                     const ScopeProgress& progress) {
  const Placement alone = BestPerRow(table, {objective.front()}, threads, {});
  std::vector<double> floors;
  for (const auto& placed : alone) {
    floors.push_back(placed ? inlay::ValueOf(placed->solution.cost, objective.front()) : kInfinity);
  }
  Placement best(table->rows());
  if (!IsComplete(alone)) return best;
  ColumnSearch search(table, objective, std::move(floors));
  std::vector<double> values(objective.size(), kInfinity);
  const auto order = ByBound(table->columns(), [&](size_t column) { return search.Bound(column); });
  for (const auto& [bound, column] : order) {
    if (bound > values.front() * kRounding) break;
    auto placement = search.Run(column, values.front());
    if (table->out_of_time()) break;
    if (placement) {
      std::vector<double> found = ValuesOf(*table, *placement, objective);
      if (found < values) {
        values = std::move(found);
        best = *std::move(placement);
      }
    }
    if (progress) progress(Incumbent(values.front()));
  }
  return best;
}

size_t DominantRow(const CostTable& table, const Placement& placement, Metric metric) {
  size_t dominant = 0;
  double most = -1;
  for (size_t r = 0; r < placement.size(); ++r) {
    const double share = table.repeat(r) * inlay::ValueOf(placement[r]->solution.cost, metric);
    if (share <= most) continue;
    most = share;
    dominant = r;
  }
  return dominant;
}

Placement DominantColumn(CostTable* table, const Objective& objective, int threads,
                         const ScopeProgress& progress) {
  const Placement alone = BestPerRow(table, objective, threads, progress);
  if (!IsComplete(alone)) return Placement(table->rows());
  const size_t dominant = DominantRow(*table, alone, objective.front());
  return PlaceAll(table, objective, alone[dominant]->column, threads);
}

namespace {

// At most so many columns with the least sum of row minima, depth first.
class SubsetSearch {
 public:
  // `costs[c][r]`, repeats counted; infinite: no mapping.
  SubsetSearch(const std::vector<std::vector<double>>& costs, size_t most)
      : costs_(costs), most_(most), suffix_(costs.size() + 1) {
    const size_t rows = costs.front().size();
    suffix_.back().assign(rows, kInfinity);
    for (size_t c = costs.size(); c-- > 0;) {
      suffix_[c] = suffix_[c + 1];
      for (size_t r = 0; r < rows; ++r) suffix_[c][r] = std::min(suffix_[c][r], costs[c][r]);
    }
  }

  std::vector<size_t> Run() {
    Choose(0, std::vector<double>(costs_.front().size(), kInfinity));
    return best_columns_;
  }

 private:
  static double SumOfLeast(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t r = 0; r < a.size(); ++r) sum += std::min(a[r], b[r]);
    return sum;
  }

  void Choose(size_t first, const std::vector<double>& least) {
    const double now = std::accumulate(least.begin(), least.end(), 0.0);
    if (now < best_) {
      best_ = now;
      best_columns_ = chosen_;
    }
    if (chosen_.size() == most_) return;
    for (size_t c = first; c < costs_.size(); ++c) {
      if (SumOfLeast(least, suffix_[c]) >= best_) return;  // nothing from here on helps
      std::vector<double> with = least;
      for (size_t r = 0; r < with.size(); ++r) with[r] = std::min(with[r], costs_[c][r]);
      chosen_.push_back(c);
      Choose(c + 1, with);
      chosen_.pop_back();
    }
  }

  const std::vector<std::vector<double>>& costs_;
  size_t most_;
  std::vector<std::vector<double>> suffix_;  // least of the columns from c on
  std::vector<size_t> chosen_, best_columns_;
  double best_ = kInfinity;
};

}  // namespace

Placement BestColumns(CostTable* table, const Objective& objective, size_t most, int threads,
                      const ScopeProgress& progress) {
  std::vector<Placement> placements(table->columns());
  std::vector<std::vector<double>> costs(table->columns());
  std::mutex mutex;
  ParallelFor(table->columns(), threads, [&](size_t column, size_t) {
    placements[column] = PlaceAll(table, objective, column, 1);
    for (size_t r = 0; r < table->rows(); ++r) {
      const auto& placed = placements[column][r];
      costs[column].push_back(placed ? table->repeat(r) *
                                           inlay::ValueOf(placed->solution.cost, objective.front())
                                     : kInfinity);
    }
    const std::scoped_lock lock(mutex);
    if (progress) progress(std::nullopt);
  });
  Placement best(table->rows());
  if (table->out_of_time()) return best;
  for (const size_t column : SubsetSearch(costs, most).Run()) {
    for (size_t r = 0; r < best.size(); ++r) {
      if (!std::isfinite(costs[column][r])) continue;
      if (!best[r] || costs[column][r] < costs[best[r]->column][r]) best[r] = placements[column][r];
    }
  }
  return best;
}

std::vector<Placement> ParetoColumns(CostTable* table, int threads, const ScopeProgress& progress) {
  const std::vector<Objective> objectives = {{Metric::kEnergy, Metric::kDelay},
                                             {Metric::kDelay, Metric::kEnergy},
                                             {Metric::kEdp, Metric::kEnergy}};
  std::vector<Placement> all(table->columns() * objectives.size());
  std::mutex mutex;
  ParallelFor(all.size(), threads, [&](size_t i, size_t) {
    all[i] = PlaceAll(table, objectives[i % objectives.size()], i / objectives.size(), 1);
    const std::scoped_lock lock(mutex);
    if (progress && i % objectives.size() == 0) progress(std::nullopt);
  });
  using Point = std::array<double, 3>;
  std::vector<std::pair<Point, size_t>> points;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!IsComplete(all[i])) continue;
    const double area = table->choice(i / objectives.size()).area_um2.value_or(0);
    points.push_back({{EnergyOf(*table, all[i]), CyclesOf(*table, all[i]), area}, i});
  }
  std::sort(points.begin(), points.end());
  std::vector<Placement> front;
  std::vector<Point> kept;
  for (const auto& [point, i] : points) {
    const bool beaten = std::any_of(kept.begin(), kept.end(), [&, &at = point](const Point& other) {
      return other[0] <= at[0] && other[1] <= at[1] && other[2] <= at[2];
    });
    if (beaten) continue;
    kept.push_back(point);
    front.push_back(std::move(all[i]));
  }
  return front;
}

}  // namespace inlay
