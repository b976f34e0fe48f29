// Plans, proofs and the validator against every plan that the contract allows
// (docs/reference/scratchpad.md, C1 to C11), on tiny problems.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/stop.h"
#include "inlay/scratchpad/exact/stretches.h"
#include "inlay/scratchpad/planner.h"
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
  const double proven = optimal ? value : answer.certificate.lower_bound;
  EXPECT_LE(proven, value + Slack(value));
  if (proven <= *optimum + Slack(*optimum)) return;
  ExpectNoneBelow(problem, proven - Slack(proven), &all, tally);
}

class PlanContract : public ::testing::TestWithParam<PlanObjective> {};

INSTANTIATE_TEST_SUITE_P(Objectives, PlanContract, ::testing::ValuesIn(kObjectives),
                         [](const auto& one) { return std::string(Name(one.param)); });

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
  EXPECT_GT(tally.infeasible, 0);
  EXPECT_EQ(tally.undecided, 0);
  RecordProperty("proofs", std::to_string(tally.proofs));
  RecordProperty("bounds", std::to_string(tally.bounds));
  RecordProperty("addresses", std::to_string(tally.addresses));
}

// Seed 126, energy: tilings that the best plan does not use hid it, and it was "proven" away.
TEST(PlanContractCases, ATilingMoreIsNoLoss) {
  PlanProblem problem = Drawn(126);
  const double all =
      Answer(problem, PlanStrategy::kExact, PlanObjective::kEnergy).figures.energy_pj;
  problem.nodes[0].tilings = {problem.nodes[0].tilings[1]};
  const double one =
      Answer(problem, PlanStrategy::kExact, PlanObjective::kEnergy).figures.energy_pj;
  EXPECT_LE(all, one + Slack(one));
}

// Of stretches of one, two, … steps, and of those that a passed deadline leaves out.
TEST_P(PlanContract, TheBoundOfStretchesIsNeverAboveTheOptimum) {
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
          exact::BoundByStretches(problem, order, GetParam(), Deadline(never), steps);
      EXPECT_LE(bound, *optimum + Slack(*optimum)) << steps;
      if (steps < order.size() && bound >= *optimum - Slack(*optimum)) ++tight;
    }
    EXPECT_LE(exact::BoundByStretches(problem, order, GetParam(), Deadline(passed)),
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
