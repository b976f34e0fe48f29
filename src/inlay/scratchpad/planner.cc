#include "inlay/scratchpad/planner.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/core/search_moments.h"
#include "inlay/scratchpad/book.h"
#include "inlay/scratchpad/compulsory.h"
#include "inlay/scratchpad/eager.h"
#include "inlay/scratchpad/exact/search.h"
#include "inlay/scratchpad/exact/stretches.h"
#include "inlay/scratchpad/greedy.h"
#include "inlay/scratchpad/lns.h"
#include "inlay/scratchpad/next_use.h"
#include "inlay/scratchpad/none.h"
#include "inlay/scratchpad/place.h"
#include "inlay/scratchpad/reorder.h"
#include "inlay/scratchpad/validator.h"

namespace inlay {
namespace {

// What the strategies hand on to each other: the best plan so far, and what is proven of all plans.
struct Race {
  const PlanProblem* problem = nullptr;
  const PlanOptions* options = nullptr;
  const Deadline* deadline = nullptr;
  const PlanProgressSink* progress = nullptr;                      // null: no reports
  PlanProgress known{std::numeric_limits<double>::infinity(), 0};  // what was reported
  SearchMoments told;
  double bound = 0;
  Placed best;
  PlanFigures figures;
  int64_t rounds = 0;
  std::optional<exact::OrderSearch> exact;  // of the best plan's order, from lns on

  double Value() const { return ValueOf(figures, options->objective); }
  void Report() { Tell(Value(), bound); }
  // Reports a value or bound that a strategy knows, also before `best` and `bound` have it.
  void Tell(double value, double proven) {
    if (progress == nullptr) return;
    known.incumbent = std::min(known.incumbent, value);
    known.bound = std::max(known.bound, proven);
    if (*progress) (*progress)(known);
    told.Add(deadline->SecondsSinceStart(), known.incumbent, known.bound);
  }
  // Keeps the plan if it is better.
  void Offer(Placed placed) {
    const PlanFigures offered = FiguresOf(*problem, placed.choices);
    if (ValueOf(offered, options->objective) >= Value()) return;
    best = std::move(placed);
    figures = offered;
    Report();
  }
  // What is proven of one order says nothing of others.
  void TakeBound() {
    if (options->reorder || !exact || exact->bound() <= bound) return;
    bound = exact->bound();
    Report();
  }
  Book Open() const { return {*problem, options->objective, best.choices}; }
  void OfferBook(Book book) {
    if (std::optional<Placed> placed = Place({}, &book, deadline)) {
      Offer(std::move(*placed));
    }
  }
};

void RunNextUse(Race* race) {
  Book book = race->Open();
  HoldForNextStep(&book);
  race->OfferBook(std::move(book));
}

void RunGreedy(Race* race) {
  if (std::optional<Placed> placed = PlanGreedily(race->Open(), *race->deadline)) {
    race->Offer(std::move(*placed));
  }
}

// The bound with a few parts of the exact model, and the search by fast moves, side by side; then
// more parts.
void RunLns(Race* race) {
  constexpr int kFewParts = 12, kManyParts = 60;  // in a row without a better plan
  Placed by_parts = race->best, by_moves = race->best;
  int64_t parts = 0, moves = 0;
  std::mutex mutex;
  const auto tell = [&](double value, double bound) {
    const std::scoped_lock lock(mutex);
    race->Tell(value, bound);
  };
  const double first = race->Value(), compulsory = race->bound;
  double stretches = 0;  // the bound of an order that is too long for the exact model
  const PlacedSink tell_placed = [&](const Placed& placed, double) {
    tell(ValueOf(FiguresOf(*race->problem, placed.choices), race->options->objective), compulsory);
  };
  const auto use_parts = [&] {
    race->exact = exact::OrderSearch::Make(*race->problem, race->best.choices.order,
                                           race->options->objective, *race->deadline);
    if (!race->exact) {
      if (race->options->reorder) return;
      stretches = exact::BoundByStretches(*race->problem, race->best.choices.order,
                                          race->options->objective, *race->deadline);
      return tell(first, stretches);
    }
    race->exact->Prove(first, *race->deadline);
    if (!race->options->reorder) tell(first, race->exact->bound());
    parts = race->exact->Improve(race->options->seed, kFewParts, *race->deadline, &by_parts,
                                 tell_placed);
  };
  const auto use_moves = [&] {
    LnsOptions options;
    options.seed = race->options->seed;
    options.bound = compulsory * (1 + 1e-8);
    Book book = race->Open();
    moves = ImproveByWindows(options, *race->deadline, &book, &by_moves, tell_placed);
  };
  ParallelFor(2, race->options->threads, [&](size_t which, size_t) {
    if (which == 0) {
      use_parts();
    } else {
      use_moves();
    }
  });
  race->TakeBound();
  race->bound = std::max(race->bound, stretches);
  race->Offer(std::move(by_parts));
  race->Offer(std::move(by_moves));
  race->rounds += parts + moves;
  if (!race->exact) return;
  Placed best = race->best;
  race->rounds += race->exact->Improve(race->options->seed, kManyParts, *race->deadline, &best,
                                       [&](const Placed& placed, double) { race->Offer(placed); });
}

void RunExact(Race* race) {
  if (!race->exact) return;
  Placed best = race->best;
  const PlacedSink sink = [&](const Placed& placed, double) { race->Offer(placed); };
  race->rounds += race->exact->Finish(*race->deadline, &best, sink);
  race->TakeBound();
}

// Strategy none, if the order has a plan at all; else why it has none.
Faults Begin(const std::vector<size_t>& order, Race* race) {
  tl::expected<Choices, Faults> alone = PlanNone(*race->problem, race->options->objective, order);
  if (!alone) return std::move(alone.error());
  tl::expected<Plan, Misfit> plan = PlanFrom(*race->problem, *alone);
  INLAY_CHECK(plan.has_value());  // nothing stays for more than a step
  race->figures = FiguresOf(*race->problem, *alone);
  race->best = {std::move(*alone), std::move(*plan)};
  race->Report();
  return {};
}

// The strategies that start from the plan of the one before, in this order. `eager` does not.
struct Stage {
  PlanStrategy strategy;
  void (*run)(Race* race);
};
constexpr Stage kStages[] = {
    {PlanStrategy::kNextUse, RunNextUse},
    {PlanStrategy::kGreedy, RunGreedy},
    {PlanStrategy::kLns, RunLns},
    {PlanStrategy::kExact, RunExact},
};

void RunStages(PlanStrategy first, PlanStrategy last, Race* race) {
  for (const Stage& stage : kStages) {
    if (stage.strategy < first || stage.strategy > last) continue;
    if (race->deadline->Passed()) return;
    stage.run(race);
  }
}

// The same in another order, as far as greedy; taken over if that is better.
void TryOtherOrder(Race* race) {
  const PlanOptions& options = *race->options;
  Race other = *race;
  other.progress = nullptr;
  const std::vector<size_t> order =
      ChooseOrder(*race->problem, options.objective, options.seed, *race->deadline);
  if (order == race->best.choices.order || !Begin(order, &other).empty()) return;
  RunStages(PlanStrategy::kNextUse, std::min(options.strategy, PlanStrategy::kGreedy), &other);
  race->Offer(std::move(other.best));
}

Certificate CertificateOf(double value, double bound) {
  Certificate certificate;
  certificate.objective = value;
  certificate.lower_bound = std::min(bound, value);
  // Bound and value are sums in different orders and may differ by rounding.
  if (value <= bound * (1 + 1e-9)) {
    certificate.status = CertificateStatus::kOptimal;
    certificate.lower_bound = value;
  } else {
    certificate.status = CertificateStatus::kBounded;
    certificate.gap = (value - certificate.lower_bound) / value;
  }
  return certificate;
}

}  // namespace

PlanAnswer MakePlan(const PlanProblem& problem, const PlanOptions& options,
                    const Deadline& deadline, const PlanProgressSink& progress) {
  PlanAnswer answer;
  Race race;
  race.problem = &problem;
  race.options = &options;
  race.deadline = &deadline;
  race.progress = &progress;
  race.bound = ValueOf(CompulsoryFigures(problem), options.objective);
  std::vector<size_t> order(problem.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  answer.infeasible = Begin(order, &race);
  if (!answer.infeasible.empty()) return answer;
  answer.baseline = race.figures;
  if (options.strategy == PlanStrategy::kEager) {
    answer.plan = PlanEagerly(problem, race.best.choices);
    const tl::expected<PlanFigures, Faults> figures = Replay(problem, *answer.plan);
    INLAY_CHECK(figures.has_value());
    answer.figures = *figures;
  } else {
    RunStages(PlanStrategy::kNextUse, std::min(options.strategy, PlanStrategy::kGreedy), &race);
    if (options.reorder && options.strategy > PlanStrategy::kNone && !deadline.Passed())
      TryOtherOrder(&race);
    RunStages(PlanStrategy::kLns, options.strategy, &race);
    answer.plan = std::move(race.best.plan);
    answer.figures = race.figures;
  }
  answer.certificate = CertificateOf(ValueOf(answer.figures, options.objective), race.bound);
  answer.interrupted = deadline.Passed();
  answer.effort.nodes = race.rounds;
  answer.effort.seconds = deadline.SecondsSinceStart();
  answer.effort.progress = race.told.Take();
  return answer;
}

}  // namespace inlay
