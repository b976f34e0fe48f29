#include "inlay/run/fused_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/io/json/json_place.h"
#include "inlay/io/native/native.h"
#include "inlay/run/common.h"
#include "inlay/scratchpad/fused_candidates.h"

namespace inlay::run {
namespace {

class StepsReader {
 public:
  StepsReader(const NamedPlan& plan, const io::Source& text, const PlanProblem& problem,
              const FusableSteps& steps)
      : plan_(plan), text_(text), problem_(problem), steps_(steps) {}

  Result<PlanProblem> Read() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (!plan_.steps[s].fused.empty()) ReadStep(s, plan_.steps[s]);
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    std::vector<const FusedCandidate*> chosen;
    for (const FusedCandidate& run : runs_) chosen.push_back(&run);
    std::sort(chosen.begin(), chosen.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    for (size_t i = 1; i < chosen.size(); ++i) {
      if (chosen[i - 1]->end <= chosen[i]->first) continue;
      Add("steps", "node '" + chosen[i]->step.name + "' is in two steps", "");
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    return WithFusedSteps(problem_, std::move(chosen));
  }

 private:
  void Add(const std::string& where, const std::string& message, const std::string& hint) {
    const SourcePlace place = io::PlaceOfNextError(text_, where, errors_);
    errors_.push_back(io::MakeErrorAt(place, where + ": " + message, hint));
  }

  void ReadStep(size_t s, const NamedPlan::Step& step) {
    const std::string where = fmt::format("steps[{}]", s);
    const auto begin = std::find_if(problem_.nodes.begin(), problem_.nodes.end(),
                                    [&](const PlanNode& node) { return node.name == step.node; });
    if (begin == problem_.nodes.end()) return;  // reported where names are looked up
    const auto first = static_cast<size_t>(begin - problem_.nodes.begin());
    auto run = first + step.fused.size() < problem_.nodes.size()
                   ? steps_.Without(first, first + 1 + step.fused.size())
                   : std::nullopt;
    const bool same =
        run && std::equal(step.fused.begin(), step.fused.end(), run->step.fused->names.begin() + 1);
    if (!same) {
      return Add(where + ".fused", "these nodes cannot be one step with '" + step.node + "'",
                 "a fused step has nodes that follow each other, on one unit with a peak rate");
    }
    const FusedStep& fused = *run->step.fused;
    const auto tree = io::ReadFusedTreeLines(
        step.tree, fused.problem, PadArchitecture(fused.problem, fused.bits), text_.name);
    if (!tree) {
      const Diagnostic& error = tree.error().front();
      const int line = error.location.line;
      return Add(where + ".tree", (line > 0 ? fmt::format("line {}: ", line) : "") + error.message,
                 error.hint);
    }
    for (const Fault& fault : CheckTree(fused, *tree)) {
      Add(where + ".tree", fault.where + ": " + fault.message, fault.hint);
    }
    if (!errors_.empty()) return;
    if (!steps_.AddTree(*tree, &*run)) {
      return Add(where + ".tree",
                 "its tiles do not fit into the pad, even if nothing else is there", "");
    }
    runs_.push_back(*std::move(run));
  }

  const NamedPlan& plan_;
  const io::Source& text_;
  const PlanProblem& problem_;
  const FusableSteps& steps_;
  std::vector<FusedCandidate> runs_;
  Diagnostics errors_;
};

}  // namespace

Faults CheckFusable(const PlanProblem& problem) {
  bool has_peak = false;
  for (const UnitId u : Ids(problem.machine.units)) {
    if (problem.machine.units[u].architecture) continue;
    has_peak = true;
    for (const PadId p : Ids(problem.machine.pads)) {
      if (Reaches(problem.machine, u, p)) return {};
    }
  }
  if (!has_peak) {
    return {{"units", "all units of machine '" + problem.machine.name + "' have an architecture",
             "how long a run of nodes takes in tiles is known of units with a peak rate only; take "
             "a machine with one"}};
  }
  return {
      {"units",
       "no unit of machine '" + problem.machine.name + "' that has a peak rate reaches a memory",
       "tiles of fused nodes need room in one"}};
}

void SetTrees(const PlanProblem& problem, const Plan& plan, NamedPlan* named) {
  std::map<NodeId, const PlanNode*> nodes;
  for (const PlanNode& node : problem.nodes) nodes[node.node] = &node;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanNode& node = *nodes.at(plan.steps[s].node);
    if (!node.fused) continue;
    const FusedStep& fused = *node.fused;
    named->steps[s].tree =
        io::FusedTreeLines(fused.problem, PadArchitecture(fused.problem, fused.bits),
                           fused.trees[plan.steps[s].tiling]);
  }
}

Result<PlanProblem> WithStepsOf(const NamedPlan& plan, const io::Source& text, const Graph& graph,
                                const PlanSettings& settings, const PlanProblem& problem) {
  if (std::all_of(plan.steps.begin(), plan.steps.end(),
                  [](const NamedPlan::Step& step) { return step.fused.empty(); })) {
    return problem;
  }
  const auto fused = FusedGraphOf(graph);
  if (!fused) return Fail(ErrorsOf(fused.error()));
  return StepsReader(plan, text, problem, FusableSteps(graph, *fused, settings, problem)).Read();
}

}  // namespace inlay::run
