#include "inlay/scratchpad/plan_edges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/scratchpad/fused_step.h"
#include "inlay/scratchpad/merged_step.h"
#include "inlay/scratchpad/validator.h"

namespace inlay {
namespace {

std::vector<NodeId> NodesOf(const PlanNode& node) {
  if (node.fused) return node.fused->nodes;
  std::vector<NodeId> nodes = {node.node};
  for (const PlanNode::Beside& beside : node.beside) nodes.push_back(beside.node);
  return nodes;
}

// The problem's nodes by the steps of a plan.
std::vector<const PlanNode*> StepsOf(const PlanProblem& problem, const Plan& plan) {
  std::map<NodeId, const PlanNode*> nodes;
  for (const PlanNode& node : problem.nodes) nodes[node.node] = &node;
  std::vector<const PlanNode*> steps;
  for (const PlanStep& step : plan.steps) steps.push_back(nodes.at(step.node));
  return steps;
}

std::map<NodeId, size_t> StepByNode(const PlanProblem& problem, const Plan& plan) {
  std::map<NodeId, size_t> step_of;
  const std::vector<const PlanNode*> steps = StepsOf(problem, plan);
  for (size_t s = 0; s < steps.size(); ++s) {
    for (const NodeId node : NodesOf(*steps[s])) step_of[node] = s;
  }
  return step_of;
}

// By operand of a step, whether it lies in no pad then.
std::vector<bool> OffChipOperands(const Plan& plan, const PlanNode& node, size_t step) {
  std::vector<bool> off_chip;
  for (const Operand& operand : node.operands) {
    off_chip.push_back(std::none_of(plan.residencies.begin(), plan.residencies.end(),
                                    [&](const Residency& residency) {
                                      return residency.tensor == operand.tensor &&
                                             residency.from <= static_cast<int64_t>(step) &&
                                             static_cast<int64_t>(step) < residency.to;
                                    }));
  }
  return off_chip;
}

PlanFusedStep DescribeTree(const FusedStep& step, const FusedTree& tree,
                           const std::vector<bool>& off_chip) {
  const auto cost = FusedStepCost::Of(step, tree);
  INLAY_CHECK(cost.has_value());  // it is a step of a plan
  PlanFusedStep result;
  result.room_words = cost->counts().room_words;
  result.nodes = FusedNodesOf(step.problem, cost->counts());
  const IndexedVector<TensorId, int> bits = cost->RoomBits(off_chip);
  for (const FusedHoldCounts& hold : cost->counts().holds) {
    result.tiles.push_back(
        {ResultOf(step.problem, hold), BytesOf(hold.tile_words, bits[hold.tensor])});
  }
  return result;
}

// Prices the edges of one answer.
class EdgePricer {
 public:
  EdgePricer(const PlanProblem& problem, const FusableSteps& steps, const FusedPlanAnswer& answer,
             PlanObjective objective)
      : problem_(problem),
        steps_(steps),
        answer_(answer),
        cost_(answer.problem, *answer.best.plan, objective),
        nodes_(StepsOf(answer.problem, *answer.best.plan)) {
    for (size_t i = 0; i < problem.nodes.size(); ++i) number_[problem.nodes[i].node] = i;
    for (const StepRange& run : FusableRuns(steps, problem, kMostFusedNodes)) {
      fusable_.emplace(run.first, run.end);
    }
    for (const Transfer& transfer : answer.best.plan->transfers) {
      if (transfer.kind == TransferKind::kMove) continue;
      offchip_bytes_[transfer.tensor] += transfer.bytes;
    }
  }

  // Puts in what the plan moves of the tensor, and whether its steps could be one.
  void Price(ValueId tensor, PlanEdge* edge) const {
    edge->bytes = problem_.tensors[tensor].bytes;
    const auto moved = offchip_bytes_.find(tensor);
    if (moved != offchip_bytes_.end()) edge->offchip_bytes = moved->second;
    const auto first = static_cast<size_t>(edge->first_step);
    const auto end = static_cast<size_t>(edge->last_step) + 1;
    if (end - first == 1) {
      edge->state = PlanEdgeState::kFused;
      return;
    }
    const std::optional<StepRange> run = RunOf(first, end);
    if (!run) return;  // apart
    const FusedCandidate* candidate = Find(answer_.candidates, *run);
    if (candidate == nullptr) {
      edge->state = Find(answer_.searched, *run) ? PlanEdgeState::kNoTree : PlanEdgeState::kNoGain;
      return;
    }
    const MergedStep joined = cost_.As(first, end, candidate->step);
    edge->state = joined.missing_bytes > 0 ? PlanEdgeState::kNoRoom : PlanEdgeState::kFits;
    edge->joined = {joined.figures.latency_seconds, joined.figures.offchip_bytes, joined.room_bytes,
                    joined.missing_bytes};
  }

 private:
  template <typename Range>
  static const Range* Find(const std::vector<Range>& ranges, const StepRange& run) {
    const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const StepRange& one) {
      return one.first == run.first && one.end == run.end;
    });
    return found == ranges.end() ? nullptr : &*found;
  }

  // Steps of the plan as nodes of the problem without fused steps; none: they cannot be one step.
  std::optional<StepRange> RunOf(size_t first, size_t end) const {
    StepRange run;
    run.first = run.end = number_.at(nodes_[first]->node);
    for (size_t s = first; s < end; ++s) {
      if (number_.at(nodes_[s]->node) != run.end) return std::nullopt;  // in another order
      run.end += nodes_[s]->fused ? nodes_[s]->fused->nodes.size() : 1;
    }
    if (!fusable_.contains({run.first, run.end}) || !steps_.Without(run.first, run.end)) {
      return std::nullopt;
    }
    return run;
  }

  const PlanProblem& problem_;
  const FusableSteps& steps_;
  const FusedPlanAnswer& answer_;
  MergedStepCost cost_;
  std::vector<const PlanNode*> nodes_;           // by step
  std::set<std::pair<size_t, size_t>> fusable_;  // first and end of runs
  std::map<ValueId, int64_t> offchip_bytes_;     // of the plan's transfers
  std::map<NodeId, size_t> number_;              // of the problem without fused steps
};

}  // namespace

std::vector<PlanFusedStep> FusedStepsOf(const PlanProblem& problem, const FusedPlanAnswer& answer) {
  const Plan& plan = *answer.best.plan;
  const auto apart = ReplaySteps(problem, *answer.unfused.plan);
  INLAY_CHECK(apart.has_value());
  const std::map<NodeId, size_t> step_apart = StepByNode(problem, *answer.unfused.plan);
  const std::vector<const PlanNode*> steps = StepsOf(answer.problem, plan);
  std::vector<PlanFusedStep> fused;
  for (size_t s = 0; s < steps.size(); ++s) {
    if (!steps[s]->fused) continue;
    const FusedStep& step = *steps[s]->fused;
    PlanFusedStep result =
        DescribeTree(step, step.trees[plan.steps[s].tiling], OffChipOperands(plan, *steps[s], s));
    result.step = static_cast<int64_t>(s);
    for (const NodeId node : step.nodes) {  // none of which runs side by side with another
      const StepFigures& alone = apart->steps[step_apart.at(node)];
      result.apart_seconds += alone.seconds;
      result.apart_offchip_bytes += alone.offchip_bytes;
    }
    fused.push_back(std::move(result));
  }
  return fused;
}

std::vector<PlanEdge> EdgesOf(const Graph& graph, const PlanProblem& problem,
                              const FusableSteps& steps, const FusedPlanAnswer& answer,
                              PlanObjective objective) {
  const EdgePricer pricer(problem, steps, answer, objective);
  const std::map<NodeId, size_t> step_of = StepByNode(answer.problem, *answer.best.plan);
  std::map<ValueId, PlanEdge> edges;
  for (const NodeId n : Ids(graph.nodes)) {
    const auto step = step_of.find(n);
    if (step == step_of.end()) continue;  // a view
    const auto at = static_cast<int64_t>(step->second);
    std::set<ValueId> read;
    for (const ValueId input : graph.nodes[n].inputs) read.insert(StorageOf(graph, input));
    for (const ValueId v : read) {
      const auto edge = edges.find(v);
      if (edge == edges.end()) continue;  // from outside
      edge->second.to.push_back(graph.nodes[n].name);
      edge->second.last_step = std::max(edge->second.last_step, at);
    }
    for (const ValueId v : graph.nodes[n].outputs) {
      PlanEdge& edge = edges[v];
      edge.tensor = problem.tensors[v].name;
      edge.from = graph.nodes[n].name;
      edge.first_step = edge.last_step = at;
    }
  }
  std::vector<PlanEdge> priced;
  for (auto& [tensor, edge] : edges) {
    if (edge.to.empty()) continue;
    pricer.Price(tensor, &edge);
    priced.push_back(std::move(edge));
  }
  std::stable_sort(priced.begin(), priced.end(), [](const PlanEdge& a, const PlanEdge& b) {
    return a.first_step < b.first_step;
  });
  return priced;
}

}  // namespace inlay
