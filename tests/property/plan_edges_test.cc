// The prices of tensors that nodes pass on: what a plan moves of them is all that it moves, and a
// step of their nodes takes what a replay of a plan with it says.
#include "inlay/scratchpad/plan_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "inlay/scratchpad/named_plan.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/fusable_network.h"
#include "tests/support/plan_text.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

using testing::CandidatesOf;
using testing::CaseCount;
using testing::FusableNetwork;

// The place of the step of each node.
std::map<std::string, int64_t> StepsByName(const NamedPlan& plan) {
  std::map<std::string, int64_t> steps;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const auto at = static_cast<int64_t>(s);
    steps[plan.steps[s].node] = at;
    for (const NamedPlan::Step::Beside& beside : plan.steps[s].beside) steps[beside.node] = at;
    for (const std::string& node : plan.steps[s].fused) steps[node] = at;
  }
  return steps;
}

// Nothing is forgotten and nothing counted twice: what goes off chip is of an edge, or of a tensor
// that comes from outside or that no node reads.
TEST(PlanEdges, HaveAllThatNodesPassOn) {
  const int64_t cases = CaseCount(40, 1500);
  const StopFlag never;
  int64_t fused = 0, costly = 0, joined = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    const FusableNetwork network = testing::RandomNetwork(21000 + static_cast<uint64_t>(seed), 7);
    if (!network.fused) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(network.problem));
    const FusableSteps steps(network.graph, *network.fused, network.settings, network.problem);
    PlanOptions options;
    options.strategy = PlanStrategy::kGreedy;
    options.objective = seed % 2 == 0 ? PlanObjective::kLatency : PlanObjective::kBytes;
    options.reorder = seed % 5 == 0;
    const FusedPlanAnswer answer = MakeFusedPlan(network.problem, steps, options, Deadline(never));
    if (!answer.best.plan) continue;
    const NamedPlan plan = NamedPlanOf(answer.problem, *answer.best.plan);
    const std::map<std::string, int64_t> step_of = StepsByName(plan);
    std::set<std::string> passed_on;
    int64_t moved = 0;
    for (const PlanEdge& edge :
         EdgesOf(network.graph, network.problem, steps, answer, options.objective)) {
      EXPECT_TRUE(passed_on.insert(edge.tensor).second);
      moved += edge.offchip_bytes;
      std::set<int64_t> places = {step_of.at(edge.from)};
      for (const std::string& node : edge.to) places.insert(step_of.at(node));
      EXPECT_EQ(edge.first_step, *places.begin());
      EXPECT_EQ(edge.last_step, *places.rbegin());
      EXPECT_EQ(edge.state == PlanEdgeState::kFused, places.size() == 1);
      EXPECT_EQ(edge.joined.has_value(),
                edge.state == PlanEdgeState::kFits || edge.state == PlanEdgeState::kNoRoom);
      fused += places.size() == 1 ? 1 : 0;
      costly += edge.offchip_bytes > 0 ? 1 : 0;
      joined += edge.joined ? 1 : 0;
    }
    for (const NamedPlan::Copy& copy : plan.transfers) {
      const bool off_chip = copy.from == kOffChipName || copy.to == kOffChipName;
      if (off_chip && !passed_on.contains(copy.tensor)) moved += copy.bytes;
    }
    EXPECT_EQ(moved, answer.best.figures.offchip_bytes);
    // Every tensor that some node reads of what another one makes.
    for (const GraphNode& node : network.graph.nodes) {
      if (!step_of.contains(node.name)) continue;
      for (const ValueId v : node.inputs) {
        const PlanTensor& tensor = network.problem.tensors[StorageOf(network.graph, v)];
        EXPECT_EQ(tensor.produced, passed_on.contains(tensor.name)) << tensor.name;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(fused, cases / 4);
  EXPECT_GT(costly, cases / 4);
  EXPECT_GT(joined, 0);
}

// Where nothing is kept, a plan with the one step more can be made and replayed at once.
TEST(PlanEdges, JoinedStepsTakeWhatAReplaySays) {
  const int64_t cases = CaseCount(40, 1500);
  const StopFlag never;
  int64_t compared = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    const FusableNetwork network = testing::RandomNetwork(23000 + static_cast<uint64_t>(seed), 5);
    if (!network.fused) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(network.problem));
    const FusableSteps steps(network.graph, *network.fused, network.settings, network.problem);
    PlanOptions options;
    options.strategy = PlanStrategy::kNone;
    options.objective = seed % 2 == 0 ? PlanObjective::kLatency : PlanObjective::kBytes;
    FusedPlanAnswer answer;
    answer.problem = network.problem;
    answer.candidates = CandidatesOf(network, steps);
    answer.best = MakePlan(network.problem, options, Deadline(never));
    if (!answer.best.plan) continue;
    for (const PlanEdge& edge :
         EdgesOf(network.graph, network.problem, steps, answer, options.objective)) {
      if (edge.state != PlanEdgeState::kFits) continue;
      const auto candidate = std::find_if(
          answer.candidates.begin(), answer.candidates.end(), [&](const FusedCandidate& one) {
            return static_cast<int64_t>(one.first) == edge.first_step &&
                   static_cast<int64_t>(one.end) == edge.last_step + 1;
          });
      ASSERT_NE(candidate, answer.candidates.end());
      const PlanProblem fused = WithFusedSteps(network.problem, {&*candidate});
      const PlanAnswer plan = MakePlan(fused, options, Deadline(never));
      ASSERT_TRUE(plan.plan);
      const auto replayed = ReplaySteps(fused, *plan.plan);
      ASSERT_TRUE(replayed) << replayed.error().front().message;
      const StepFigures& step = replayed->steps[candidate->first];
      EXPECT_EQ(edge.joined->missing_bytes, 0);
      if (options.objective == PlanObjective::kBytes) {
        EXPECT_EQ(edge.joined->offchip_bytes, step.offchip_bytes);
      } else {
        EXPECT_DOUBLE_EQ(edge.joined->seconds, step.seconds);
      }
      ++compared;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, cases / 4);
}

}  // namespace
}  // namespace inlay
