#include "inlay/codesign/cost_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/core/roles.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/cycle_price.h"
#include "inlay/mapper/least_cost.h"

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

CostTable::CostTable(const CodesignTask& task, std::vector<ArchitectureChoice> choices,
                     const Deadline& deadline)
    : task_(task), choices_(std::move(choices)), deadline_(deadline) {
  for (size_t i = 0; i < task.network.layers.size(); ++i) {
    const Layer& layer = task.network.layers[i];
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.problem->dims == layer.problem.dims &&
             row.problem->tensors == layer.problem.tensors;
    });
    Row& row = same == rows_.end() ? rows_.emplace_back() : *same;
    if (row.problem == nullptr) row.problem = &layer.problem;
    row.layers.push_back(i);
    const auto repeat = static_cast<double>(layer.repeat);
    row.repeat += repeat;
    row.repeat_squares += repeat * repeat;
  }
  energy_.assign(rows() * columns(), 0);
  cycles_.assign(rows() * columns(), 0);
  searched_ = std::vector<std::atomic<bool>>(rows() * columns());
}

void CostTable::FindLowerBounds() {
  ParallelFor(rows() * columns(), task_.options.threads, [&](size_t i, size_t) {
    if (deadline_.Passed()) return;
    const auto space = SpaceOf(i / columns(), i % columns());
    const auto least =
        space ? LeastCostOf(*space, task_.options, deadline_) : LeastCost{kInfinity, kInfinity};
    if (!least) return;
    energy_[i] = least->energy_pj;
    cycles_[i] = least->cycles;
  });
}

std::optional<Space> CostTable::SpaceOf(size_t row, size_t column) const {
  return SpaceOf(row, column, task_.mapspace);
}
std::optional<Space> CostTable::SpaceOf(size_t row, size_t column, Mapspace mapspace) const {
  auto space = inlay::SpaceOf(task_, *rows_[row].problem, choices_[column].architecture, mapspace);
  if (!space) return std::nullopt;
  AddCyclePrice(price_pj_, &space->architecture);
  return *std::move(space);
}

double CostTable::LeastEnergy(size_t row, size_t column) const {
  const double energy = energy_[row * columns() + column];
  return price_pj_ > 0 ? energy + price_pj_ * LeastCycles(row, column) : energy;
}
double CostTable::LeastCycles(size_t row, size_t column) const {
  return cycles_[row * columns() + column];
}
double CostTable::Least(Metric metric, size_t row, size_t column) const {
  const double energy = LeastEnergy(row, column), cycles = LeastCycles(row, column);
  if (metric == Metric::kEnergy) return energy;
  if (metric == Metric::kDelay) return cycles;
  return metric == Metric::kEdp ? energy * cycles : 0;
}

MapOptions CostTable::OptionsFor(const Objective& objective) const {
  MapOptions options = task_.options;
  options.objective = objective;
  options.threads = 1;
  if (options.time_limit_seconds) {
    *options.time_limit_seconds =
        std::max(0.0, *options.time_limit_seconds - deadline_.SecondsSinceStart());
  }
  return options;
}

std::optional<Solution> CostTable::QuickMapping(size_t row, size_t column,
                                                const Objective& objective) const {
  const auto space = SpaceOf(row, column, Mapspace::kPerfect);
  if (!space) return std::nullopt;
  // Under thistle semantics the proven search is the quickest. Random mappings go by counts, so
  // that a search without a time limit is the same every time.
  std::vector<Strategy> strategies = {Strategy::kGp, Strategy::kRandom};
  if (task_.options.semantics == Semantics::kThistle) strategies = {Strategy::kExact};
  for (const Strategy strategy : strategies) {
    if (deadline_.Passed()) break;
    MapOptions options = OptionsFor(objective);
    options.strategy = strategy;
    options.random = {.victory_condition = 100, .timeout = 20000, .search_size = 1000};
    LayerAnswer answer = MapLayer(*space, options, deadline_.stop());
    if (answer.best) return std::move(answer.best);
  }
  return std::nullopt;
}

MappingSearchResult CostTable::Best(size_t row, size_t column, const Objective& objective,
                                    const std::optional<std::vector<double>>& better_than) {
  MappingSearchResult searched;
  searched.lower_bound = Least(objective.front(), row, column);
  if (deadline_.Passed()) return searched;
  MapOptions options = OptionsFor(objective);
  options.cutoff = better_than;
  const auto space = SpaceOf(row, column);
  searched.proven = !space;
  if (!space) return searched;
  LayerAnswer answer = MapLayer(*space, options, deadline_.stop());
  if (!searched_[row * columns() + column].exchange(true)) ++searches_;
  nodes_ += answer.effort.nodes;
  evaluations_ += answer.effort.evaluations;
  searched.proven = !answer.interrupted && answer.unsupported.empty();
  if (!searched.proven) unproven_ = true;
  if (answer.best && !better_than) {
    searched.lower_bound = std::max(searched.lower_bound, answer.certificate.lower_bound);
  }
  // Not every search heeds the cut-off.
  const bool better =
      answer.best && (!better_than || ValuesOf(answer.best->cost, objective) < *better_than);
  if (better) searched.best = std::move(answer.best);
  return searched;
}

Cost CostTable::CostAt(double price_pj, size_t row, size_t column, const Solution& solution) const {
  EvaluateOptions options;
  options.semantics = task_.options.semantics;
  options.accounting = task_.options.accounting;
  Architecture architecture = choices_[column].architecture;
  if (!task_.tensor_names_resolved) UseNamesOf(*rows_[row].problem, &architecture);
  AddCyclePrice(price_pj, &architecture);
  auto cost = Evaluate(solution.problem, architecture, solution.mapping, options);
  INLAY_CHECK(cost.has_value());
  if (task_.mapspace == Mapspace::kPadded) {
    CountPadding(*rows_[row].problem, solution.problem, &*cost);
  }
  return *std::move(cost);
}

void CostTable::WriteState(MessageWriter* writer) const {
  writer->Number(out_of_time() ? 1 : 0);
  writer->Number(unproven_ ? 1 : 0);
  writer->Number(static_cast<int64_t>(searches_));
  for (size_t i = 0; i < searched_.size(); ++i) {
    if (searched_[i]) writer->Number(static_cast<int64_t>(i));
  }
}

void CostTable::ReadState(MessageReader* reader) {
  others_late_ |= reader->Number() != 0;
  if (reader->Number() != 0) unproven_ = true;
  for (size_t left = reader->Count(); left > 0; --left) {
    if (!searched_[reader->Count()].exchange(true)) ++searches_;
  }
}

Faults CostTable::unsupported() const {
  MapOptions options = task_.options;
  options.time_limit_seconds = 0;
  for (size_t r = 0; r < rows(); ++r) {
    std::optional<Space> space;
    for (size_t c = 0; c < columns() && !space; ++c) space = SpaceOf(r, c);
    LayerAnswer answer = space ? MapLayer(*space, options, deadline_.stop()) : LayerAnswer();
    if (!answer.unsupported.empty()) return answer.unsupported;
  }
  return {};
}

Faults CostTable::infeasible() const {
  for (size_t r = 0; r < rows(); ++r) {
    const auto space = SpaceOf(r, columns() - 1);
    LayerAnswer answer = space ? MapLayer(*space, task_.options, deadline_.stop()) : LayerAnswer();
    if (!answer.infeasible.empty()) return answer.infeasible;
  }
  return {};
}

}  // namespace inlay
