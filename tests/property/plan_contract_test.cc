// Plans, proofs and the validator against every plan that the contract allows
// (docs/reference/scratchpad.md, C1 to C11), on tiny problems.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "inlay/base/stop.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/contract_plans.h"
#include "tests/support/tiny_plan_problem.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::ContractPlans;
using testing::TextOf;
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

TEST(PlanContract, ProofsAreTrue) {
  int64_t proofs[3] = {}, blocked[3] = {}, infeasible = 0, undecided = 0, unproven = 0;
  for (int64_t seed = 1; seed <= CaseCount(200, 2000); ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    for (const PlanObjective objective : kObjectives) {
      SCOPED_TRACE(fmt::format("seed {} {}\n{}", seed, Name(objective), TextOf(problem)));
      ContractPlans all(problem, objective);
      const std::optional<double> optimum = all.Optimum();
      const PlanAnswer answer = Answer(problem, PlanStrategy::kExact, objective);
      if (!answer.plan) {
        ++infeasible;
        if (optimum) {
          const ContractPlans::Found found = all.FindBelow(1e300);
          EXPECT_FALSE(found.plan) << TextOf(problem, *found.plan);
        }
        continue;
      }
      ASSERT_TRUE(optimum) << TextOf(problem, *answer.plan);
      const double value = ValueOf(answer.figures, objective);
      SCOPED_TRACE(fmt::format("planned {} optimum {}\n{}", value, *optimum,
                               TextOf(problem, *answer.plan)));
      const auto replayed = Replay(problem, *answer.plan);
      ASSERT_TRUE(replayed) << replayed.error().front().message;
      EXPECT_EQ(*replayed, answer.figures);
      EXPECT_GE(value, *optimum - Slack(*optimum));
      EXPECT_LE(answer.certificate.lower_bound, value + Slack(value));
      const PlanAnswer eager = Answer(problem, PlanStrategy::kEager, objective);
      if (eager.plan) {
        EXPECT_LE(value, ValueOf(eager.figures, objective) + Slack(value));
      }
      const bool optimal = answer.certificate.status == CertificateStatus::kOptimal;
      unproven += optimal ? 0 : 1;
      const double proven = optimal ? value : answer.certificate.lower_bound;
      ++proofs[static_cast<int>(objective)];
      if (proven > *optimum + Slack(*optimum)) {
        const ContractPlans::Found found = all.FindBelow(proven - Slack(proven));
        if (found.plan) {
          ADD_FAILURE() << "a cheaper plan:\n" << TextOf(problem, *found.plan);
        } else {
          ++(found.complete ? blocked[static_cast<int>(objective)] : undecided);
        }
      }
    }
  }
  EXPECT_EQ(undecided, 0);
  for (const PlanObjective objective : kObjectives) {
    const int i = static_cast<int>(objective);
    std::cout << Name(objective) << " proofs " << proofs[i] << " addresses " << blocked[i] << "\n";
  }
  std::cout << "infeasible " << infeasible << " undecided " << undecided << " unproven " << unproven << "\n";
}

// What none of the strategies may come below.
TEST(PlanContract, NoStrategyIsBelowTheOptimum) {
  for (int64_t seed = 1; seed <= CaseCount(200, 2000); ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    for (const PlanObjective objective : kObjectives) {
      const std::optional<double> optimum = ContractPlans(problem, objective).Optimum();
      for (const PlanStrategy strategy :
           {PlanStrategy::kNone, PlanStrategy::kNextUse, PlanStrategy::kGreedy, PlanStrategy::kLns,
            PlanStrategy::kEager}) {
        SCOPED_TRACE(fmt::format("seed {} {} {}\n{}", seed, Name(objective), Name(strategy),
                                 TextOf(problem)));
        const PlanAnswer answer = Answer(problem, strategy, objective);
        if (!answer.plan) continue;
        const auto replayed = Replay(problem, *answer.plan);
        ASSERT_TRUE(replayed) << replayed.error().front().message;
        EXPECT_EQ(*replayed, answer.figures);
        ASSERT_TRUE(optimum);
        EXPECT_GE(ValueOf(answer.figures, objective), *optimum - Slack(*optimum));
      }
    }
  }
}

// The validator accepts what the contract allows, at what it costs by the contract.
TEST(PlanContract, WhatIsAllowedReplays) {
  int64_t replays = 0;
  for (int64_t seed = 1; seed <= CaseCount(200, 2000); ++seed) {
    const PlanProblem problem = Drawn(static_cast<uint64_t>(seed));
    Random random(static_cast<uint64_t>(seed));
    for (const PlanObjective objective : kObjectives) {
      ContractPlans all(problem, objective);
      const std::optional<double> optimum = all.Optimum();
      if (!optimum) continue;
      std::vector<ContractPlans::Found> plans = {all.FindBelow(*optimum + Slack(*optimum))};
      for (int i = 0; i < 20; ++i) plans.push_back(all.Draw(random));
      for (const ContractPlans::Found& found : plans) {
        if (!found.plan) continue;
        SCOPED_TRACE(fmt::format("seed {} {}\n{}{}", seed, Name(objective), TextOf(problem),
                                 TextOf(problem, *found.plan)));
        const auto replayed = Replay(problem, *found.plan);
        ASSERT_TRUE(replayed) << replayed.error().front().where << ": "
                              << replayed.error().front().message;
        EXPECT_NEAR(ValueOf(*replayed, objective), found.value, Slack(found.value));
        ++replays;
      }
    }
  }
  EXPECT_GT(replays, CaseCount(200, 2000) * 30);
}

}  // namespace
}  // namespace inlay
