#include "inlay/scratchpad/planner.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/core/search_moments.h"
#include "inlay/scratchpad/compulsory_figures.h"
#include "inlay/scratchpad/exact/interval_bounds.h"
#include "inlay/scratchpad/exact/order_search.h"
#include "inlay/scratchpad/incremental_cost.h"
#include "inlay/scratchpad/place_with_evictions.h"
#include "inlay/scratchpad/reorder.h"
#include "inlay/scratchpad/strategies/eager.h"
#include "inlay/scratchpad/strategies/greedy.h"
#include "inlay/scratchpad/strategies/lns.h"
#include "inlay/scratchpad/strategies/next_use.h"
#include "inlay/scratchpad/strategies/none.h"
#include "inlay/scratchpad/validator.h"

namespace inlay {

// What the strategies hand on to each other: the best plan so far, and what is proven of all plans.
struct PlanningState {
  const PlanProblem* problem = nullptr;
  const PlanOptions* options = nullptr;
  const Deadline* deadline = nullptr;
  const PlanProgressSink* progress = nullptr;                      // null: no reports
  PlanProgress known{std::numeric_limits<double>::infinity(), 0};  // what was reported
  SearchMoments moments;
  double bound = 0;
  PlacedPlan best;
  PlanFigures figures;
  int64_t rounds = 0;
  std::optional<exact::OrderSearch> exact;  // of the best plan's order, from lns on

  double Value() const { return ValueOf(figures, options->objective); }
  void Report() { Report(Value(), bound); }
  // Reports a value or bound that a strategy knows, also before `best` and `bound` have it.
  void Report(double value, double proven) {
    if (progress == nullptr) return;
    known.incumbent = std::min(known.incumbent, value);
    known.bound = std::max(known.bound, proven);
    if (*progress) (*progress)(known);
    moments.Add(deadline->SecondsSinceStart(), known.incumbent, known.bound);
  }
  // Keeps the plan if it is better.
  void Offer(PlacedPlan placed) {
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
  IncrementalCost CostsOfBest() const { return {*problem, options->objective, best.choices}; }
  void PlaceAndOffer(IncrementalCost costs) {
    if (std::optional<PlacedPlan> placed = PlaceWithEvictions({}, &costs, deadline)) {
      Offer(std::move(*placed));
    }
  }
};

void RunNextUse(PlanningState* state) {
  IncrementalCost costs = state->CostsOfBest();
  HoldForNextStep(&costs);
  state->PlaceAndOffer(std::move(costs));
}

void RunGreedy(PlanningState* state) {
  if (std::optional<PlacedPlan> placed = PlanGreedily(state->CostsOfBest(), *state->deadline)) {
    state->Offer(std::move(*placed));
  }
}

// The bound with a few parts of the exact model, and the search by fast moves, side by side; then
// more parts.
void RunLns(PlanningState* state) {
  constexpr int kFewParts = 12, kManyParts = 60;  // in a row without a better plan
  PlacedPlan by_parts = state->best, by_moves = state->best;
  int64_t parts = 0, moves = 0;
  std::mutex mutex;
  const auto report = [&](double value, double bound) {
    const std::scoped_lock lock(mutex);
    state->Report(value, bound);
  };
  const double first = state->Value(), compulsory = state->bound;
  double interval_bound = 0;  // the bound of an order that is too long for the exact model
  const PlacedSink report_placed = [&](const PlacedPlan& placed, double) {
    report(ValueOf(FiguresOf(*state->problem, placed.choices), state->options->objective),
           compulsory);
  };
  const auto search_by_parts = [&] {
    state->exact = exact::OrderSearch::Make(*state->problem, state->best.choices.order,
                                            state->options->objective, *state->deadline);
    if (!state->exact) {
      if (state->options->reorder) return;
      interval_bound = exact::BoundByIntervals(*state->problem, state->best.choices.order,
                                               state->options->objective, *state->deadline);
      return report(first, interval_bound);
    }
    state->exact->Prove(first, *state->deadline);
    if (!state->options->reorder) report(first, state->exact->bound());
    parts = state->exact->Improve(state->options->seed, kFewParts, *state->deadline, &by_parts,
                                  report_placed);
  };
  const auto search_by_moves = [&] {
    LnsOptions options;
    options.seed = state->options->seed;
    options.bound = compulsory * (1 + 1e-8);
    IncrementalCost costs = state->CostsOfBest();
    moves = ImproveByWindows(options, *state->deadline, &costs, &by_moves, report_placed);
  };
  ParallelFor(2, state->options->threads, [&](size_t which, size_t) {
    if (which == 0) {
      search_by_parts();
    } else {
      search_by_moves();
    }
  });
  state->TakeBound();
  state->bound = std::max(state->bound, interval_bound);
  state->Offer(std::move(by_parts));
  state->Offer(std::move(by_moves));
  state->rounds += parts + moves;
  if (!state->exact) return;
  PlacedPlan best = state->best;
  state->rounds +=
      state->exact->Improve(state->options->seed, kManyParts, *state->deadline, &best,
                            [&](const PlacedPlan& placed, double) { state->Offer(placed); });
}

// The plan is not one of choices, so that no other strategy starts from it.
void RunEager(PlanningState* state) {
  state->best.plan = PlanEagerly(*state->problem, state->best.choices);
  const tl::expected<PlanFigures, Faults> figures = Replay(*state->problem, state->best.plan);
  INLAY_CHECK(figures.has_value());
  state->figures = *figures;
}

void RunExact(PlanningState* state) {
  if (!state->exact) return;
  PlacedPlan best = state->best;
  const PlacedSink sink = [&](const PlacedPlan& placed, double) { state->Offer(placed); };
  state->rounds += state->exact->Finish(*state->deadline, &best, sink);
  state->TakeBound();
}

namespace {

// Strategy none, if the order has a plan at all; else why it has none.
Faults Begin(const std::vector<size_t>& order, PlanningState* state) {
  tl::expected<Choices, Faults> alone = PlanNone(*state->problem, state->options->objective, order);
  if (!alone) return std::move(alone.error());
  tl::expected<Plan, Misfit> plan = PlanFrom(*state->problem, *alone);
  INLAY_CHECK(plan.has_value());  // nothing stays for more than a step
  state->figures = FiguresOf(*state->problem, *alone);
  state->best = {std::move(*alone), std::move(*plan)};
  state->Report();
  return {};
}

// Those of a kind, up to the row of `last`.
void RunAll(PlanStrategyKind kind, PlanStrategy last, PlanningState* state) {
  for (const PlanStrategyRecord& record : kPlanStrategies) {
    if (record.kind == kind) {
      if (state->deadline->Passed()) return;
      record.run(state);
    }
    if (record.strategy == last) return;
  }
}

// The same in another order, by rules only; taken over if that is better.
void TryOtherOrder(PlanningState* state) {
  const PlanOptions& options = *state->options;
  PlanningState other = *state;
  other.progress = nullptr;
  const std::vector<size_t> order =
      ChooseOrder(*state->problem, options.objective, options.seed, *state->deadline);
  if (order == state->best.choices.order || !Begin(order, &other).empty()) return;
  RunAll(PlanStrategyKind::kRules, options.strategy, &other);
  state->Offer(std::move(other.best));
}

}  // namespace

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

const PlanStrategyRecord& RecordOf(PlanStrategy strategy) {
  return *std::find_if(
      kPlanStrategies.begin(), kPlanStrategies.end(),
      [&](const PlanStrategyRecord& record) { return record.strategy == strategy; });
}

PlanAnswer MakePlan(const PlanProblem& problem, const PlanOptions& options,
                    const Deadline& deadline, const PlanProgressSink& progress) {
  PlanAnswer answer;
  PlanningState state;
  state.problem = &problem;
  state.options = &options;
  state.deadline = &deadline;
  state.progress = &progress;
  state.bound = ValueOf(CompulsoryFigures(problem), options.objective);
  std::vector<size_t> order(problem.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  answer.infeasible = Begin(order, &state);
  if (!answer.infeasible.empty()) return answer;
  answer.baseline = state.figures;
  const PlanStrategyRecord& record = RecordOf(options.strategy);
  if (record.kind == PlanStrategyKind::kIndependent) {
    record.run(&state);
  } else {
    RunAll(PlanStrategyKind::kRules, options.strategy, &state);
    const bool reorders = options.reorder && record.kind != PlanStrategyKind::kBaseline;
    if (reorders && !deadline.Passed()) TryOtherOrder(&state);
    RunAll(PlanStrategyKind::kSearch, options.strategy, &state);
  }
  answer.plan = std::move(state.best.plan);
  answer.figures = state.figures;
  answer.certificate = CertificateOf(ValueOf(answer.figures, options.objective), state.bound);
  answer.interrupted = deadline.Passed();
  answer.effort.nodes = state.rounds;
  answer.effort.seconds = deadline.SecondsSinceStart();
  answer.effort.progress = state.moments.Take();
  return answer;
}

}  // namespace inlay
