#include "inlay/codesign/table.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/mapper/thistle_exact.h"

namespace inlay {

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
    row.repeat += static_cast<double>(layer.repeat);
  }
  energy_.assign(rows() * columns(), 0);
  cycles_.assign(rows() * columns(), 0);
  if (task.options.semantics != Semantics::kThistle) return;
  for (size_t r = 0; r < rows(); ++r) {
    for (size_t c = 0; c < columns(); ++c) {
      const auto least = LeastThistleCost(SpaceOf(r, c), task.options);
      if (!least) return;
      energy_[r * columns() + c] = least->energy_pj;
      cycles_[r * columns() + c] = least->cycles;
    }
  }
}

Space CostTable::SpaceOf(size_t row, size_t column) const {
  auto space = MakeSpace(*rows_[row].problem, choices_[column].architecture, task_.mapspace,
                         task_.constraints);
  INLAY_CHECK(space.has_value());  // Codesign has looked
  return *std::move(space);
}

double CostTable::LeastEnergy(size_t row, size_t column) const {
  return energy_[row * columns() + column];
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

std::optional<Solution> CostTable::Best(size_t row, size_t column, const Objective& objective,
                                        const std::optional<std::vector<double>>& better_than) {
  if (deadline_.Passed()) return std::nullopt;
  MapOptions options = task_.options;
  options.objective = objective;
  options.cutoff = better_than;
  options.threads = 1;
  options.time_limit_seconds.reset();
  if (task_.options.time_limit_seconds) {
    options.time_limit_seconds =
        std::max(0.0, *task_.options.time_limit_seconds - deadline_.SecondsSinceStart());
  }
  const StopFlag& stop = deadline_.stop();
  LayerAnswer answer = MapLayer(SpaceOf(row, column), options, stop);
  nodes_ += answer.effort.nodes;
  evaluations_ += answer.effort.evaluations;
  if (!answer.best || answer.interrupted) return std::nullopt;
  // Not every search heeds the cut-off.
  if (better_than && !(ValuesOf(answer.best->cost, objective) < *better_than)) return std::nullopt;
  return std::move(answer.best);
}

Faults CostTable::unable() const {
  MapOptions options = task_.options;
  options.time_limit_seconds = 0;
  for (size_t r = 0; r < rows(); ++r) {
    LayerAnswer answer = MapLayer(SpaceOf(r, 0), options, deadline_.stop());
    if (!answer.unable.empty()) return answer.unable;
  }
  return {};
}

Faults CostTable::infeasible() const {
  for (size_t r = 0; r < rows(); ++r) {
    LayerAnswer answer = MapLayer(SpaceOf(r, columns() - 1), task_.options, deadline_.stop());
    if (!answer.infeasible.empty()) return answer.infeasible;
  }
  return {};
}

}  // namespace inlay
