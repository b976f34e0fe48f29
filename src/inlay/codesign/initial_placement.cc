#include "inlay/codesign/initial_placement.h"

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "inlay/base/parallel.h"
#include "inlay/mapper/any_mapping.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

size_t HeaviestRow(const CostTable& table) {
  size_t heaviest = 0;
  double most = -1;
  for (size_t r = 0; r < table.rows(); ++r) {
    const double operations = table.repeat(r) * static_cast<double>(Operations(table.problem(r)));
    if (operations <= most) continue;
    most = operations;
    heaviest = r;
  }
  return heaviest;
}

// The column whose value of one attribute is the next larger (or smaller), the others being equal;
// what fills the budget follows from them.
std::optional<size_t> Neighbour(const CostTable& table, size_t column, size_t attribute,
                                bool larger) {
  const std::vector<double>& from = table.choice(column).values;
  std::optional<size_t> nearest;
  for (size_t c = 0; c < table.columns(); ++c) {
    const std::vector<double>& to = table.choice(c).values;
    bool equal = larger ? to[attribute] > from[attribute] : to[attribute] < from[attribute];
    for (size_t i = 0; i < to.size() && equal; ++i) {
      equal = i == attribute || table.free()[i].values.empty() || to[i] == from[i];
    }
    if (!equal) continue;
    const double best = nearest ? table.choice(*nearest).values[attribute] : 0;
    if (!nearest || (larger ? to[attribute] < best : to[attribute] > best)) nearest = c;
  }
  return nearest;
}

// Columns by a value, as far as they are looked at; less is better.
class Climb {
 public:
  Climb(const CostTable& table, std::function<double(size_t column)> value)
      : table_(table), value_(std::move(value)) {}

  size_t Run(size_t column) {
    constexpr size_t kMostColumns = 40;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < table_.free().size(); ++i) {
        if (table_.free()[i].values.empty()) continue;
        for (const bool larger : {false, true}) {
          while (values_.size() < kMostColumns && !table_.out_of_time()) {
            const auto next = Neighbour(table_, column, i, larger);
            if (!next || !(Value(*next) < Value(column))) break;
            column = *next;
            moved = true;
          }
        }
      }
    }
    return column;
  }

  // Infinite: there is no mapping, as far as is known.
  double Value(size_t column) {
    const auto [at, is_new] = values_.try_emplace(column, kInfinity);
    if (is_new) at->second = value_(column);
    return at->second;
  }

 private:
  const CostTable& table_;
  std::function<double(size_t column)> value_;
  std::map<size_t, double> values_;
};

// Up to `most` columns from all over the family: the middle, the quarters, the eighths, …
std::vector<size_t> SomeColumns(const CostTable& table, size_t most) {
  std::vector<size_t> columns;
  std::set<size_t> seen;
  const size_t all = table.columns();
  const auto add = [&](size_t column) {
    if (columns.size() < most && seen.insert(column).second) columns.push_back(column);
  };
  for (size_t parts = 2; parts / 2 < all && columns.size() < most; parts *= 2) {
    for (size_t i = parts - 1; i > 0; i -= i > 1 ? 2 : 1) add((all - 1) * i / parts);
    if (parts == 4) add(all - 1);
  }
  add(all - 1);
  return columns;
}

// Where to begin: the middle of the family, or what of it has a mapping.
size_t FirstColumn(const CostTable& table, Climb* climb) {
  for (const size_t column : SomeColumns(table, 4)) {
    if (table.out_of_time()) break;
    if (climb->Value(column) < kInfinity) return column;
  }
  return (table.columns() - 1) / 2;
}

// Some mapping of a row there, found at once.
std::optional<Solution> MappingAtOnce(const CostTable& table, const CodesignTask& task, size_t row,
                                      size_t column) {
  const auto space =
      SpaceOf(task, table.problem(row), table.choice(column).architecture, task.mapspace);
  if (!space) return std::nullopt;
  return AnyMapping(*space, task.options);
}

Placement PlaceQuickly(CostTable* table, const Objective& objective, size_t column, int threads) {
  Placement placement(table->rows());
  ParallelFor(table->rows(), threads, [&](size_t row, size_t) {
    if (auto solution = table->QuickMapping(row, column, objective)) {
      placement[row] = PlacedRow{column, *std::move(solution)};
    }
  });
  return placement;
}

}  // namespace

Placement AnyPlacement(const CostTable& table, const CodesignTask& task, bool together) {
  constexpr size_t kMostColumns = 48, kSureColumns = 8;
  constexpr double kMostSeconds = 1;
  const double start = table.deadline().SecondsSinceStart();
  Placement placement(table.rows());
  size_t tried = 0;
  for (const size_t column : SomeColumns(table, kMostColumns)) {
    const bool long_enough = table.deadline().SecondsSinceStart() - start > kMostSeconds;
    if (tried++ >= kSureColumns && long_enough && table.out_of_time()) break;
    if (together) placement.assign(table.rows(), std::nullopt);
    bool complete = true;
    for (size_t row = 0; row < table.rows() && (complete || !together); ++row) {
      if (placement[row]) continue;
      if (auto solution = MappingAtOnce(table, task, row, column)) {
        placement[row] = PlacedRow{column, *std::move(solution)};
      } else {
        complete = false;
      }
    }
    if (complete) break;
  }
  return placement;
}

Placement HillClimbPlacement(CostTable* table, const Objective& objective, bool together,
                             int threads) {
  const size_t heaviest = HeaviestRow(*table);
  Climb alone(*table, [&](size_t column) {
    const auto solution = table->QuickMapping(heaviest, column, objective);
    return solution ? ValueOf(solution->cost, objective.front()) : kInfinity;
  });
  const size_t column = alone.Run(FirstColumn(*table, &alone));
  Placement best = PlaceQuickly(table, objective, column, threads);
  if (!together || table->rows() == 1 || !IsComplete(best)) return best;
  double least = kInfinity;
  Climb all(*table, [&](size_t at) {
    Placement placement =
        at == column && least == kInfinity ? best : PlaceQuickly(table, objective, at, threads);
    if (!IsComplete(placement)) return kInfinity;
    const double value = ValueOf(*table, placement, objective.front());
    if (value < least) {
      least = value;
      best = std::move(placement);
    }
    return value;
  });
  all.Value(column);
  all.Run(column);
  return best;
}

}  // namespace inlay
