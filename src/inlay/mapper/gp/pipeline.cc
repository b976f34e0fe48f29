#include "inlay/mapper/gp/pipeline.h"

#include <string>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/gp/candidates.h"
#include "inlay/mapper/gp/rounding.h"

namespace inlay::gp {
namespace {

// Combinations of whole tiles that are priced for each structure, and how many of those the cost
// model evaluates.
constexpr double kMostPriced = 40000;
constexpr size_t kMostEvaluated = 24;
// Other semantics than thistle's count holes between the words of a strided tile, so that of the
// candidates many do not fit: these many are looked at.
constexpr size_t kMostLookedAt = 1000;
constexpr double kMoreRoom = 1.25;

}  // namespace

std::vector<LoopStructure> LoopStructuresOf(const Space& space,
                                            const std::vector<WindowSlots>& windows) {
  std::vector<LoopStructure> structures;
  for (const WindowSlots& slots : windows) {
    const Unknowns unknowns(space, {}, slots);
    for (OrderedNest& nest : OrderedNests(space, unknowns)) {
      structures.push_back({slots, std::move(nest.orders)});
    }
  }
  return structures;
}

Faults FindUnfit(const Space& space) {
  Faults faults;
  for (const Tensor& tensor : space.problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      if (rank.terms.size() <= 2) continue;
      faults.push_back({"tensors." + tensor.name,
                        "a rank of '" + tensor.name +
                            "' has more than two dimensions, for which there are no posynomials",
                        "use " + Mention("strategy", "exact")});
    }
  }
  for (LevelId l : Ids(space.keeps)) {
    if (space.keeps[l].size() == 1) continue;
    const std::string& name = space.architecture.levels[l].name;
    faults.push_back({"levels." + name,
                      "'" + name + "' may keep a tensor or not; the strategy 'gp' does not choose",
                      "say in the architecture what it keeps and bypasses, or use " +
                          Mention("strategy", "exact")});
  }
  return faults;
}

ProgramOptions ProgramOptionsOf(const MapOptions& options) {
  return {options.objective.front(), options.semantics, options.accounting};
}

std::optional<RelaxedSolution> SolveRelaxed(const Space& space, const Unknowns& unknowns,
                                            const SymbolicArchitecture& machine, const Nest& nest,
                                            ProgramOptions options) {
  for (const double room : {1.0, kMoreRoom}) {
    options.room = room;
    const Program program = MakeProgram(space, unknowns, machine, nest, options);
    const Values start = FindStart(program, unknowns);
    if (start.empty() && !program.names.empty()) continue;
    ProgramSolution solution = gp::Solve(program, start);
    if (solution.status == SolverStatus::kNoStart) continue;
    const bool elide =
        options.semantics != Semantics::kThistle || options.accounting == Accounting::kElide;
    if (elide && (options.metric == Metric::kEnergy || options.metric == Metric::kEdp)) {
      const double all = ValueOf(EnergyOf(space.problem, machine, nest), solution.values);
      const double first = ValueOf(FirstReadsOf(space.problem, machine, nest), solution.values);
      solution.objective *= 1 - first / all;
    }
    return RelaxedSolution{solution.objective, std::move(solution.values), room > 1};
  }
  return std::nullopt;
}

Pipeline::Pipeline(const Space& space, const MapOptions& options)
    : space_(space),
      options_(options),
      machine_(
          SymbolicArchitectureOf(space.problem, space.architecture, SizesOf(space.architecture))),
      program_options_(ProgramOptionsOf(options)) {}

std::optional<RelaxedSolution> Pipeline::Solve(const LoopStructure& structure) const {
  const Unknowns unknowns(space_, {}, structure.windows);
  return SolveRelaxed(space_, unknowns, machine_, unknowns.NestOf(structure.orders),
                      program_options_);
}

std::optional<double> Pipeline::Round(const LoopStructure& structure, const Values& values,
                                      LayerAnswer* answer) {
  const Unknowns unknowns(space_, {}, structure.windows);
  const Nest nest = unknowns.NestOf(structure.orders);
  const Pricer pricer(space_, unknowns, machine_, nest, program_options_);
  const Metric metric = program_options_.metric;
  const auto chains = NearestChains(space_, unknowns, values, options_.gp.nearest, kMostPriced,
                                    metric == Metric::kDelay || metric == Metric::kEdp);
  const bool thistle = options_.semantics == Semantics::kThistle;
  const int64_t before = answer->effort.evaluations;
  std::optional<double> least;
  for (const Candidate& candidate : pricer.Best(chains, thistle ? kMostEvaluated : kMostLookedAt)) {
    const auto evaluated = static_cast<size_t>(answer->effort.evaluations - before);
    if (evaluated == kMostEvaluated) break;
    Evaluate(structure, candidate.chains, answer);
    // The first that fits is the best of them.
    if (!least && answer->effort.evaluations > before) least = candidate.objective;
  }
  return least;
}

std::optional<double> Pipeline::RoundSmallest(const LoopStructure& structure, LayerAnswer* answer) {
  const Unknowns unknowns(space_, {}, structure.windows);
  return Round(structure, Values(unknowns.names().size(), 1), answer);
}

void Pipeline::Evaluate(const LoopStructure& structure, const IndexedVector<DimId, Chain>& chains,
                        LayerAnswer* answer) {
  IndexedVector<LevelId, TensorSet> keeps;
  for (const auto& choices : space_.keeps) keeps.push_back(choices.front());
  Mapping mapping = AssembleMapping(space_, chains, structure.orders, keeps);
  if (!CheckMembership(space_, mapping).empty()) return;
  // The thistle semantics count the words that are touched, as the candidates did.
  if (options_.semantics != Semantics::kThistle && !Fits(space_, space_.problem, mapping)) return;
  EvaluateOptions evaluate;
  evaluate.semantics = options_.semantics;
  evaluate.accounting = options_.accounting;
  auto cost = inlay::Evaluate(space_.problem, space_.architecture, mapping, evaluate);
  if (!cost) return;
  ++answer->effort.evaluations;
  if (cost->utilization < options_.gp.least_utilization) return;
  const auto values = ValuesOf(*cost, options_.objective);
  if (answer->best && !(values < ValuesOf(answer->best->cost, options_.objective))) return;
  answer->best = Solution{space_.problem, std::move(mapping), *std::move(cost)};
}

}  // namespace inlay::gp
