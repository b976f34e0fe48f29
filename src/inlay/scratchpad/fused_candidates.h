#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/fused_graph.h"
#include "inlay/core/graph.h"
#include "inlay/scratchpad/fused_run.h"
#include "inlay/scratchpad/fused_step.h"
#include "inlay/scratchpad/problem.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay {

// The planning problem of a graph, without fused steps, and what of it can be fused. All outlive
// it.
class FusableSteps {
 public:
  FusableSteps(const Graph& graph, const FusedGraph& fused, const PlanSettings& settings,
               const PlanProblem& problem);

  // The longest run that may begin with each node of the problem, at most `most` nodes: one node
  // runs after the other on one unit with a peak rate, which reaches a pad, and nothing is in
  // between.
  size_t MostFrom(size_t first, size_t most) const;
  // The steps as one of the problem's nodes, still without trees. None: they cannot be one.
  std::optional<FusedCandidate> Without(size_t first, size_t end) const;
  // Adds a sound tree of such a step, with its tilings. False: it does not fit into the pad even
  // if nothing else lies there, or its counts do not fit into 64 bits.
  bool AddTree(const FusedTree& tree, FusedCandidate* candidate) const;
  // What every tree of such a step moves and computes at least.
  Tiling LeastTiling(const FusedCandidate& candidate) const;
  // Of the network's tensors and nodes, what every plan has to move and compute, fused or not: in
  // bytes and in seconds.
  PlanFigures LeastFigures() const;

  // As trees of all nodes see the machine.
  Architecture PadOfAll() const;

 private:
  const Graph& graph_;
  const FusedGraph& fused_;
  const PlanSettings& settings_;
  const PlanProblem& problem_;
  std::vector<std::optional<size_t>> numbers_;  // by node of the problem: that of the fused graph
  IndexedVector<ValueId, size_t> uses_;         // how many nodes of the problem use a tensor
};

// The runs of at most so many nodes that can be a fused step, the shortest first.
std::vector<StepRange> FusableRuns(const FusableSteps& steps, const PlanProblem& problem,
                                   size_t most_nodes);

// Those that could gain something worth the search of a tree, by a plan without fused steps in the
// order of the problem: if one needed no room, computed nothing again and moved what every tree
// moves, and all other tensors lay where they lie there. What gains most for its length first.
std::vector<StepRange> RunsWorthFusing(const FusableSteps& steps, const PlanProblem& problem,
                                       const Plan& plan, PlanObjective objective,
                                       const std::vector<StepRange>& runs);

// Of these runs those of which a tree was found whose tiles fit into the pad of workspaces. Where
// the deadline passes, those that were found by then.
std::vector<FusedCandidate> FindFusedCandidates(const FusableSteps& steps,
                                                const PlanProblem& problem,
                                                const std::vector<StepRange>& runs,
                                                const Deadline& deadline);

// The problem with these steps fused; they do not overlap.
PlanProblem WithFusedSteps(const PlanProblem& problem, std::vector<const FusedCandidate*> chosen);

}  // namespace inlay
