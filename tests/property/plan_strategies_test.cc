// The strategies of the planner on random problems: every plan is one that the validator accepts
// and that costs what they say; none is better than the best there is; each is no worse than the
// one before.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "inlay/scratchpad/compulsory_figures.h"
#include "inlay/scratchpad/planner.h"
#include "inlay/scratchpad/reassign_all.h"
#include "inlay/scratchpad/tensor_reassigner.h"
#include "inlay/scratchpad/validator.h"
#include "tests/support/all_choices.h"
#include "tests/support/all_orders.h"
#include "tests/support/contract_plans.h"
#include "tests/support/plan_text.h"
#include "tests/support/random_plan_problem.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::Random;
using testing::RandomPlanProblem;

constexpr PlanObjective kObjectives[] = {PlanObjective::kLatency, PlanObjective::kBytes,
                                         PlanObjective::kEnergy};
constexpr PlanStrategy kStrategies[] = {PlanStrategy::kEager, PlanStrategy::kNone,
                                        PlanStrategy::kNextUse, PlanStrategy::kGreedy,
                                        PlanStrategy::kLns};
constexpr double kRounding = 1e-9;

PlanProblem ProblemOf(int64_t seed, int64_t most_nodes) {
  Random random(static_cast<uint64_t>(seed));
  return RandomPlanProblem(random, {most_nodes, static_cast<size_t>(seed % 3 + 1), seed % 2 == 0});
}

PlanAnswer Planned(const PlanProblem& problem, PlanStrategy strategy, PlanObjective objective) {
  PlanOptions options;
  options.strategy = strategy;
  options.objective = objective;
  const StopFlag stop;
  return MakePlan(problem, options, Deadline(stop));
}

// Replays a plan; it must cost what the answer says.
void ExpectSound(const PlanProblem& problem, const PlanAnswer& answer, PlanObjective objective) {
  ASSERT_TRUE(answer.plan.has_value());
  const auto figures = Replay(problem, *answer.plan);
  ASSERT_TRUE(figures.has_value())
      << figures.error()[0].where << ": " << figures.error()[0].message;
  EXPECT_NEAR(figures->latency_seconds, answer.figures.latency_seconds,
              kRounding * figures->latency_seconds);
  EXPECT_EQ(figures->offchip_bytes, answer.figures.offchip_bytes);
  EXPECT_NEAR(figures->energy_pj, answer.figures.energy_pj, kRounding * figures->energy_pj);
  const double value = ValueOf(answer.figures, objective);
  EXPECT_LE(answer.certificate.lower_bound, value);
  EXPECT_LE(ValueOf(CompulsoryFigures(problem), objective), value * (1 + kRounding));
}

// Ctrl-C while addresses are given is the hard case: what time allows to try is then little.
TEST(PlanStrategies, WhenStoppedTheyGiveASoundPlan) {
  const int64_t count = CaseCount(80, 400);
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 40);
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    for (const PlanStrategy strategy :
         {PlanStrategy::kNextUse, PlanStrategy::kGreedy, PlanStrategy::kLns}) {
      for (const int reports : {0, 1, 3}) {
        SCOPED_TRACE(std::string(Name(strategy)) + ", seed " + std::to_string(seed) +
                     ", stopped after reports: " + std::to_string(reports));
        StopFlag stop;
        if (reports == 0) stop.Request();
        int seen = 0;
        PlanOptions options;
        options.strategy = strategy;
        options.objective = objective;
        const PlanAnswer answer =
            MakePlan(problem, options, Deadline(stop), [&](const PlanProgress&) {
              if (++seen == reports) stop.Request();
            });
        ExpectSound(problem, answer, objective);
      }
    }
  }
}

TEST(PlanStrategies, AreSoundAndEachIsNoWorseThanTheOneBefore) {
  const int64_t count = CaseCount(60, 600);
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 12);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    double before = std::numeric_limits<double>::infinity();
    for (const PlanStrategy strategy : kStrategies) {
      SCOPED_TRACE(Name(strategy));
      const PlanAnswer answer = Planned(problem, strategy, objective);
      ExpectSound(problem, answer, objective);
      if (strategy == PlanStrategy::kEager) continue;
      EXPECT_LE(ValueOf(answer.figures, objective), before);
      before = ValueOf(answer.figures, objective);
      EXPECT_LE(before, ValueOf(answer.baseline, objective));
    }
  }
}

// Of all plans that the contract allows in the given order, addresses included.
double BestValue(const PlanProblem& problem, PlanObjective objective) {
  const testing::ContractPlans::Found best = testing::ContractPlans(problem, objective).Best();
  EXPECT_TRUE(best.plan.has_value());
  EXPECT_TRUE(best.complete);
  return best.value;
}

// Not a law, but what the search is worth: of small problems most are solved.
TEST(PlanStrategies, FindTheBestPlanOfMostSmallProblems) {
  const int64_t count = CaseCount(100, 600);
  int64_t best_found = 0;
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 4);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    const double best = BestValue(problem, objective);
    const PlanAnswer answer = Planned(problem, PlanStrategy::kLns, objective);
    ExpectSound(problem, answer, objective);
    const double value = ValueOf(answer.figures, objective);
    EXPECT_GE(value, best * (1 - kRounding));
    EXPECT_LE(answer.certificate.lower_bound, best * (1 + kRounding));
    if (value <= best * (1 + kRounding)) ++best_found;
  }
  EXPECT_GE(best_found, count * 9 / 10);
}

TEST(PlanStrategies, SameSeedSamePlan) {
  for (int64_t seed = 0; seed < 5; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 10);
    EXPECT_EQ(*Planned(problem, PlanStrategy::kLns, PlanObjective::kLatency).plan,
              *Planned(problem, PlanStrategy::kLns, PlanObjective::kLatency).plan);
  }
}

TEST(PlanStrategies, OtherOrdersAreNoWorseAndNoBetterThanTheBestOfAll) {
  const int64_t count = CaseCount(30, 200);
  int64_t better = 0;
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 4);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    double best = std::numeric_limits<double>::infinity();
    for (const std::vector<size_t>& order : testing::AllOrders(problem)) {
      best = std::min(best, BestValue(testing::InOrder(problem, order), objective));
    }
    PlanOptions options;
    options.strategy = PlanStrategy::kGreedy;
    options.objective = objective;
    options.reorder = true;
    const StopFlag stop;
    const PlanAnswer answer = MakePlan(problem, options, Deadline(stop));
    ExpectSound(problem, answer, objective);
    const double value = ValueOf(answer.figures, objective);
    const double given =
        ValueOf(Planned(problem, PlanStrategy::kGreedy, objective).figures, objective);
    EXPECT_LE(value, given);
    EXPECT_GE(value, best * (1 - kRounding));
    EXPECT_LE(answer.certificate.lower_bound, best * (1 + kRounding));
    if (value < given * (1 - kRounding)) ++better;
  }
  EXPECT_GT(better, 0);
}

TEST(PlanStrategies, StopAtTheDeadlineWithAPlan) {
  const PlanProblem problem = ProblemOf(1, 12);
  StopFlag stop;
  stop.Request();
  const PlanAnswer answer = MakePlan(problem, {}, Deadline(stop));
  EXPECT_TRUE(answer.interrupted);
  ExpectSound(problem, answer, PlanObjective::kLatency);
  EXPECT_EQ(answer.figures, answer.baseline);
}

// Of every choice there is for a tensor while the others stay as they are.
double LeastCost(const PlanProblem& problem, Choices choices, PlanObjective objective,
                 ValueId tensor) {
  double least = IncrementalCost::kInfinite;
  for (TensorChoice& choice : testing::ChoicesForTensor(problem, choices.order, tensor)) {
    choices.tensors[tensor] = std::move(choice);
    least = std::min(least, IncrementalCost(problem, objective, choices).Cost());
  }
  return least;
}

TEST(TensorReassigner, FindsTheBestOfAllChoicesForATensor) {
  const int64_t count = CaseCount(60, 600);
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 5);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    IncrementalCost costs(problem, objective, NothingKept(problem, objective));
    TensorReassigner reassigner(&costs);
    for (const ValueId tensor : Ids(problem.tensors)) {
      if (!costs.IsUsed(tensor)) continue;
      const double best = LeastCost(problem, costs.Snapshot(), objective, tensor);
      const std::optional<TensorChoice> found = reassigner.Best(tensor);
      ASSERT_TRUE(found.has_value());
      costs.Set(tensor, *found);
      EXPECT_NEAR(costs.Cost(), best, kRounding * best) << problem.tensors[tensor].name;
      const Choices now = costs.Snapshot();
      EXPECT_TRUE(Fits(problem, now));
      EXPECT_NEAR(ValueOf(FiguresOf(problem, now), objective), costs.Cost(), 1e-6 * best);
    }
  }
}

// Some choice for a tensor, whether it fits or not; copies in steps of their own are likely.
TensorChoice AnyChoice(const PlanProblem& problem, const IncrementalCost& costs, ValueId tensor,
                       Random& random) {
  const TensorLife& life = costs.LifeOf(tensor);
  const auto any_pad = [&](const TensorUse& use) -> std::optional<PadId> {
    const PadId pad(static_cast<size_t>(
        testing::Pick(random, 0, static_cast<int64_t>(problem.machine.pads.size()) - 1)));
    if (!Reaches(problem.machine, costs.NodeAt(use.step).unit, pad)) return std::nullopt;
    return pad;
  };
  TensorChoice choice;
  int64_t at = -1;  // the pad it lies in; −1: none
  int64_t last = -1;
  if (life.written) {
    choice.written_into = any_pad(*life.written);
    if (choice.written_into) at = static_cast<int64_t>(choice.written_into->value());
    choice.written_back_at = life.written->step;
    last = life.written->step;
  }
  for (const TensorUse& use : life.reads) {
    ReadChoice read;
    const bool between = use.step > last + 1;
    if (const std::optional<PadId> pad = any_pad(use)) {
      const auto number = static_cast<int64_t>(pad->value());
      const bool here = at == number;
      read.pad = *pad;
      if (here && testing::Chance(random, 0.3)) {
        read.way = ReadChoice::Way::kKept;
      } else if (!between) {
        read.way = ReadChoice::Way::kFetched;
      } else {
        read.way = at >= 0 && !here ? ReadChoice::Way::kMoved : ReadChoice::Way::kPrefetched;
      }
      if (between) read.step = testing::Pick(random, last + 1, use.step - 1);
      if (read.way == ReadChoice::Way::kKept || read.way == ReadChoice::Way::kFetched) {
        read.step = 0;
      }
      at = number;
    } else {
      at = -1;
    }
    choice.reads.push_back(read);
    last = use.step;
  }
  // Off chip any time before it is read from there, as long as it lies in a pad until then.
  if (choice.written_into) {
    int64_t end = costs.steps();
    for (size_t i = life.reads.size(); i-- > 0;) {
      const ReadChoice& read = choice.reads[i];
      if (read.way == ReadChoice::Way::kKept || read.way == ReadChoice::Way::kMoved) continue;
      end = read.way == ReadChoice::Way::kPrefetched ? read.step : life.reads[i].step;
    }
    choice.written_back_at = testing::Pick(random, life.written->step, end - 1);
  }
  return choice;
}

// What is added and taken back piece by piece is what there is.
TEST(IncrementalCost, StaysEqualToOneThatIsMadeAnew) {
  const int64_t count = CaseCount(100, 600);
  for (int64_t seed = 0; seed < count; ++seed) {
    const PlanProblem problem = ProblemOf(seed, 12);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::Describe(problem));
    Random random(static_cast<uint64_t>(seed));
    const PlanObjective objective = kObjectives[seed / 3 % 3];
    IncrementalCost costs(problem, objective, NothingKept(problem, objective));
    const std::vector<ValueId> tensors = TensorsToAssign(costs);
    for (int round = 0; round < 20; ++round) {
      for (const ValueId tensor : tensors) {
        costs.Set(tensor, AnyChoice(problem, costs, tensor, random));
      }
      const IncrementalCost anew(problem, objective, costs.Snapshot());
      for (int64_t t = 0; t < costs.steps(); ++t) {
        if (costs.CostAt(t) == IncrementalCost::kInfinite) {
          EXPECT_EQ(anew.CostAt(t), IncrementalCost::kInfinite);
        } else {
          EXPECT_NEAR(costs.CostAt(t), anew.CostAt(t), kRounding * (1 + costs.CostAt(t)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace inlay
