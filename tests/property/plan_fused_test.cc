// Plans with fused steps: never worse than those without, possible, and what the walker counts; and
// on small graphs against all ways to choose the fused steps and all plans of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused_walker.h"
#include "inlay/scratchpad/fused_plan.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/contract_plans.h"
#include "tests/support/fusable_network.h"
#include "tests/support/plan_text.h"

namespace inlay {
namespace {

using testing::CandidatesOf;
using testing::CaseCount;
using testing::Chance;
using testing::ContractPlans;
using testing::FusableNetwork;
using testing::Random;
using testing::RandomNetwork;

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};

// Bytes to and from off chip of an operand, by the walk of a tree.
int64_t WalkedBytes(const FusedStep& step, const FusedCounts& counts, size_t operand) {
  int64_t bytes = step.whole_bytes[operand];
  for (const TensorId t : Ids(step.problem.tensors)) {
    if (step.operands[t] != operand) continue;
    int64_t words = 0;
    for (const FusedRunCounts& run : counts.runs) {
      words += run.words[LevelId(0)][t].reads + run.words[LevelId(0)][t].updates;
    }
    bytes += BytesOf(words, step.bits[t]);
  }
  return bytes;
}

// A fused step computes and moves what the walk of its tree does.
void ExpectWalked(const PlanNode& node) {
  for (size_t i = 0; i < node.tilings.size(); ++i) {
    const FusedStep& step = *node.fused;
    const auto walk =
        WalkFused(step.problem, PadArchitecture(step.problem, step.bits), step.trees[i]);
    ASSERT_TRUE(walk) << walk.error().message;
    EXPECT_TRUE(walk->numeric_check);
    for (size_t o = 0; o < node.operands.size(); ++o) {
      EXPECT_EQ(node.tilings[i].operands[o].bytes, WalkedBytes(step, walk->counts, o));
    }
    double seconds = 0;
    for (const NodeId n : Ids(step.problem.nodes)) {
      double once = 1;
      for (const DimId d : DimsOf(step.problem, step.problem.nodes[n])) {
        once *= static_cast<double>(step.problem.dims[d].bound);
      }
      seconds += step.seconds[n] * static_cast<double>(walk->counts.nodes[n].operations) / once;
    }
    EXPECT_NEAR(node.tilings[i].compute_seconds, seconds, 1e-9 * seconds);
  }
}

// Workspaces of tilings are enough for the tree, wherever the operands lie.
void ExpectEnough(Random& random, const PlanNode& node) {
  for (size_t i = 0; i < node.tilings.size(); ++i) {
    std::vector<bool> off_chip;
    int64_t workspace = node.tilings[i].inside.workspace_bytes;
    for (const OperandTraffic& traffic : node.tilings[i].operands) {
      off_chip.push_back(Chance(random, 0.5));
      if (off_chip.back()) workspace += traffic.workspace_bytes;
    }
    const auto room = CheckedRoomBytes(node, i, off_chip);
    ASSERT_TRUE(room) << room.error().front().message;
    EXPECT_LE(*room, workspace);
  }
}

TEST(FusedSteps, MoveAndComputeWhatTheWalkerDoes) {
  const int64_t cases = CaseCount(40, 2000);
  int64_t seen = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    const FusableNetwork network = RandomNetwork(static_cast<uint64_t>(seed), 5);
    if (!network.fused) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(network.problem));
    const FusableSteps steps(network.graph, *network.fused, network.settings, network.problem);
    Random random(static_cast<uint64_t>(seed));
    for (const FusedCandidate& run : CandidatesOf(network, steps)) {
      ++seen;
      EXPECT_GE(run.end - run.first, 2U);
      EXPECT_EQ(run.step.fused->trees.size(), run.step.tilings.size());
      ExpectWalked(run.step);
      ExpectEnough(random, run.step);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(seen, cases);
}

TEST(FusedPlans, AreNeverWorseAndReplayed) {
  const int64_t cases = CaseCount(40, 1500);
  const StopFlag never;
  int64_t better = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    const FusableNetwork network = RandomNetwork(7000 + static_cast<uint64_t>(seed), 7);
    if (!network.fused) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(network.problem));
    const FusableSteps steps(network.graph, *network.fused, network.settings, network.problem);
    PlanOptions options;
    options.strategy = seed % 2 == 0 ? PlanStrategy::kGreedy : PlanStrategy::kLns;
    options.objective = kObjectives[seed % 3];
    options.reorder = seed % 5 == 0;
    const FusedPlanAnswer answer = MakeFusedPlan(network.problem, steps, options, Deadline(never));
    const PlanAnswer alone = MakePlan(network.problem, options, Deadline(never));
    ASSERT_EQ(answer.best.plan.has_value(), alone.plan.has_value());
    if (!alone.plan) continue;
    EXPECT_EQ(answer.unfused.figures, alone.figures);
    const double value = ValueOf(answer.best.figures, options.objective);
    const double apart = ValueOf(alone.figures, options.objective);
    EXPECT_LE(value, apart);
    better += value < apart ? 1 : 0;
    const auto replayed = Replay(answer.problem, *answer.best.plan);
    ASSERT_TRUE(replayed) << replayed.error().front().message;
    EXPECT_EQ(*replayed, answer.best.figures);
    int64_t moved = 0;
    for (const Transfer& t : answer.best.plan->transfers) {
      moved += t.kind == TransferKind::kMove ? 0 : t.bytes;
    }
    EXPECT_EQ(moved, replayed->offchip_bytes);
    EXPECT_LE(answer.certificate.lower_bound, value * (1 + 1e-9));
    EXPECT_LE(answer.best.certificate.lower_bound, value * (1 + 1e-9));
    // Every node is in one step.
    std::vector<NodeId> nodes;
    for (const PlanNode& node : answer.problem.nodes) {
      if (!node.fused) nodes.push_back(node.node);
      if (node.fused) nodes.insert(nodes.end(), node.fused->nodes.begin(), node.fused->nodes.end());
    }
    EXPECT_TRUE(std::equal(nodes.begin(), nodes.end(), network.problem.nodes.begin(),
                           network.problem.nodes.end(),
                           [](NodeId n, const PlanNode& node) { return n == node.node; }));
    if (HasFailure()) return;
  }
  EXPECT_GT(better, cases / 4);
}

// The least value of all plans with the fused steps chosen from `from` on, in every way.
double LeastOfAll(const FusableNetwork& network, const std::vector<FusedCandidate>& candidates,
                  PlanObjective objective, size_t from,
                  std::vector<const FusedCandidate*>* chosen) {
  const ContractPlans::Found found =
      ContractPlans(WithFusedSteps(network.problem, *chosen), objective).Best();
  double least = found.plan ? found.value : std::numeric_limits<double>::infinity();
  for (size_t i = from; i < candidates.size(); ++i) {
    const auto overlaps = [&](const FusedCandidate* other) {
      return other->first < candidates[i].end && candidates[i].first < other->end;
    };
    if (std::any_of(chosen->begin(), chosen->end(), overlaps)) continue;
    chosen->push_back(&candidates[i]);
    least = std::min(least, LeastOfAll(network, candidates, objective, i + 1, chosen));
    chosen->pop_back();
  }
  return least;
}

TEST(FusedPlans, AgainstAllFusedStepsAndAllTheirPlans) {
  const int64_t cases = CaseCount(40, 600);
  const StopFlag never;
  int64_t compared = 0, equal = 0, won = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    const FusableNetwork network = RandomNetwork(9000 + static_cast<uint64_t>(seed), 4);
    if (!network.fused || network.problem.tensors.size() > ContractPlans::kMostTensors) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(network.problem));
    const FusableSteps steps(network.graph, *network.fused, network.settings, network.problem);
    PlanOptions options;
    options.strategy = PlanStrategy::kExact;
    options.objective = kObjectives[seed % 3];
    const FusedPlanAnswer answer = MakeFusedPlan(network.problem, steps, options, Deadline(never));
    if (!answer.best.plan) continue;
    std::vector<const FusedCandidate*> chosen;
    const std::vector<FusedCandidate> candidates = CandidatesOf(network, steps);
    const double least = LeastOfAll(network, candidates, options.objective, 0, &chosen);
    const double value = ValueOf(answer.best.figures, options.objective);
    ++compared;
    EXPECT_GE(value, least * (1 - 1e-9));
    EXPECT_LE(answer.certificate.lower_bound, least * (1 + 1e-9));
    if (answer.certificate.status == CertificateStatus::kOptimal) {
      EXPECT_LE(value, least * (1 + 1e-9));
    }
    equal += value <= least * (1 + 1e-9) ? 1 : 0;
    won += value < ValueOf(answer.unfused.figures, options.objective) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, cases / 2);
  EXPECT_GE(equal, compared * 9 / 10);
  EXPECT_GT(won, cases / 8);
}

// What is wrong with a fused step is refused.
TEST(FusedPlans, ABrokenStepIsRefused) {
  const int64_t cases = CaseCount(40, 400);
  const StopFlag never;
  int64_t broken = 0;
  for (int64_t seed = 0; seed < cases; ++seed) {
    const FusableNetwork network = RandomNetwork(11000 + static_cast<uint64_t>(seed), 5);
    if (!network.fused) continue;
    const FusableSteps steps(network.graph, *network.fused, network.settings, network.problem);
    FusedPlanAnswer answer =
        MakeFusedPlan(network.problem, steps, {PlanStrategy::kGreedy}, Deadline(never));
    if (!answer.best.plan) continue;
    const auto is_fused = [](const PlanNode& node) { return node.fused != nullptr; };
    const auto at =
        std::find_if(answer.problem.nodes.begin(), answer.problem.nodes.end(), is_fused);
    if (at == answer.problem.nodes.end()) continue;
    ++broken;
    const auto s = static_cast<size_t>(at - answer.problem.nodes.begin());
    Plan& plan = *answer.best.plan;
    const PlanStep step = plan.steps[s];
    ASSERT_TRUE(Replay(answer.problem, plan));
    std::vector<bool> off_chip;
    for (const Operand& operand : at->operands) {
      off_chip.push_back(std::none_of(plan.residencies.begin(), plan.residencies.end(),
                                      [&](const Residency& residency) {
                                        return residency.tensor == operand.tensor &&
                                               residency.from <= static_cast<int64_t>(s) &&
                                               static_cast<int64_t>(s) < residency.to;
                                      }));
    }
    // Less room than the tree takes.
    const Scratchpad& pad = answer.problem.machine.pads[answer.problem.workspace_pad[at->unit]];
    const int64_t needed = AlignedBytes(pad, CheckedRoomBytes(*at, step.tiling, off_chip).value());
    plan.steps[s].workspace_bytes = needed - pad.alignment_bytes;
    EXPECT_FALSE(Replay(answer.problem, plan));
    plan.steps[s].workspace_bytes = needed;
    EXPECT_TRUE(Replay(answer.problem, plan));
    plan.steps[s] = step;
    // Another time, and other traffic, than the tree has.
    Tiling& tiling = at->tilings[step.tiling];
    const Tiling before = tiling;
    tiling.compute_seconds *= 0.5;
    tiling.compute_seconds -= 1;
    EXPECT_FALSE(Replay(answer.problem, plan));
    tiling = before;
    tiling.inside.bytes -= 1;
    EXPECT_FALSE(Replay(answer.problem, plan));
    tiling = before;
    // A tree that is not legal.
    FusedStep other = *at->fused;
    other.trees[step.tiling] = FusedTree();
    other.trees[step.tiling].part = FusedLeaf{NodeId(0), false, {}};
    at->fused = std::make_shared<FusedStep>(other);
    EXPECT_FALSE(Replay(answer.problem, plan));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(broken, cases / 5);
}

}  // namespace
}  // namespace inlay
