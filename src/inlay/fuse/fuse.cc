#include "inlay/fuse/fuse.h"

#include <algorithm>
#include <utility>

#include "inlay/base/deadline.h"
#include "inlay/core/fused_part.h"
#include "inlay/fuse/any_tree.h"
#include "inlay/fuse/product_fuse.h"
#include "inlay/fuse/range_fuse.h"
#include "inlay/fuse/solution.h"

namespace inlay {
namespace {

// Of graphs of products that are searched as a whole: which tensors stay between runs is tried in
// all combinations.
constexpr size_t kMostNodesOfProducts = 12;

// Every node a run of its own, with tiles as large as fit; nothing is proven.
FuseAnswer AnyTrees(const FusedProblem& problem, const Architecture& architecture,
                    const FuseOptions& options) {
  FuseAnswer answer;
  std::vector<FusedTree> runs;
  for (const NodeId node : Ids(problem.nodes)) {
    const FusedPart part = PartOf(problem, node, NodeId(node.value() + 1));
    auto found = AnyTreeOf(part.problem, architecture, options.tiles);
    if (!found) {
      answer.unsupported.push_back({"", "no tree was found that fits into the pad", ""});
      return answer;
    }
    runs.push_back(TreeInWhole(part, std::move(found->tree)));
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
  const bool anywhere = std::none_of(options.earliest.begin(), options.earliest.end(),
                                     [](NodeId first) { return first > NodeId(0); });
  if (graph && anywhere && problem.nodes.size() <= kMostNodesOfProducts) {
    answer = FuseProducts(problem, architecture, options, *graph, deadline);
  } else {
    answer = FuseRanges(problem, architecture, options, deadline, progress);
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
