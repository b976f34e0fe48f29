#include "inlay/codesign/pareto_front.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>

#include "inlay/base/parallel.h"
#include "inlay/codesign/initial_placement.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Point = std::array<double, 3>;  // energy, cycles, area

double AreaOf(const CostTable& table, size_t column) {
  return table.choice(column).area_um2.value_or(0);
}

// No mappings of all rows on the column have less of anything.
Point LeastOf(const CostTable& table, size_t column) {
  Point least = {0, 0, AreaOf(table, column)};
  for (size_t r = 0; r < table.rows(); ++r) {
    least[0] += table.repeat(r) * table.LeastEnergy(r, column);
    least[1] += table.repeat(r) * table.LeastCycles(r, column);
  }
  return least;
}

// How many times as much as `least` the closest of the front has of something; 1 if it has no more
// of anything.
double FactorOver(const std::vector<Point>& front, const Point& least) {
  double closest = kInfinity;
  for (const Point& point : front) {
    double factor = 1;
    for (size_t i = 0; i < point.size(); ++i) {
      if (point[i] > least[i]) factor = std::max(factor, point[i] / least[i]);  // infinite over 0
    }
    closest = std::min(closest, factor);
  }
  return closest;
}

// Points with the number of their placement, those that none beats; of equals the first.
std::vector<std::pair<Point, size_t>> NotBeaten(const CostTable& table,
                                                const std::vector<PlacementResult>& all) {
  std::vector<std::pair<Point, size_t>> points;
  for (size_t i = 0; i < all.size(); ++i) {
    const Placement& placement = all[i].placement;
    if (!IsComplete(placement)) continue;
    const double area = AreaOf(table, placement.front()->column);
    points.push_back({{EnergyOf(table, placement), CyclesOf(table, placement), area}, i});
  }
  std::sort(points.begin(), points.end());
  std::vector<Point> kept;
  std::erase_if(points, [&](const auto& point) {
    if (FactorOver(kept, point.first) <= 1) return true;
    kept.push_back(point.first);
    return false;
  });
  return points;
}

}  // namespace

ColumnFront ParetoColumns(CostTable* table, int threads, const PlacementProgressSink& progress) {
  const std::vector<Objective> objectives = {{Metric::kEnergy, Metric::kDelay},
                                             {Metric::kDelay, Metric::kEnergy},
                                             {Metric::kEdp, Metric::kEnergy}};
  std::vector<PlacementResult> quick;
  quick.reserve(objectives.size());
  for (const Objective& objective : objectives) {
    quick.push_back({HillClimbPlacement(table, objective, false, threads)});
  }
  table->FindLowerBounds();
  std::vector<std::pair<double, size_t>> order;  // by least edp: good ones early
  for (size_t c = 0; c < table->columns(); ++c) {
    const Point least = LeastOf(*table, c);
    order.emplace_back(least[0] * least[1], c);
  }
  std::sort(order.begin(), order.end());
  std::vector<PlacementResult> all(table->columns() * objectives.size());
  std::mutex mutex;
  ParallelFor(all.size(), threads, [&](size_t i, size_t) {
    const size_t column = order[i / objectives.size()].second, o = i % objectives.size();
    all[column * objectives.size() + o] = PlaceAll(table, objectives[o], column, 1);
    const std::scoped_lock lock(mutex);
    if (progress && o == 0) progress({});
  });
  const bool whole = std::all_of(all.begin(), all.end(),
                                 [](const PlacementResult& result) { return result.proven; });
  if (!whole) std::move(quick.begin(), quick.end(), std::back_inserter(all));
  ColumnFront front;
  std::vector<Point> kept;
  for (const auto& [point, i] : NotBeaten(*table, all)) {
    kept.push_back(point);
    front.placements.push_back(std::move(all[i].placement));
  }
  double most = 1;
  for (size_t c = 0; c < table->columns(); ++c) {
    bool proven = true;
    for (size_t o = 0; o < objectives.size(); ++o) proven &= all[c * objectives.size() + o].proven;
    const double factor = proven ? 1 : FactorOver(kept, LeastOf(*table, c));
    if (factor > 1) ++front.open;
    most = std::max(most, factor);
  }
  if (most < kInfinity) front.gap = 1 - 1 / most;
  return front;
}

}  // namespace inlay
