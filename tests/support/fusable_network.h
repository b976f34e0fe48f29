#pragma once

#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fused_graph.h"
#include "inlay/core/graph.h"
#include "inlay/scratchpad/fused_plan.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay::testing {

// A small network on a small machine; `fused` is none where no node can be fused.
struct FusableNetwork {
  Graph graph;
  PlanSettings settings;
  PlanProblem problem;
  tl::expected<FusedGraph, Faults> fused;
};

FusableNetwork RandomNetwork(uint64_t seed, int64_t most_nodes);

// All that can be fused, whether or not it gains anything.
std::vector<FusedCandidate> CandidatesOf(const FusableNetwork& network, const FusableSteps& steps);

}  // namespace inlay::testing
