#include <gtest/gtest.h>

#include <numeric>

#include "inlay/scratchpad/exact/cuts.h"
#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/exact/root_relaxation.h"
#include "inlay/scratchpad/exact/window_search.h"
#include "inlay/scratchpad/milp/solver.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/all_choices.h"
#include "tests/support/contract_plans.h"
#include "tests/support/plan_text.h"
#include "tests/support/random_plan_problem.h"

namespace inlay {
namespace {

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};

PlanProblem SmallProblem(testing::Random& random, int64_t i) {
  return testing::RandomPlanProblem(random,
                                    {4, static_cast<size_t>(i % 3 + 1), i % 2 == 0, i % 4 == 0});
}

std::vector<size_t> GivenOrder(const PlanProblem& problem) {
  std::vector<size_t> order(problem.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

// Everything that fits, by its figure.
struct Least {
  double figure[3] = {milp::kInfinity, milp::kInfinity, milp::kInfinity};
};

bool FindLeast(const PlanProblem& problem, Least* least) {
  return testing::ForEachChoices(problem, GivenOrder(problem), 3000, [&](const Choices& choices) {
    if (!Fits(problem, choices)) return;
    const PlanFigures figures = FiguresOf(problem, choices);
    for (size_t i = 0; i < 3; ++i) {
      least->figure[i] = std::min(least->figure[i], ValueOf(figures, kObjectives[i]));
    }
  });
}

TEST(PlanExact, ProgramHasTheLeastFigure) {
  testing::Random random(20);
  const StopFlag never;
  const Deadline deadline(never);
  int compared = 0;
  for (int64_t i = 0; compared < testing::CaseCount(200, 3000); ++i) {
    const PlanProblem problem = SmallProblem(random, i);
    Least least;
    if (!FindLeast(problem, &least)) continue;
    ++compared;
    for (size_t o = 0; o < 3; ++o) {
      SCOPED_TRACE(::testing::Message() << "case " << i << ", " << Name(kObjectives[o]));
      const exact::Model model =
          exact::MakeModel(problem, GivenOrder(problem), {kObjectives[o], 0}, deadline).value();
      const milp::MilpAnswer answer = milp::SolveMilp(model.milp, {}, deadline);
      ASSERT_TRUE(answer.finished);
      if (least.figure[o] == milp::kInfinity) {
        EXPECT_TRUE(answer.values.empty());
        continue;
      }
      ASSERT_FALSE(answer.values.empty());
      const double tolerance = 1e-6 * (1 + least.figure[o]);
      EXPECT_NEAR(answer.objective * model.unit, least.figure[o], tolerance);
      const Choices choices = exact::ChoicesOf(model, answer.values);
      EXPECT_TRUE(Fits(problem, choices));
      EXPECT_NEAR(ValueOf(FiguresOf(problem, choices), kObjectives[o]), least.figure[o], tolerance);
    }
  }
}

// Cuts of all kinds that the relaxation gives, round after round.
std::vector<milp::Row> ManyCuts(const exact::Model& model, const Deadline& deadline) {
  milp::Relaxation relaxation(model.milp);
  std::vector<milp::Row> all;
  for (int round = 0; round < 8; ++round) {
    if (relaxation.Solve(deadline) != milp::Relaxation::Status::kOptimal) break;
    std::vector<milp::Row> rows = exact::CoverCuts(model, relaxation.values());
    for (milp::Row& row : exact::TimeCuts(model, relaxation.values())) rows.push_back(row);
    if (rows.empty()) break;
    relaxation.Add(rows);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

TEST(PlanExact, NoCutRemovesChoicesThatFit) {
  testing::Random random(21);
  const StopFlag never;
  const Deadline deadline(never);
  size_t cuts_seen = 0;
  int compared = 0;
  const int64_t cases = testing::CaseCount(300, 4000);
  for (int64_t i = 0; compared < cases; ++i) {
    const PlanProblem problem = SmallProblem(random, i);
    const exact::Model model =
        exact::MakeModel(problem, GivenOrder(problem), {kObjectives[i / 3 % 3], 0}, deadline)
            .value();
    const std::vector<milp::Row> cuts = ManyCuts(model, deadline);
    milp::Milp with_cuts = model.milp;
    with_cuts.rows.insert(with_cuts.rows.end(), cuts.begin(), cuts.end());
    const bool walked =
        testing::ForEachChoices(problem, GivenOrder(problem), 1000, [&](const Choices& choices) {
          if (!Fits(problem, choices)) return;
          const std::vector<double> values =
              exact::Completed(model, exact::ValuesOf(model, choices), deadline);
          ASSERT_FALSE(values.empty()) << "case " << i;
          const double figure = ValueOf(FiguresOf(problem, choices), model.objective);
          EXPECT_LE(milp::ObjectiveOf(model.milp, values) * model.unit, figure * (1 + 1e-7) + 1e-9);
          EXPECT_TRUE(milp::IsFeasible(with_cuts, values, 1e-5)) << "case " << i;
        });
    if (!walked) continue;
    ++compared;
    cuts_seen += cuts.size();
  }
  EXPECT_GT(cuts_seen, static_cast<size_t>(cases / 15));
}

TEST(PlanExact, TheRootIsNeverAboveTheLeastFigure) {
  testing::Random random(22);
  const StopFlag never;
  const Deadline deadline(never);
  int compared = 0, closed = 0;
  for (int64_t i = 0; compared < testing::CaseCount(100, 2000); ++i) {
    const PlanProblem problem = SmallProblem(random, i);
    Least least;
    if (!FindLeast(problem, &least)) continue;
    ++compared;
    for (size_t o = 0; o < 3; ++o) {
      for (const double tolerance : {0.0, 0.1}) {
        const exact::Model model =
            exact::MakeModel(problem, GivenOrder(problem), {kObjectives[o], tolerance}, deadline)
                .value();
        const exact::RootRelaxation root = exact::SolveRoot(model, milp::kInfinity, 0, deadline);
        if (least.figure[o] == milp::kInfinity) continue;
        EXPECT_FALSE(root.infeasible);
        const double bound = exact::FigureBound(model, root.bound);
        EXPECT_LE(bound, least.figure[o] * (1 + 1e-7)) << "case " << i;
        closed += bound > 0.99 * least.figure[o] ? 1 : 0;
      }
    }
  }
  EXPECT_GT(closed, compared * 3);  // half of all; a bound of 0 would be valid too
}

TEST(PlanExact, BranchAndCutFindsTheBestPlanWithAddresses) {
  testing::Random random(23);
  const StopFlag never;
  const Deadline deadline(never);
  const int64_t count = testing::CaseCount(90, 600);
  int64_t proven = 0;
  for (int64_t i = 0; i < count; ++i) {
    const PlanProblem problem = SmallProblem(random, i);
    PlanOptions options;
    options.strategy = PlanStrategy::kExact;
    options.objective = kObjectives[i / 3 % 3];
    SCOPED_TRACE("case " + std::to_string(i) + "\n" + testing::Describe(problem));
    const PlanAnswer answer = MakePlan(problem, options, deadline);
    const auto best = testing::ContractPlans(problem, options.objective).Best();
    ASSERT_TRUE(best.plan.has_value());
    ASSERT_TRUE(best.complete);
    ASSERT_TRUE(answer.plan.has_value());
    const auto replayed = Replay(problem, *answer.plan);
    ASSERT_TRUE(replayed.has_value());
    EXPECT_NEAR(ValueOf(*replayed, options.objective), answer.certificate.objective,
                1e-9 * best.value);
    EXPECT_GE(answer.certificate.objective, best.value * (1 - 1e-9));
    EXPECT_LE(answer.certificate.lower_bound, best.value * (1 + 1e-9));
    if (answer.certificate.status != CertificateStatus::kOptimal) continue;
    ++proven;
    EXPECT_NEAR(answer.certificate.objective, best.value, 1e-8 * best.value);
  }
  EXPECT_GE(proven, count * 19 / 20);
}

}  // namespace
}  // namespace inlay
