#include "inlay/codesign/codesign.h"

#include <algorithm>
#include <utility>

#include "inlay/codesign/enough.h"
#include "inlay/codesign/gp_method.h"
#include "inlay/codesign/gp_scopes.h"
#include "inlay/codesign/scopes.h"
#include "inlay/codesign/table.h"

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

Certificate CertificateOf(const CostTable& table, const Placement& placement, Metric metric,
                          bool proven) {
  Certificate certificate;
  certificate.objective = ValueOf(table, placement, metric);
  if (!proven) return certificate;
  certificate.status = CertificateStatus::kOptimal;
  certificate.lower_bound = certificate.objective;
  return certificate;
}

Faults CheckTask(const CodesignTask& task, const std::vector<ArchitectureChoice>& choices) {
  if (task.scope == Scope::kHetero && task.options.objective.front() == Metric::kEdp) {
    return {{"objective", "several architectures are chosen by energy or delay, not by edp",
             "ask for --objective energy or delay"}};
  }
  if (task.options.objective.front() == Metric::kOffchip) {
    return {{"objective", "an architecture is not chosen by off-chip words",
             "ask for energy, delay or edp"}};
  }
  for (const Layer& layer : task.network.layers) {
    const auto error = [&](const ArchitectureChoice& choice) {
      const auto space =
          MakeSpace(layer.problem, choice.architecture, task.mapspace, task.constraints);
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

Placement Place(const CodesignTask& task, const Deadline& deadline, CostTable* table,
                const ScopeProgress& progress, CodesignUse* use) {
  const Objective& objective = task.options.objective;
  const int threads = task.options.threads;
  if (task.method == Method::kGp) return PlaceByGp(task, *table, deadline, progress, use);
  switch (task.scope) {
    case Scope::kLayer:
    case Scope::kPareto:
      return BestPerRow(table, objective, threads, progress);
    case Scope::kNetwork:
      return BestColumn(table, objective, threads, progress);
    case Scope::kDominant:
      return DominantColumn(table, objective, threads, progress);
    case Scope::kHetero:
      return BestColumns(table, objective, static_cast<size_t>(task.most_architectures), threads,
                         progress);
  }
  return {};
}

}  // namespace

const char* Name(Method method) { return method == Method::kExact ? "exact" : "gp"; }

const char* Name(Scope scope) {
  switch (scope) {
    case Scope::kLayer:
      return "layer";
    case Scope::kNetwork:
      return "network";
    case Scope::kDominant:
      return "dominant";
    case Scope::kPareto:
      return "pareto";
    case Scope::kHetero:
      return "hetero";
  }
  return "";
}

CodesignAnswer Codesign(const CodesignTask& task, const StopFlag& stop,
                        const CodesignProgressSink& progress) {
  CodesignAnswer answer;
  auto choices = ListArchitectures(task.space);
  if (!choices) {
    answer.infeasible = choices.error();
    return answer;
  }
  answer.unable = CheckTask(task, *choices);
  if (!answer.unable.empty()) return answer;
  const Deadline deadline(stop, task.options.time_limit_seconds);
  CostTable table(task, *std::move(choices), deadline);
  answer.architectures = table.columns();
  if (task.method == Method::kExact) answer.unable = table.unable();
  if (!answer.unable.empty()) return answer;

  CodesignProgress state;
  const bool by_row = task.scope == Scope::kLayer || task.scope == Scope::kDominant;
  state.all = by_row ? table.rows() : table.columns();
  const ScopeProgress tell = [&](std::optional<double> incumbent) {
    ++state.done;
    state.incumbent = incumbent;
    if (progress) progress(state);
  };
  bool complete = true;
  if (task.scope == Scope::kPareto) {
    for (const Placement& placement : ParetoColumns(&table, task.options.threads, tell)) {
      for (Design& design : DesignsOf(task, table, placement, false)) {
        answer.designs.push_back(std::move(design));
      }
    }
    complete = !answer.designs.empty();
  } else {
    const Placement placement = Place(task, deadline, &table, tell, &answer.use);
    complete = std::all_of(placement.begin(), placement.end(),
                           [](const auto& placed) { return placed.has_value(); });
    const Metric metric = task.options.objective.front();
    const bool proven = complete && !table.unproven() && task.scope != Scope::kDominant &&
                        task.method == Method::kExact;
    answer.designs = DesignsOf(task, table, placement, task.scope == Scope::kLayer);
    const bool one_figure =
        task.scope != Scope::kLayer || metric != Metric::kEdp || task.network.layers.size() == 1;
    if (complete && one_figure) {
      answer.certificate = CertificateOf(table, placement, metric, proven);
    }
  }
  if (task.method == Method::kExact) answer.use.searches = table.searches();
  answer.use.pairs = table.rows() * table.columns();
  answer.interrupted = table.out_of_time();
  const bool needs_proof = task.scope == Scope::kPareto || !complete;
  if (needs_proof && table.unproven() && !answer.interrupted) {
    answer.unable.push_back({"mapspace",
                             "the mapspace is too large for the best mapping on every architecture",
                             "try a smaller mapspace"});
    return answer;
  }
  if (!complete && !answer.interrupted) {
    answer.infeasible = WhatIsEnough(task, deadline);
    if (answer.infeasible.empty()) answer.infeasible = table.infeasible();
    if (answer.infeasible.empty() && task.method == Method::kGp) {
      answer.infeasible.push_back({"method", "geometric programs led to no design of every layer",
                                   "raise --nearest and --nearest-sizes, or use --method exact"});
    } else if (answer.infeasible.empty()) {
      answer.infeasible.push_back({"levels", "no architecture can run every layer",
                                   "allow larger memories or a larger area"});
    }
  }
  answer.effort = {deadline.SecondsSinceStart(), table.nodes(), table.evaluations()};
  return answer;
}

}  // namespace inlay
