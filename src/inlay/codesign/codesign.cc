#include "inlay/codesign/codesign.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/base/parallel.h"
#include "inlay/codesign/budget_advice.h"
#include "inlay/codesign/cost_table.h"
#include "inlay/codesign/gp_design.h"
#include "inlay/codesign/gp_placement.h"
#include "inlay/codesign/initial_placement.h"
#include "inlay/codesign/pareto_front.h"
#include "inlay/codesign/several_architectures.h"
#include "inlay/codesign/single_architecture.h"
#include "inlay/core/roles.h"
#include "inlay/core/search_moments.h"

namespace inlay {
namespace {

// The rows of a placement, gathered by architecture in the order of their first layers.
std::vector<Design> DesignsOf(const CodesignTask& task, const CostTable& table,
                              const Placement& placement, bool one_each) {
  std::vector<Design> designs;
  std::vector<std::pair<size_t, size_t>> layers;  // of the network, with their row
  for (size_t r = 0; r < placement.size(); ++r) {
    for (const size_t layer : table.layers(r)) layers.emplace_back(layer, r);
  }
  std::sort(layers.begin(), layers.end());
  std::vector<size_t> columns;
  for (const auto& [layer, row] : layers) {
    if (!placement[row]) continue;
    const size_t column = placement[row]->column;
    auto at =
        static_cast<size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
    if (one_each || at == columns.size()) {
      at = columns.size();
      columns.push_back(column);
      designs.push_back({table.choice(column), {}, 0, 0});
    }
    const Solution& solution = placement[row]->solution;
    designs[at].layers.push_back({layer, solution, placement[row]->relaxed});
    const int64_t repeat = task.network.layers[layer].repeat;
    designs[at].energy_pj += static_cast<double>(repeat) * solution.cost.energy_pj;
    designs[at].cycles += repeat * solution.cost.cycles;
  }
  return designs;
}

// Of the objective over all layers; see docs/reference/codesign.md for what that is in each scope.
Certificate CertificateOf(const CodesignTask& task, const CostTable& table,
                          const PlacementResult& result) {
  const Objective& objective = task.options.objective;
  Certificate certificate;
  certificate.objective = task.scope == Scope::kLayer
                              ? LayerValueOf(table, result.placement, objective.front())
                              : ValueOf(table, result.placement, objective.front());
  if (result.proven) {
    certificate.status = CertificateStatus::kOptimal;
    certificate.lower_bound = certificate.objective;
    certificate.proven = objective;
    // Several architectures, and compromises of energy and delay, are chosen by the first metric.
    const bool compromise = objective.front() == Metric::kEdp && task.scope != Scope::kLayer;
    if (task.scope == Scope::kHetero || compromise) certificate.proven.resize(1);
    return certificate;
  }
  const bool bounded = result.lower_bound > 0;
  if (bounded) certificate.status = CertificateStatus::kBounded;
  certificate.lower_bound = std::min(result.lower_bound, certificate.objective);
  const double distance = certificate.objective - certificate.lower_bound;
  certificate.gap = certificate.objective > 0 ? distance / certificate.objective : 0;
  if (bounded && distance == 0) certificate.proven = {objective.front()};
  return certificate;
}

// Of a front: whether it is whole, and if not, how far at most from what it lacks.
Certificate CertificateOf(const ColumnFront& front) {
  Certificate certificate;
  certificate.gap = front.gap.value_or(1);
  if (front.gap) certificate.status = CertificateStatus::kBounded;
  if (front.open == 0) certificate.status = CertificateStatus::kOptimal;
  return certificate;
}

Faults CheckTask(const CodesignTask& task, const std::vector<ArchitectureChoice>& choices) {
  if (task.options.objective.front() == Metric::kOffchip) {
    return {{"objective", "an architecture is not chosen by off-chip words",
             "ask for energy, delay or edp"}};
  }
  for (const Layer& layer : task.network.layers) {
    const auto error = [&](const ArchitectureChoice& choice) {
      const auto space = SpaceOf(task, layer.problem, choice.architecture, task.mapspace);
      return space ? Faults() : space.error();
    };
    Faults first = error(choices.front());
    const bool possible =
        first.empty() || std::any_of(choices.begin(), choices.end(),
                                     [&](const auto& c) { return error(c).empty(); });
    if (!possible) return first;
  }
  if (task.method == Method::kGp) return CheckGp(task, choices.front().architecture);
  return {};
}

PlacementResult Place(const CodesignTask& task, CostTable* table, SearchGroup* group,
                      const PlacementProgressSink& progress, CodesignEffort* use) {
  const Objective& objective = task.options.objective;
  const int threads = task.options.threads;
  const bool together = task.scope != Scope::kLayer;
  if (task.method == Method::kGp) {
    Placement placement = PlaceByGp(task, *table, table->deadline(), progress, use);
    const bool stopped = !IsComplete(placement) && table->out_of_time();
    return {stopped ? AnyPlacement(*table, task, together) : std::move(placement)};
  }
  Placement first = HillClimbPlacement(table, objective, together, threads);
  if (!IsComplete(first)) {
    Placement any = AnyPlacement(*table, task, together);
    if (IsComplete(any)) first = std::move(any);
  }
  table->FindLowerBounds();
  switch (task.scope) {
    case Scope::kLayer:
    case Scope::kPareto:
      return BestPerRow(table, objective, first, threads, group, progress);
    case Scope::kNetwork:
      return BestColumn(table, objective, first, threads, group, progress);
    case Scope::kDominant:
      return DominantColumn(table, objective, first, threads, group, progress);
    case Scope::kHetero:
      return BestColumns(table, objective, first, static_cast<size_t>(task.most_architectures),
                         threads, progress);
  }
  return {};
}

// The designs and what is known about them; false if some layer has none.
bool SearchFront(const CodesignTask& task, CostTable* table, const PlacementProgressSink& progress,
                 CodesignAnswer* answer) {
  ColumnFront front = ParetoColumns(table, task.options.threads, progress);
  if (front.placements.empty() && table->out_of_time()) {
    Placement first = AnyPlacement(*table, task, true);
    if (IsComplete(first)) front.placements.push_back(std::move(first));
  }
  for (const Placement& placement : front.placements) {
    for (Design& design : DesignsOf(task, *table, placement, false)) {
      answer->designs.push_back(std::move(design));
    }
  }
  answer->open = front.open;
  answer->interrupted = front.open > 0 && table->out_of_time();
  if (!answer->designs.empty()) answer->certificate = CertificateOf(front);
  return !answer->designs.empty();
}

// Among mappings of the same least energy the fewest cycles, which cost little to find once the
// energy is known.
void BreakTies(const CodesignTask& task, CostTable* table, Placement* placement) {
  if (task.method != Method::kExact || task.options.objective != Objective{Metric::kEnergy}) return;
  const Objective objective = {Metric::kEnergy, Metric::kDelay};
  ParallelFor(placement->size(), task.options.threads, [&](size_t row, size_t) {
    std::optional<PlacedRow>& placed = (*placement)[row];
    if (!placed) return;
    const std::vector<double> values = ValuesOf(placed->solution.cost, objective);
    auto better = table->Best(row, placed->column, objective, values).best;
    if (better) placed->solution = *std::move(better);
  });
}

bool SearchPlacement(const CodesignTask& task, CostTable* table, SearchGroup* group,
                     const PlacementProgressSink& progress, CodesignAnswer* answer) {
  PlacementResult result = Place(task, table, group, progress, &answer->use);
  if (!group->IsLeader()) return true;  // the leader has the answer
  if (result.proven) BreakTies(task, table, &result.placement);
  const bool complete = IsComplete(result.placement);
  answer->designs = DesignsOf(task, *table, result.placement, task.scope == Scope::kLayer);
  answer->interrupted = !result.proven && table->cut_short();
  if (complete) answer->certificate = CertificateOf(task, *table, result);
  return complete;
}

// The other scopes and methods ask for one thing after the other.
bool CanShare(const CodesignTask& task) {
  return task.method == Method::kExact && task.scope != Scope::kPareto &&
         task.scope != Scope::kHetero;
}

// Why not every layer has a design, though there was time.
Faults WhyNone(const CodesignTask& task, const CostTable& table) {
  Faults faults = SuggestBudgets(task, table.deadline());
  if (faults.empty()) faults = table.infeasible();
  if (faults.empty() && task.method == Method::kGp) {
    faults.push_back({"method", "geometric programs led to no design of every layer",
                      fmt::format("raise {} and {}, or use {}", Mention("nearest"),
                                  Mention("nearest_sizes"), Mention("method", "exact"))});
  } else if (faults.empty()) {
    faults.push_back({"levels", "no architecture can run every layer",
                      "allow larger memories or a larger area"});
  }
  return faults;
}

}  // namespace

tl::expected<Space, Faults> SpaceOf(const CodesignTask& task, const Problem& problem,
                                    const Architecture& architecture, Mapspace mapspace) {
  if (task.tensor_names_resolved)
    return MakeSpace(problem, architecture, mapspace, task.constraints);
  const LayerTarget target = ForLayer(problem, architecture, task.constraints, false);
  return MakeSpace(problem, target.architecture, mapspace, target.constraints);
}

CodesignAnswer Codesign(const CodesignTask& task, const StopFlag& stop,
                        const CodesignProgressSink& progress, SearchGroup* group) {
  CodesignAnswer answer;
  SingleProcess single;
  if (group != nullptr && !group->IsLeader() && !CanShare(task)) return answer;
  if (group == nullptr || !CanShare(task)) group = &single;
  auto choices = ListArchitectures(task.space);
  if (!choices) {
    answer.infeasible = choices.error();
    return answer;
  }
  answer.unsupported = CheckTask(task, *choices);
  if (!answer.unsupported.empty()) return answer;
  const Deadline deadline(stop, task.options.time_limit_seconds);
  CostTable table(task, *std::move(choices), deadline);
  answer.architectures = table.columns();
  if (task.method == Method::kExact) answer.unsupported = table.unsupported();
  if (!answer.unsupported.empty()) return answer;

  CodesignProgress state;
  const bool by_row = task.scope == Scope::kLayer || task.scope == Scope::kDominant;
  state.all = by_row ? table.rows() : table.columns();
  SearchMoments moments;
  const PlacementProgressSink report = [&](const PlacementProgress& moment) {
    // At the second price of a cycle and later they come again.
    state.done = std::min(state.all, std::max(state.done + 1, moment.taken.value_or(0)));
    state.incumbent = moment.incumbent;
    if (moment.incumbent) {
      moments.Add(deadline.SecondsSinceStart(), moment.incumbent, moment.bound);
    }
    if (progress) progress(state);
  };
  const bool front = task.scope == Scope::kPareto;
  const bool complete = front ? SearchFront(task, &table, report, &answer)
                              : SearchPlacement(task, &table, group, report, &answer);
  if (!group->IsLeader()) return answer;
  if (!group->IsWhole()) {
    answer.unsupported.push_back({"processes", "one of the processes has left before the end",
                                  "all need the same files, the same options and the same inlay"});
    return answer;
  }
  if (task.method == Method::kExact) answer.use.searches = table.searches();
  answer.use.pairs = table.rows() * table.columns();
  if (!complete && table.unproven() && !answer.interrupted) {
    answer.unsupported.push_back(
        {"mapspace", "the mapspace is too large for the best mapping on every architecture",
         "try a smaller mapspace"});
    return answer;
  }
  if (!complete && !answer.interrupted) answer.infeasible = WhyNone(task, table);
  answer.effort = {deadline.SecondsSinceStart(), table.nodes(), table.evaluations(),
                   moments.Take()};
  return answer;
}

}  // namespace inlay
