// Plans, proofs and the validator against every plan that the contract allows
// (docs/reference/scratchpad.md, C1 to C11), on tiny problems.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/stop.h"
#include "inlay/scratchpad/exact/interval_bounds.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/side_by_side.h"
#include "inlay/scratchpad/unit_assignment.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/contract_plans.h"
#include "tests/support/plan_text.h"
#include "tests/support/tiny_plan_problem.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::ContractPlans;
using testing::Describe;
using testing::Random;

constexpr double kTolerance = 1e-9;
constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};

double Slack(double value) { return kTolerance * std::max(1.0, value); }

PlanProblem Drawn(uint64_t seed) {
  Random random(seed);
  return testing::TinyPlanProblem(random);
}

PlanAnswer Answer(const PlanProblem& problem, PlanStrategy strategy, PlanObjective objective) {
  PlanOptions options;
  options.strategy = strategy;
  options.objective = objective;
  const StopFlag stop;
  return MakePlan(problem, options, Deadline(stop));
}

// How often what is checked came up.
struct Tally {
  int64_t proofs = 0;
  int64_t moves = 0;       // proven plans in which something moves
  int64_t bounds = 0;      // less than the plan's value: nothing is proven optimal
  int64_t addresses = 0;   // cost more than what fits by its size
  int64_t infeasible = 0;  // both say so
  int64_t undecided = 0;   // too many plans to look at
};

// Whether what is proven to be the least, or a bound on it, is: no plan with addresses is cheaper.
void ExpectNoneBelow(const PlanProblem& problem, double proven, ContractPlans* all, Tally* tally) {
  const ContractPlans::Found found = all->FindBelow(proven);
  if (found.plan) {
    ADD_FAILURE() << "a cheaper plan, of " << found.value << ":\n"
                  << Describe(problem, *found.plan);
  } else {
    ++(found.complete ? tally->addresses : tally->undecided);
  }
}

void CheckAnswer(const PlanProblem& problem, PlanObjective objective, const PlanAnswer& answer,
                 Tally* tally) {
  ContractPlans all(problem, objective);
  const std::optional<double> optimum = all.Optimum();
  if (!answer.plan) {
    ++tally->infeasible;
    if (optimum) ExpectNoneBelow(problem, std::numeric_limits<double>::max(), &all, tally);
    return;
  }
  const double value = ValueOf(answer.figures, objective);
  SCOPED_TRACE(fmt::format("planned {} optimum {}\n{}", value, optimum.value_or(-1),
                           Describe(problem, *answer.plan)));
  const auto replayed = Replay(problem, *answer.plan);
  ASSERT_TRUE(replayed) << replayed.error().front().message;
  EXPECT_EQ(*replayed, answer.figures);
  ASSERT_TRUE(optimum);
  EXPECT_GE(value, *optimum - Slack(*optimum));
  const bool optimal = answer.certificate.status == CertificateStatus::kOptimal;
  ++(optimal ? tally->proofs : tally->bounds);
  const bool moves = std::any_of(answer.plan->transfers.begin(), answer.plan->transfers.end(),
                                 [](const Transfer& t) { return t.kind == TransferKind::kMove; });
  if (optimal && moves) ++tally->moves;
  const double proven = optimal ? value : answer.certificate.lower_bound;
  EXPECT_LE(proven, value + Slack(value));
  if (!optimal) {
    const ContractPlans::Found best = all.Best();
    EXPECT_GT(best.value, *optimum + Slack(*optimum)) << "only addresses can be in the way";
  }
  if (proven <= *optimum + Slack(*optimum)) return;
  ExpectNoneBelow(problem, proven - Slack(proven), &all, tally);
}

class PlanContract : public ::testing::TestWithParam<PlanObjective> {};

INSTANTIATE_TEST_SUITE_P(Objectives, PlanContract, ::testing::ValuesIn(kObjectives),
                         [](const auto& one) { return std::string(Name(one.param)); });

// All units alike, so that nodes which do not depend on each other share steps.
PlanProblem Merged(PlanProblem problem) {
  Machine& machine = problem.machine;
  const ComputeUnit unit = machine.units[UnitId(0)];
  machine.units = {unit, unit};
  for (Scratchpad& pad : machine.pads) pad.reached_by = {UnitId(0), UnitId(1)};
  problem.workspace_pad = WorkspacePads(machine);
  for (PlanNode& node : problem.nodes) node.unit = UnitId(0);
  MergeIndependentNodes(&problem);
  return problem;
}

// A step holds nodes that need nothing from each other, each on a unit of its own, and every node
// is in one step after those that write what it reads.
void ExpectStepsOfIndependentNodes(const PlanProblem& apart, const PlanProblem& merged) {
  std::map<std::string, const PlanNode*> nodes;
  for (const PlanNode& node : apart.nodes) nodes[node.name] = &node;
  std::set<ValueId> there;
  for (const ValueId v : Ids(apart.tensors)) {
    if (!apart.tensors[v].produced) there.insert(v);
  }
  size_t count = 0;
  for (const PlanNode& step : merged.nodes) {
    std::vector<const PlanNode*> parts = {nodes.at(step.name)};
    std::set<UnitId> units = {step.unit};
    for (const auto& beside : step.beside) {
      parts.push_back(nodes.at(beside.name));
      EXPECT_TRUE(units.insert(beside.unit).second);
    }
    for (const PlanNode* part : parts) {
      for (const Operand& o : part->operands) {
        EXPECT_TRUE(o.written || there.contains(o.tensor)) << part->name;
      }
    }
    for (const PlanNode* part : parts) {
      for (const Operand& o : part->operands) there.insert(o.tensor);
    }
    count += parts.size();
  }
  EXPECT_EQ(count, apart.nodes.size());
}

TEST_P(PlanContract, ProofsAreTrueOfNodesSideBySide) {
  Tally tally;
  size_t shared = 0;
  const int64_t cases = CaseCount(100, 1000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    const PlanProblem apart = Drawn(static_cast<uint64_t>(seed));
    const PlanProblem problem = Merged(apart);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, Describe(problem)));
    ExpectStepsOfIndependentNodes(apart, problem);
    shared += apart.nodes.size() - problem.nodes.size();
    CheckAnswer(problem, GetParam(), Answer(problem, PlanStrategy::kExact, GetParam()), &tally);
  }
  EXPECT_GT(shared, static_cast<size_t>(cases) / 10);
  EXPECT_GT(tally.proofs, cases / 4);
}

TEST_P(PlanContract, ProofsAreTrue) {
  Tally tally;
  const int64_t cases = CaseCount(200, 2000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, Describe(problem)));
    const PlanAnswer answer = Answer(problem, PlanStrategy::kExact, GetParam());
    CheckAnswer(problem, GetParam(), answer, &tally);
    const PlanAnswer eager = Answer(problem, PlanStrategy::kEager, GetParam());
    if (!eager.plan) continue;
    ASSERT_TRUE(answer.plan);
    const double value = ValueOf(answer.figures, GetParam());
    EXPECT_LE(value, ValueOf(eager.figures, GetParam()) + Slack(value));
  }
  EXPECT_GT(tally.proofs, cases * 4 / 5);
  EXPECT_GT(tally.moves, cases / 20);
  EXPECT_GT(tally.addresses, 0);
  EXPECT_GE(tally.infeasible, cases / 200);
  EXPECT_EQ(tally.undecided, 0);
  for (const auto& [name, count] : {std::pair("proofs", tally.proofs),
                                    {"moves", tally.moves},
                                    {"bounds", tally.bounds},
                                    {"addresses", tally.addresses},
                                    {"infeasible", tally.infeasible}}) {
    RecordProperty(name, std::to_string(count));
  }
}

// Two nodes; the first has tilings that the best plan does not use.
PlanProblem WithTilings(std::vector<Tiling> tilings) {
  PlanProblem problem;
  problem.machine.units.push_back({"u", 1, std::nullopt});
  problem.machine.pads.push_back({"p", 152, 1, std::nullopt, 2, {UnitId(0)}});
  problem.machine.offchip.pj_per_byte = 8.5;
  problem.workspace_pad.push_back(PadId(0));
  for (const auto& [bytes, produced] :
       {std::pair(48, false), {56, false}, {80, true}, {16, false}, {56, true}}) {
    const std::string name = fmt::format("t{}", problem.tensors.size());
    problem.tensors.push_back({name, bytes, produced, false, false});
  }
  const auto node = [&](size_t index, std::vector<Operand> operands) -> PlanNode& {
    problem.nodes.push_back(
        {fmt::format("n{}", index), NodeId(index), UnitId(0), std::move(operands), {}, {}});
    return problem.nodes.back();
  };
  node(0, {{ValueId(0), false}, {ValueId(2), true}}).tilings = std::move(tilings);
  PlanNode& last =
      node(1, {{ValueId(1), false}, {ValueId(2), false}, {ValueId(3), false}, {ValueId(4), true}});
  last.tilings = {{9.75, {{56, 8}, {80, 16}, {16, 40}, {56, 32}}}};
  last.in_place = {ValueId(1)};
  return problem;
}

// Tilings hid the best plan, and it was "proven" away.
TEST(PlanContractCases, ATilingMoreIsNoLoss) {
  const std::vector<Tiling> tilings = {
      {2, {{144, 24}, {160, 16}}}, {4, {{48, 0}, {40, 40}}}, {2, {{144, 0}, {240, 32}}}};
  const auto energy = [](const PlanProblem& problem) {
    return Answer(problem, PlanStrategy::kExact, PlanObjective::kEnergy).figures.energy_pj;
  };
  const double one = energy(WithTilings({tilings[1]}));
  EXPECT_LE(energy(WithTilings(tilings)), one + Slack(one));
}

// Steps 0 to 7. `a` is written for one unit and read in the end by the other, in whose pad there is
// no room before: it moves in step 6. The other tensors are outputs, but for `b`, which fills the
// pad in steps 4 and 5.
PlanProblem MovedLate() {
  PlanProblem problem;
  Machine& machine = problem.machine;
  for (const size_t u : {0U, 1U}) {
    machine.units.push_back({fmt::format("u{}", u), 1, std::nullopt});
    machine.pads.push_back({fmt::format("p{}", u), 64, 1, std::nullopt, 1, {UnitId(u)}});
    problem.workspace_pad.push_back(PadId(u));
  }
  machine.offchip = {8, 8};
  machine.dma.moves.emplace_back(PadId(0), PadId(1));
  const ValueId a(0), b(1);
  problem.tensors.push_back({"a", 64, true, false, false});
  problem.tensors.push_back({"b", 64, true, false, false});
  for (size_t s = 0; s < 8; ++s) {
    PlanNode node{fmt::format("n{}", s), NodeId(s), UnitId(s < 4 ? 0 : 1), {}, {}, {}};
    if (s == 5) node.operands.push_back({b, false});
    if (s == 7) node.operands.push_back({a, false});
    if (s == 0 || s == 4) {
      node.operands.push_back({s == 0 ? a : b, true});
    } else {
      problem.tensors.push_back({fmt::format("o{}", s), 8, true, false, true});
      node.operands.push_back({ValueId(problem.tensors.size() - 1), true});
    }
    Tiling tiling;
    for (const Operand& o : node.operands) {
      tiling.operands.push_back({problem.tensors[o.tensor].bytes, 0});
    }
    node.tilings.push_back(tiling);
    problem.nodes.push_back(node);
  }
  return problem;
}

// Intervals of four steps: the second finds `a` in the pad that its unit does not reach.
TEST(PlanContractCases, AnIntervalCanMoveWhatItFinds) {
  const PlanProblem problem = MovedLate();
  std::vector<size_t> order(problem.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const StopFlag never;
  for (const PlanObjective objective : kObjectives) {
    const std::optional<double> optimum = ContractPlans(problem, objective).Optimum();
    ASSERT_TRUE(optimum);
    EXPECT_LE(exact::BoundByIntervals(problem, order, objective, Deadline(never), 4),
              *optimum + Slack(*optimum));
  }
}

// Of intervals of one, two, … steps, and of those that a passed deadline leaves out.
TEST_P(PlanContract, TheBoundOfIntervalsIsNeverAboveTheOptimum) {
  StopFlag never, passed;
  passed.Request();
  int64_t tight = 0;
  for (int64_t seed = 1; seed <= CaseCount(200, 2000); ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, Describe(problem)));
    const std::optional<double> optimum = ContractPlans(problem, GetParam()).Optimum();
    if (!optimum) continue;
    std::vector<size_t> order(problem.nodes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t steps = 1; steps <= order.size(); ++steps) {
      const double bound =
          exact::BoundByIntervals(problem, order, GetParam(), Deadline(never), steps);
      EXPECT_LE(bound, *optimum + Slack(*optimum)) << steps;
      if (steps < order.size() && bound >= *optimum - Slack(*optimum)) ++tight;
    }
    EXPECT_LE(exact::BoundByIntervals(problem, order, GetParam(), Deadline(passed)),
              *optimum + Slack(*optimum));
  }
  EXPECT_GT(tight, 0);
}

TEST_P(PlanContract, NoStrategyIsBelowTheOptimum) {
  for (int64_t seed = 1; seed <= CaseCount(60, 2000); ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    const std::optional<double> optimum = ContractPlans(problem, GetParam()).Optimum();
    for (const PlanStrategy strategy :
         {PlanStrategy::kNone, PlanStrategy::kNextUse, PlanStrategy::kGreedy, PlanStrategy::kLns,
          PlanStrategy::kEager}) {
      SCOPED_TRACE(fmt::format("seed {} {}\n{}", seed, Name(strategy), Describe(problem)));
      const PlanAnswer answer = Answer(problem, strategy, GetParam());
      if (!answer.plan) continue;
      const auto replayed = Replay(problem, *answer.plan);
      ASSERT_TRUE(replayed) << replayed.error().front().message;
      EXPECT_EQ(*replayed, answer.figures);
      ASSERT_TRUE(optimum);
      EXPECT_GE(ValueOf(answer.figures, GetParam()), *optimum - Slack(*optimum));
    }
  }
}

// The validator accepts what the contract allows, at what it costs by the contract.
TEST_P(PlanContract, WhatIsAllowedReplays) {
  int64_t replays = 0;
  for (int64_t seed = 1; seed <= CaseCount(200, 2000); ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    Random random(static_cast<uint64_t>(seed));
    ContractPlans all(problem, GetParam());
    const std::optional<double> optimum = all.Optimum();
    if (!optimum) continue;
    std::vector<ContractPlans::Found> plans = {all.FindBelow(*optimum + Slack(*optimum))};
    for (int i = 0; i < 20; ++i) plans.push_back(all.Draw(random));
    for (const ContractPlans::Found& found : plans) {
      if (!found.plan) continue;
      SCOPED_TRACE(
          fmt::format("seed {}\n{}{}", seed, Describe(problem), Describe(problem, *found.plan)));
      const auto replayed = Replay(problem, *found.plan);
      ASSERT_TRUE(replayed) << replayed.error().front().where << ": "
                            << replayed.error().front().message;
      EXPECT_NEAR(ValueOf(*replayed, GetParam()), found.value, Slack(found.value));
      ++replays;
    }
  }
  EXPECT_GT(replays, CaseCount(200, 2000) * 10);
}

}  // namespace
}  // namespace inlay
