#include "inlay/codesign/single_architecture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "inlay/base/parallel.h"
#include "inlay/codesign/group_message.h"
#include "inlay/codesign/network_edp.h"

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

struct RowBest {
  std::optional<PlacedRow> placed;
  double floor = 0;  // no column has less
  bool proven = false;
};

// A cut-off that mappings as good as `value` pass too: the answer is then that of the search,
// wherever `value` came from.
std::vector<double> JustAbove(double value, size_t metrics) {
  std::vector<double> values(metrics, kInfinity);
  values.front() = value * kRounding;
  return values;
}

RowBest BestOfRow(CostTable* table, const Objective& objective, size_t row,
                  const std::optional<PlacedRow>& first) {
  RowBest best;
  std::optional<std::vector<double>> values;
  if (first) {
    values = JustAbove(inlay::ValueOf(first->solution.cost, objective.front()), objective.size());
  }
  double open = kInfinity;  // least bound of what was not searched to the end
  const auto order = ByBound(table->columns(), [&](size_t column) {
    return table->Least(objective.front(), row, column);
  });
  for (const auto& [bound, column] : order) {
    if (values && bound > values->front() * kRounding) break;
    MappingSearchResult searched = table->Best(row, column, objective, values);
    if (searched.best) {
      values = ValuesOf(searched.best->cost, objective);
      best.placed = PlacedRow{column, *std::move(searched.best)};
    }
    if (searched.proven) continue;
    open = std::min(open, searched.lower_bound);
    if (table->out_of_time()) {
      open = std::min(open, bound);  // columns are in the order of bounds: those left have no less
      break;
    }
  }
  if (!best.placed) best.placed = first;
  best.floor = open;
  if (best.placed) {
    best.floor = std::min(open, inlay::ValueOf(best.placed->solution.cost, objective.front()));
  }
  best.proven = open == kInfinity;
  return best;
}

void WritePlaced(const std::optional<PlacedRow>& placed, MessageWriter* writer) {
  writer->Number(placed ? 1 : 0);
  if (!placed) return;
  writer->Number(static_cast<int64_t>(placed->column));
  writer->Mapped(placed->solution);
}
std::optional<PlacedRow> ReadPlaced(const CostTable& table, size_t row, MessageReader* reader) {
  if (reader->Number() == 0) return std::nullopt;
  const size_t column = reader->Count();
  PlacedRow placed{column, reader->Mapped(table.problem(row))};
  placed.solution.cost = table.CostOf(row, column, placed.solution);
  return placed;
}

// One round of the group: the best of every row, by whichever process found it.
std::vector<RowBest> BestOfRows(CostTable* table, const Objective& objective,
                                const Placement& first, int threads, SearchGroup* group,
                                const PlacementProgressSink& progress) {
  std::vector<RowBest> rows(table->rows());
  std::vector<bool> own(table->rows());
  std::mutex mutex;
  const size_t workers = std::min(table->rows(), static_cast<size_t>(std::max(1, threads)));
  ParallelFor(workers, threads, [&](size_t, size_t) {
    while (!table->out_of_time()) {  // another process may have more time
      const size_t row = group->TakeNext();
      if (row >= table->rows()) return;
      rows[row] = BestOfRow(table, objective, row, first[row]);
      const std::scoped_lock lock(mutex);
      own[row] = true;
      if (progress) progress({.taken = row + 1});
    }
  });
  MessageWriter writer;
  table->WriteState(&writer);
  for (size_t row = 0; row < rows.size(); ++row) {
    if (!own[row]) continue;
    writer.Number(static_cast<int64_t>(row));
    writer.Real(rows[row].floor);
    writer.Number(rows[row].proven ? 1 : 0);
    WritePlaced(rows[row].placed, &writer);
  }
  std::vector<bool> known = own;
  for (const GroupMessage& report : group->Exchange(writer.Finish())) {
    MessageReader reader(report);
    table->ReadState(&reader);
    while (!reader.AtEnd()) {
      const size_t row = reader.Count();
      const double floor = reader.Real();
      const bool proven = reader.Number() != 0;
      auto placed = ReadPlaced(*table, row, &reader);
      if (!own[row]) rows[row] = {std::move(placed), floor, proven};
      known[row] = true;
    }
  }
  // Rows that no process had time for get the first mapping and a bound.
  for (size_t row = 0; row < rows.size() && group->IsWhole(); ++row) {
    if (!known[row]) rows[row] = BestOfRow(table, objective, row, first[row]);
  }
  return rows;
}

Placement PlacementOf(const std::vector<RowBest>& rows) {
  Placement placement;
  placement.reserve(rows.size());
  for (const RowBest& row : rows) placement.push_back(row.placed);
  return placement;
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

  double Bound(size_t column) const { return RestOf(column, 0); }

  // The placement on a column if it is better than `best`; proven if it is the best there, or none
  // there is better.
  PlacementResult Run(size_t column, double best) {
    PlacementResult result{Placement(table_.rows()), true};
    double sum = 0;  // of the rows before
    for (size_t i = 0; i < rows_.size(); ++i) {
      const size_t row = rows_[i];
      if (sum + RestOf(column, i) > best * kRounding) break;
      std::optional<std::vector<double>> limit;
      if (std::isfinite(best)) {
        limit = std::vector<double>(objective_.size(), kInfinity);
        limit->front() = (best * kRounding - sum - RestOf(column, i + 1)) / table_.repeat(row);
      }
      MappingSearchResult searched = table_.Best(row, column, objective_, limit);
      result.proven = result.proven && searched.proven;
      if (!searched.best) break;
      sum += table_.repeat(row) * inlay::ValueOf(searched.best->cost, objective_.front());
      result.placement[row] = PlacedRow{column, *std::move(searched.best)};
    }
    return result;
  }

 private:
  double Least(size_t row, size_t column) const {
    return std::max(floors_[row], table_.Least(objective_.front(), row, column));
  }
  // Of the rows from the i-th on.
  double RestOf(size_t column, size_t i) const {
    double rest = 0;
    for (; i < rows_.size(); ++i) rest += table_.repeat(rows_[i]) * Least(rows_[i], column);
    return rest;
  }

  CostTable& table_;
  const Objective& objective_;
  std::vector<double> floors_;
  std::vector<size_t> rows_;
};

std::vector<double> ValuesOf(const CostTable& table, const Placement& placement,
                             const Objective& objective) {
  std::vector<double> values;
  for (const Metric metric : objective) values.push_back(ValueOf(table, placement, metric));
  return values;
}

// No column has less of all rows; for edp by Cauchy and Schwarz, (ΣE)(ΣC) ≥ (Σ√(E·C))².
double LeastTogether(const CostTable& table, const std::vector<RowBest>& rows, Metric metric) {
  double sum = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const double floor = metric == Metric::kEdp ? std::sqrt(rows[r].floor) : rows[r].floor;
    sum += table.repeat(r) * floor;
  }
  return metric == Metric::kEdp ? sum * sum : sum;
}

}  // namespace

bool IsComplete(const Placement& placement) {
  return std::all_of(placement.begin(), placement.end(),
                     [](const auto& placed) { return placed.has_value(); });
}

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

double LayerValueOf(const CostTable& table, const Placement& placement, Metric metric) {
  if (metric != Metric::kEdp) return ValueOf(table, placement, metric);
  double sum = 0;
  for (size_t r = 0; r < placement.size(); ++r) {
    if (!placement[r]) continue;
    sum += table.repeat_squares(r) * inlay::ValueOf(placement[r]->solution.cost, metric);
  }
  return sum;
}

PlacementResult PlaceAll(CostTable* table, const Objective& objective, size_t column, int threads) {
  PlacementResult result{Placement(table->rows()), true};
  std::mutex mutex;
  ParallelFor(table->rows(), threads, [&](size_t row, size_t) {
    MappingSearchResult searched = table->Best(row, column, objective);
    const std::scoped_lock lock(mutex);
    result.proven = result.proven && searched.proven;
    if (searched.best) result.placement[row] = PlacedRow{column, *std::move(searched.best)};
  });
  return result;
}

PlacementResult BestPerRow(CostTable* table, const Objective& objective, const Placement& first,
                           int threads, SearchGroup* group, const PlacementProgressSink& progress) {
  const std::vector<RowBest> rows = BestOfRows(table, objective, first, threads, group, progress);
  PlacementResult result{PlacementOf(rows), true};
  const bool edp = objective.front() == Metric::kEdp;
  for (size_t r = 0; r < rows.size(); ++r) {
    result.lower_bound += (edp ? table->repeat_squares(r) : table->repeat(r)) * rows[r].floor;
    result.proven = result.proven && rows[r].proven;
  }
  return result;
}

namespace {

// What is known of the best column.
struct ColumnBest {
  std::vector<double> values;  // infinite: none is known
  size_t rank = 0;             // of its column, by bound
  Placement placement;         // empty if it is as good as the first one
  double open = kInfinity;     // least bound of what was not searched to the end
  uint64_t question = 0;       // a hash of the order of columns and of what was to be beaten

  bool Better(const ColumnBest& other) const {
    return std::tie(values, rank) < std::tie(other.values, other.rank);
  }
};

GroupMessage ReportOf(const CostTable& table, const ColumnBest& best) {
  MessageWriter writer;
  table.WriteState(&writer);
  writer.Real(best.open);
  writer.Number(std::bit_cast<int64_t>(best.question));
  writer.Number(static_cast<int64_t>(best.placement.size()));
  if (best.placement.empty()) return writer.Finish();
  writer.Number(static_cast<int64_t>(best.rank));
  for (const double value : best.values) writer.Real(value);
  for (const auto& placed : best.placement) WritePlaced(placed, &writer);
  return writer.Finish();
}

ColumnBest ColumnBestFrom(const GroupMessage& report, size_t metrics, CostTable* table) {
  MessageReader reader(report);
  table->ReadState(&reader);
  ColumnBest best;
  best.values.assign(metrics, kInfinity);
  best.open = reader.Real();
  best.question = std::bit_cast<uint64_t>(reader.Number());
  best.placement.resize(reader.Count());
  if (best.placement.empty()) return best;
  best.rank = reader.Count();
  for (double& value : best.values) value = reader.Real();
  for (size_t row = 0; row < best.placement.size(); ++row) {
    best.placement[row] = ReadPlaced(*table, row, &reader);
  }
  return best;
}

uint64_t QuestionOf(const std::vector<std::pair<double, size_t>>& order,
                    const std::vector<double>& to_beat) {
  auto hash = std::bit_cast<uint64_t>(to_beat.front());
  for (const auto& [bound, column] : order) hash = hash * 1099511628211U + column;  // FNV's prime
  return hash;
}

// A round of the group: the columns by their bounds, until these exceed the best that is known.
// `floor`: none has less.
ColumnBest SearchColumns(CostTable* table, const Objective& objective, ColumnSearch* search,
                         double floor, std::vector<double> to_beat, SearchGroup* group,
                         const PlacementProgressSink& progress) {
  ColumnBest best;
  best.values = std::move(to_beat);
  const auto order =
      ByBound(table->columns(), [&](size_t column) { return search->Bound(column); });
  best.question = QuestionOf(order, best.values);
  for (size_t rank = group->TakeNext(); rank < order.size(); rank = group->TakeNext()) {
    const auto& [bound, column] = order[rank];
    const double least = group->ShareMinimum(best.values.front());
    if (bound > least * kRounding) break;
    PlacementResult result = search->Run(column, least);
    if (!result.proven) best.open = std::min(best.open, bound);
    if (IsComplete(result.placement)) {
      std::vector<double> found = ValuesOf(*table, result.placement, objective);
      if (found < best.values) {
        best.values = std::move(found);
        best.rank = rank;
        best.placement = std::move(result.placement);
      }
    }
    if (!result.proven && table->out_of_time()) break;
    if (progress) progress({Incumbent(std::min(least, best.values.front())), floor, rank + 1});
  }
  for (const GroupMessage& report : group->Exchange(ReportOf(*table, best))) {
    ColumnBest other = ColumnBestFrom(report, objective.size(), table);
    best.open = std::min(best.open, other.open);
    // Where the time was up before all bounds were known, or where numbers are rounded otherwise,
    // the others have gone by another order, and some column may have been left out.
    if (other.question != best.question) best.open = std::min(best.open, order.front().first);
    if (other.placement.empty() || !other.Better(best)) continue;
    best.values = std::move(other.values);
    best.rank = other.rank;
    best.placement = std::move(other.placement);
  }
  return best;
}

// All rows on the one column of the least sum, if that is less than `to_beat`.
PlacementResult LeastSumColumn(CostTable* table, const Objective& objective, const Placement& first,
                               double to_beat, int threads, SearchGroup* group,
                               const PlacementProgressSink& progress) {
  const std::vector<RowBest> alone =
      BestOfRows(table, {objective.front()}, first, threads, group, {});
  std::vector<double> floors;
  floors.reserve(alone.size());
  for (const RowBest& row : alone) floors.push_back(row.floor);
  PlacementResult best{Placement(table->rows())};
  if (!IsComplete(PlacementOf(alone))) {
    ColumnBest none;
    none.open = 0;
    group->Exchange(ReportOf(*table, none));  // the others may know more
    return best;
  }
  const double floor = LeastTogether(*table, alone, objective.front());
  ColumnSearch search(table, objective, std::move(floors));
  std::vector<double> values(objective.size(), kInfinity);
  values.front() = to_beat;
  ColumnBest found =
      SearchColumns(table, objective, &search, floor, std::move(values), group, progress);
  if (!found.placement.empty()) best.placement = std::move(found.placement);
  best.proven = found.open == kInfinity;
  if (!IsComplete(best.placement) && IsComplete(first)) best.placement = first;
  if (IsComplete(best.placement)) {
    found.values.front() = ValueOf(*table, best.placement, objective.front());
  }
  best.lower_bound = std::max(floor, std::min(found.open, found.values.front()));
  return best;
}

}  // namespace

PlacementResult BestColumn(CostTable* table, const Objective& objective, const Placement& first,
                           int threads, SearchGroup* group, const PlacementProgressSink& progress) {
  if (objective.front() == Metric::kEdp) {
    return LeastNetworkEdp(table, objective, first, SumBoundsOfColumns(*table), group, progress,
                           [&](const Objective& sum, const Placement& known, double below,
                               const PlacementProgressSink& report) {
                             return LeastSumColumn(table, sum, known, below, threads, group,
                                                   report);
                           });
  }
  double to_beat = kInfinity;
  if (IsComplete(first)) {
    to_beat = JustAbove(ValueOf(*table, first, objective.front()), 1).front();
  }
  return LeastSumColumn(table, objective, first, to_beat, threads, group, progress);
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

PlacementResult DominantColumn(CostTable* table, const Objective& objective, const Placement& first,
                               int threads, SearchGroup* group,
                               const PlacementProgressSink& progress) {
  const std::vector<RowBest> rows = BestOfRows(table, objective, first, threads, group, progress);
  const Placement alone = PlacementOf(rows);
  if (!IsComplete(alone) || !group->IsLeader()) return {Placement(table->rows())};
  const size_t dominant = DominantRow(*table, alone, objective.front());
  PlacementResult result = PlaceAll(table, objective, alone[dominant]->column, threads);
  if (!IsComplete(result.placement) && table->out_of_time()) result.placement = first;
  result.proven = false;
  result.lower_bound = LeastTogether(*table, rows, objective.front());
  return result;
}

}  // namespace inlay
