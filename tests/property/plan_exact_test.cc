#include <gtest/gtest.h>

#include <numeric>

#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/milp/solver.h"
#include "tests/support/all_choices.h"
#include "tests/support/random_plan_problem.h"

namespace inlay {
namespace {

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};

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
    const PlanProblem problem =
        testing::RandomPlanProblem(random, {4, static_cast<size_t>(i % 3 + 1), i % 2 == 0});
    Least least;
    if (!FindLeast(problem, &least)) continue;
    ++compared;
    for (size_t o = 0; o < 3; ++o) {
      SCOPED_TRACE(::testing::Message() << "case " << i << ", " << Name(kObjectives[o]));
      const exact::Model model =
          exact::MakeModel(problem, GivenOrder(problem), {kObjectives[o], 0});
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

}  // namespace
}  // namespace inlay
