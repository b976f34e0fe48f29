// Plans: the planners, the validator and all plans that the contract allows must agree.
#include <gtest/gtest.h>

#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/contract_plans.h"
#include "tests/support/plan_text.h"
#include "tests/support/random_plan_problem.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Chance;
using testing::ContractPlans;
using testing::Pick;
using testing::Random;
using testing::RandomPlanProblem;

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};

std::string Text(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) text += fault.where + ": " + fault.message + "\n";
  return text;
}

PlanProblem SmallProblem(int64_t seed) {
  Random random(static_cast<uint64_t>(seed));
  const auto pads = static_cast<size_t>(seed % 3 + 1);
  return RandomPlanProblem(random, {pads == 3 ? 4 : 5, pads, seed % 2 == 0, seed % 4 == 0});
}

TEST(SmallPlans, TheValidatorComputesWhatTheOracleDoes) {
  const int64_t count = CaseCount(150, 600);
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = SmallProblem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    const ContractPlans::Found best = ContractPlans(problem, objective).Best();
    ASSERT_TRUE(best.plan.has_value());
    ASSERT_TRUE(best.complete);
    const auto figures = Replay(problem, *best.plan);
    ASSERT_TRUE(figures.has_value()) << Text(figures.error());
    EXPECT_NEAR(ValueOf(*figures, objective), best.value, 1e-9 * best.value);
  }
}

// Whatever the strategy: the validator finds the figures that the planner reports, no bound is
// above the best plan, no plan is better than it, and what is called optimal is.
TEST(SmallPlans, NoStrategyBeatsTheOracleAndNoBoundIsAboveIt) {
  const int64_t count = CaseCount(90, 600);
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = SmallProblem(5000 + seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    const ContractPlans::Found best = ContractPlans(problem, objective).Best();
    ASSERT_TRUE(best.plan.has_value());
    ASSERT_TRUE(best.complete);
    for (const PlanStrategy strategy : {PlanStrategy::kGreedy, PlanStrategy::kExact}) {
      const StopFlag stop;
      const PlanAnswer answer =
          MakePlan(problem, {strategy, objective, false, 1, 1}, Deadline(stop));
      ASSERT_TRUE(answer.plan.has_value());
      const auto figures = Replay(problem, *answer.plan);
      ASSERT_TRUE(figures.has_value()) << Text(figures.error());
      const double value = ValueOf(*figures, objective), slack = 1e-9 * best.value;
      EXPECT_NEAR(ValueOf(answer.figures, objective), value, slack);
      EXPECT_GE(value, best.value - slack) << Name(strategy);
      EXPECT_LE(answer.certificate.lower_bound, best.value + slack) << Name(strategy);
      if (answer.certificate.status == CertificateStatus::kOptimal) {
        EXPECT_NEAR(value, best.value, slack) << Name(strategy);
      }
    }
  }
}

// One thing about the plan is changed.
Plan Mutant(Random& random, const Plan& plan) {
  Plan mutant = plan;
  const auto pick = [&](size_t size) {
    return static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(size) - 1));
  };
  const int64_t by = Chance(random, 0.5) ? 1 : -1;
  if (!plan.residencies.empty() && Chance(random, 0.5)) {
    const size_t i = pick(plan.residencies.size());
    switch (Pick(random, 0, 4)) {
      case 0:
        mutant.residencies.erase(mutant.residencies.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 1:
        mutant.residencies[i].address += by;
        break;
      case 2:
        mutant.residencies[i].from += by;
        break;
      case 3:
        mutant.residencies[i].to += by;
        break;
      default:
        mutant.residencies[i].bytes += by;
    }
  } else if (!plan.transfers.empty() && Chance(random, 0.8)) {
    const size_t i = pick(plan.transfers.size());
    switch (Pick(random, 0, 2)) {
      case 0:
        mutant.transfers.erase(mutant.transfers.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 1:
        mutant.transfers[i].bytes += by;
        break;
      default:
        mutant.transfers[i].to = PadId(0);
    }
  } else {
    std::swap(mutant.steps[pick(plan.steps.size())], mutant.steps[pick(plan.steps.size())]);
  }
  return mutant;
}

// What the validator lets through is a plan, so it costs no less than the best one.
TEST(SmallPlans, ABrokenPlanIsRefusedOrNoBetter) {
  const int64_t count = CaseCount(60, 300);
  int64_t refused = 0, tried = 0;
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = SmallProblem(1000 + seed);
    const PlanObjective objective = kObjectives[seed % 3];
    const ContractPlans::Found best = ContractPlans(problem, objective).Best();
    ASSERT_TRUE(best.plan.has_value());
    ASSERT_TRUE(best.complete);
    Random random(static_cast<uint64_t>(seed));
    for (int i = 0; i < 40; ++i) {
      const Plan mutant = Mutant(random, *best.plan);
      if (mutant == *best.plan) continue;
      ++tried;
      const auto figures = Replay(problem, mutant);
      refused += figures ? 0 : 1;
      if (!figures || mutant.steps != best.plan->steps) continue;
      EXPECT_GE(ValueOf(*figures, objective), best.value * (1 - 1e-9))
          << "seed " << seed << "\n"
          << testing::Describe(problem);
    }
  }
  EXPECT_GT(refused, tried / 2);
}

}  // namespace
}  // namespace inlay
