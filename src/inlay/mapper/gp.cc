#include "inlay/mapper/gp.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/mapper/gp/pipeline.h"

namespace inlay {
namespace {

constexpr size_t kMostRounded = 64;  // structures, from the least optimum

struct Solved {
  const gp::LoopStructure* structure;
  gp::RelaxedSolution relaxed;
};

// By the optimum in real numbers.
std::vector<Solved> SolveAll(const gp::Pipeline& pipeline,
                             const std::vector<gp::LoopStructure>& structures,
                             const Deadline& deadline, SearchEffort* effort) {
  std::vector<Solved> solved;
  for (const gp::LoopStructure& structure : structures) {
    if (deadline.Passed()) break;
    ++effort->nodes;
    if (auto relaxed = pipeline.Solve(structure))
      solved.push_back({&structure, *std::move(relaxed)});
  }
  std::stable_sort(solved.begin(), solved.end(), [](const Solved& a, const Solved& b) {
    return a.relaxed.objective < b.relaxed.objective;
  });
  if (solved.size() > kMostRounded) solved.resize(kMostRounded);
  return solved;
}

}  // namespace

LayerAnswer SearchGp(const Space& space, const MapOptions& options, const Deadline& deadline,
                     const MapProgressSink& progress) {
  LayerAnswer answer;
  answer.unsupported = gp::FindUnfit(space);
  if (!answer.unsupported.empty()) return answer;
  gp::Pipeline pipeline(space, options);
  const std::vector<gp::LoopStructure> structures =
      gp::LoopStructuresOf(space, {gp::PaperWindows(space)});
  std::optional<double> least;  // of a candidate, by the program's objective
  for (const Solved& solved : SolveAll(pipeline, structures, deadline, &answer.effort)) {
    // In real numbers nothing is lost, so nothing of this program can win.
    if (least && solved.relaxed.objective > *least) break;
    if (deadline.Passed()) break;
    const auto found = pipeline.Round(*solved.structure, solved.relaxed.values, &answer);
    if (found && (!least || *found < *least)) least = found;
    if (progress && answer.best) {
      progress({0, ValuesOf(answer.best->cost, options.objective).front(), std::nullopt});
    }
  }
  // No program has room inside its constraints: the smallest tiles are all there is.
  if (!answer.best && !structures.empty() && !deadline.Passed()) {
    pipeline.RoundSmallest(structures.front(), &answer);
  }
  answer.interrupted = deadline.Passed();
  return answer;
}

}  // namespace inlay
