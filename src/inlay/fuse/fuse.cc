#include "inlay/fuse/fuse.h"

#include <algorithm>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/cost/fused/room.h"
#include "inlay/fuse/product_fuse.h"
#include "inlay/fuse/range_fuse.h"
#include "inlay/fuse/range_problem.h"
#include "inlay/fuse/solution.h"
#include "inlay/fuse/tile_choices.h"

namespace inlay {
namespace {

// Of graphs of products that are searched as a whole: which tensors stay between runs is tried in
// all combinations.
constexpr size_t kMostNodesOfProducts = 12;

// One node by itself: loops over all of its dimensions, and inside them all of its tensors.
FusedTree EvenTree(const FusedProblem& problem, NodeId node, const std::vector<int64_t>& steps) {
  const std::vector<DimId> dims = DimsOf(problem, problem.nodes[node]);
  FusedTree tree;
  tree.part = FusedLeaf{node, false, std::nullopt};
  const auto put_around = [&tree](auto part) {
    FusedTree around;
    around.part = part;
    around.children.push_back(std::move(tree));
    tree = std::move(around);
  };
  for (const FusedOperand& operand : problem.nodes[node].operands) {
    put_around(FusedHold{operand.tensor, false});
  }
  for (const bool reduced : {true, false}) {
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto rows =
          problem.nodes[node].softmax ? problem.nodes[node].softmax : problem.nodes[node].rows;
      const bool whole = steps[i] >= problem.dims[dims[i]].bound || rows == dims[i];
      if (whole || IsReduced(problem.nodes[node], dims[i]) != reduced) continue;
      put_around(FusedLoop{dims[i], steps[i]});
    }
  }
  return tree;
}

// Cuts the longest tile, to a half or less, until the node fits; none if it does not fit in tiles
// of one iteration.
std::optional<FusedTree> FittingTree(const FusedProblem& problem, const Architecture& architecture,
                                     NodeId node, FusedTiles tiles) {
  TileChoices sizes(tiles);
  const std::vector<DimId> dims = DimsOf(problem, problem.nodes[node]);
  const FusedProblem alone = RangeProblem(problem, node, NodeId(node.value() + 1));
  std::vector<int64_t> steps;
  steps.reserve(dims.size());
  for (const DimId d : dims) steps.push_back(problem.dims[d].bound);
  for (;;) {
    FusedTree tree = EvenTree(problem, node, steps);
    const FusedTree own = WithNodesMoved(tree, -static_cast<int64_t>(node.value()));
    if (CheckFusedCapacity(alone, architecture, FusedOutline(alone, own)).empty()) return tree;
    const auto longest = std::max_element(steps.begin(), steps.end());
    if (longest == steps.end() || *longest <= 1) return std::nullopt;
    const int64_t half = (*longest + 1) / 2;
    const auto index = static_cast<size_t>(longest - steps.begin());
    for (const int64_t size : sizes.Of(problem.dims[dims[index]].bound)) {
      *longest = size;
      if (size <= half) break;
    }
  }
}

// Every node a run of its own, with tiles as large as fit; nothing is proven.
FuseAnswer AnyTrees(const FusedProblem& problem, const Architecture& architecture,
                    const FuseOptions& options) {
  FuseAnswer answer;
  std::vector<FusedTree> runs;
  for (const NodeId node : Ids(problem.nodes)) {
    auto tree = FittingTree(problem, architecture, node, options.tiles);
    if (!tree) {
      answer.unable.push_back({"", "no tree was found that fits into the pad", ""});
      return answer;
    }
    runs.push_back(*std::move(tree));
  }
  answer.best = SolutionOf(problem, architecture, TreeOfRuns(std::move(runs)));
  if (!answer.best) return answer;
  answer.unfused = answer.best;
  answer.runs = RunsOf(problem, architecture, answer.best->tree);
  answer.certificate.objective = ValueOf(answer.best->cost, options.objective.front());
  for (FusedRun& run : answer.runs) {
    run.certificate.objective = ValueOf(run.cost, options.objective.front());
  }
  answer.unfused_certificate = answer.certificate;
  return answer;
}

// The better of the trees with the fewest off-chip words, fused and not; nothing is proven.
FuseAnswer ByOtherObjective(const FuseOptions& options, FuseAnswer answer) {
  const auto values = [&](const FusedSolution& s) { return ValuesOf(s.cost, options.objective); };
  if (!answer.best) return answer;
  if (answer.unfused && values(*answer.unfused) < values(*answer.best)) {
    answer.best = answer.unfused;
    answer.runs.clear();
  }
  const auto heuristic = [&](const FusedCost& cost) {
    Certificate certificate;
    certificate.objective = ValueOf(cost, options.objective.front());
    return certificate;
  };
  answer.certificate = heuristic(answer.best->cost);
  if (answer.unfused) answer.unfused_certificate = heuristic(answer.unfused->cost);
  for (FusedRun& run : answer.runs) run.certificate = heuristic(run.cost);
  answer.any_fusion.reset();
  return answer;
}

}  // namespace

FuseAnswer Fuse(const FusedProblem& problem, const Architecture& architecture,
                const FuseOptions& options, const StopFlag& stop,
                const FuseProgressSink& progress) {
  const Deadline deadline(stop, options.time_limit_seconds);
  FuseAnswer answer;
  const auto graph = ProductGraph::Of(problem, options.softmax);
  if (graph && problem.nodes.size() <= kMostNodesOfProducts) {
    answer = FuseProducts(problem, architecture, options, *graph, deadline);
  } else {
    answer = FuseRanges(problem, architecture, options, deadline);
  }
  if (options.objective.front() != Metric::kOffchip) {
    answer = ByOtherObjective(options, std::move(answer));
    if (answer.best && answer.runs.empty()) {
      answer.runs = RunsOf(problem, architecture, answer.best->tree);
      for (FusedRun& run : answer.runs) {
        run.certificate.objective = ValueOf(run.cost, options.objective.front());
      }
    }
  }
  if (!answer.best && answer.infeasible.empty()) {
    const bool interrupted = answer.interrupted;
    answer = AnyTrees(problem, architecture, options);
    answer.interrupted = interrupted;
  }
  answer.effort.seconds = deadline.SecondsSinceStart();
  if (progress) {
    const Certificate& certificate = answer.certificate;
    std::optional<double> bound;
    if (certificate.status != CertificateStatus::kHeuristic) bound = certificate.lower_bound;
    std::optional<double> incumbent;
    if (answer.best) incumbent = certificate.objective;
    progress({incumbent, bound, true});
  }
  return answer;
}

}  // namespace inlay
