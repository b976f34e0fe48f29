#include "inlay/mapper/gp.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/cost/evaluate.h"
#include "inlay/gp/machine.h"
#include "inlay/gp/solver.h"
#include "inlay/mapper/gp/candidates.h"
#include "inlay/mapper/gp/programs.h"
#include "inlay/mapper/gp/rounding.h"

namespace inlay {
namespace {

// Programs whose solutions are rounded, from the least optimum; combinations of whole tiles that
// are priced for each; and how many of those the cost model evaluates.
constexpr size_t kMostRounded = 64;
constexpr double kMostPriced = 40000;
constexpr size_t kMostEvaluated = 24;
// Where a memory just holds the smallest tiles a program has no interior to start in. Then the real
// numbers may use a little more; whole ones may not.
constexpr double kMoreRoom = 1.25;

Faults FindUnfit(const Space& space) {
  Faults faults;
  for (const Tensor& tensor : space.problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      if (rank.terms.size() <= 2) continue;
      faults.push_back({"tensors." + tensor.name,
                        "a rank of '" + tensor.name +
                            "' has more than two dimensions, for which there are no posynomials",
                        "use --strategy exact"});
    }
  }
  for (LevelId l : Ids(space.keeps)) {
    if (space.keeps[l].size() == 1) continue;
    const std::string& name = space.architecture.levels[l].name;
    faults.push_back({"levels." + name,
                      "'" + name + "' may keep a tensor or not; the strategy 'gp' does not choose",
                      "say in the architecture what it keeps and bypasses, or use --strategy "
                      "exact"});
  }
  return faults;
}

struct Solved {
  const gp::OrderedNest* nest;
  gp::ProgramSolution solution;
};

class GpSearch {
 public:
  GpSearch(const Space& space, const MapOptions& options, const Deadline& deadline,
           const MapProgressSink& progress)
      : space_(space),
        options_(options),
        deadline_(deadline),
        progress_(progress),
        unknowns_(space),
        machine_(gp::MachineOf(space.problem, space.architecture, gp::SizesOf(space.architecture))),
        program_options_{options.objective.front(), options.semantics} {}

  LayerAnswer Run() {
    const std::vector<gp::OrderedNest> nests = gp::OrderedNests(space_, unknowns_);
    std::vector<Solved> all = SolveAll(nests);
    if (all.size() > kMostRounded) all.resize(kMostRounded);
    for (const Solved& solved : all) {
      // In real numbers nothing is lost, so nothing of this program can win.
      if (best_objective_ && solved.solution.objective > *best_objective_) break;
      if (deadline_.Passed()) break;
      Round(*solved.nest, solved.solution.values);
    }
    // No program has room inside its constraints: the smallest tiles are all there is.
    if (!answer_.best && !nests.empty() && !deadline_.Passed()) {
      Round(nests.front(), gp::Values(unknowns_.names().size(), 1));
    }
    answer_.interrupted = deadline_.Passed();
    return std::move(answer_);
  }

 private:
  // By the optimum in real numbers.
  std::vector<Solved> SolveAll(const std::vector<gp::OrderedNest>& nests) {
    std::vector<Solved> solved;
    for (const gp::OrderedNest& nest : nests) {
      if (deadline_.Passed()) break;
      ++answer_.effort.nodes;
      gp::ProgramOptions options = program_options_;
      for (const double room : {1.0, kMoreRoom}) {
        options.room = room;
        const gp::Program program =
            gp::MakeProgram(space_, unknowns_, machine_, nest.nest, options);
        const gp::Values start = gp::FindStart(program, unknowns_);
        if (start.empty() && !program.names.empty()) continue;
        gp::ProgramSolution solution = gp::Solve(program, start);
        if (solution.status == gp::SolverStatus::kNoStart) continue;
        solved.push_back({&nest, std::move(solution)});
        break;
      }
    }
    std::stable_sort(solved.begin(), solved.end(), [](const Solved& a, const Solved& b) {
      return a.solution.objective < b.solution.objective;
    });
    return solved;
  }

  void Round(const gp::OrderedNest& nest, const gp::Values& values) {
    const gp::Pricer pricer(space_, unknowns_, machine_, nest.nest, program_options_);
    const auto chains =
        gp::NearestChains(space_, unknowns_, values, options_.gp.nearest, kMostPriced);
    for (const gp::Candidate& candidate : pricer.Best(chains, kMostEvaluated)) {
      if (!best_objective_ || candidate.objective < *best_objective_) {
        best_objective_ = candidate.objective;
      }
      Evaluate(nest, candidate);
    }
  }

  void Evaluate(const gp::OrderedNest& nest, const gp::Candidate& candidate) {
    IndexedVector<LevelId, TensorSet> keeps;
    for (const auto& choices : space_.keeps) keeps.push_back(choices.front());
    Mapping mapping = AssembleMapping(space_, candidate.chains, nest.orders, keeps);
    if (!CheckMembership(space_, mapping).empty()) return;
    // The thistle semantics count the words that are touched, as the candidates did.
    if (options_.semantics != Semantics::kThistle && !Fits(space_, space_.problem, mapping)) return;
    EvaluateOptions evaluate;
    evaluate.semantics = options_.semantics;
    evaluate.accounting = options_.accounting;
    auto cost = inlay::Evaluate(space_.problem, space_.architecture, mapping, evaluate);
    if (!cost) return;
    ++answer_.effort.evaluations;
    std::vector<double> values = ValuesOf(*cost, options_.objective);
    if (answer_.best && !(values < best_values_)) return;
    best_values_ = std::move(values);
    answer_.best = Solution{space_.problem, std::move(mapping), *std::move(cost)};
    if (progress_) progress_({0, best_values_.front(), std::nullopt});
  }

  const Space& space_;
  const MapOptions& options_;
  const Deadline& deadline_;
  const MapProgressSink& progress_;
  gp::Unknowns unknowns_;
  gp::Machine machine_;
  gp::ProgramOptions program_options_;
  LayerAnswer answer_;
  std::vector<double> best_values_;
  std::optional<double> best_objective_;  // of a candidate, by the program's objective
};

}  // namespace

LayerAnswer SearchGp(const Space& space, const MapOptions& options, const Deadline& deadline,
                     const MapProgressSink& progress) {
  LayerAnswer answer;
  answer.unable = FindUnfit(space);
  if (!answer.unable.empty()) return answer;
  return GpSearch(space, options, deadline, progress).Run();
}

}  // namespace inlay
