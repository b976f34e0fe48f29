#include "inlay/mapper/mapper.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/core/result.h"
#include "inlay/core/search_moments.h"
#include "inlay/cost/evaluate.h"
#include "inlay/mapper/any_mapping.h"
#include "inlay/mapper/dnnopt.h"
#include "inlay/mapper/exact.h"
#include "inlay/mapper/exact/first_mapping.h"
#include "inlay/mapper/gp.h"
#include "inlay/mapper/random.h"
#include "inlay/mapper/strategy.h"
#include "inlay/mapper/thistle_exact.h"
#include "inlay/mapspace/explain_infeasible.h"

namespace inlay {
namespace {

// Passes the progress of a search on to the sink, one caller at a time, and records it.
class ProgressRecord {
 public:
  ProgressRecord(const MapProgressSink& sink, const Deadline& clock) : sink_(sink), clock_(clock) {}

  void Add(const MapProgress& state) {
    const std::scoped_lock lock(mutex_);
    if (sink_) sink_(state);
    moments_.Add(clock_.SecondsSinceStart(), state.incumbent, state.bound);
  }

  std::vector<SearchMoment> Take() { return moments_.Take(); }

 private:
  const MapProgressSink& sink_;
  const Deadline& clock_;
  std::mutex mutex_;
  SearchMoments moments_;
};

// What follows from the status, the bound and the best mapping.
void Complete(const Objective& objective, const Cost& best, Certificate* certificate) {
  certificate->objective = ValueOf(best, objective.front());
  if (certificate->status == CertificateStatus::kOptimal) {
    certificate->lower_bound = certificate->objective;
  }
  if (certificate->status == CertificateStatus::kHeuristic) certificate->lower_bound = 0;
  const double distance = certificate->objective - certificate->lower_bound;
  certificate->gap = distance > 0 ? distance / certificate->objective : 0;
  certificate->proven.clear();
  if (certificate->status == CertificateStatus::kOptimal) {
    certificate->proven = objective;
  } else if (certificate->status == CertificateStatus::kBounded && certificate->gap == 0) {
    certificate->proven = {objective.front()};  // what is open is a later metric, or the order
  }
}

// What a space has of mappings whose tensors enter a level together.
Space EvenPartOf(const Space& space) {
  Space even = space;
  if (space.mapspace == Mapspace::kUneven) even.mapspace = Mapspace::kAny;
  return even;
}

// Faults where the semantics or the strategy do not support the keys of time.
Faults TimeFaults(const Space& space, const MapOptions& options) {
  if (!HasTimeKeys(space.architecture)) return {};
  if (options.semantics != Semantics::kExact) {
    return {TimeKeysFault("'" + std::string(Name(options.semantics)) + "' semantics")};
  }
  if (RecordOf(options.strategy).has_own_machine) {
    return {TimeKeysFault("strategy '" + std::string(Name(options.strategy)) + "'")};
  }
  if (space.mapspace == Mapspace::kUneven) return {TimeKeysFault("the cost of uneven mappings")};
  return {};
}

// Why no mapping of the space fits, as far as memories are counted exactly.
Faults ReasonsForNone(const Space& space, const MapOptions& options, const Deadline& deadline) {
  const bool applies =
      options.semantics == Semantics::kExact && !RecordOf(options.strategy).has_own_machine;
  return applies ? ExplainInfeasible(EvenPartOf(space), &deadline) : Faults();
}

}  // namespace

const std::vector<StrategyRecord>& Strategies() {
  static const std::vector<StrategyRecord> strategies = {
      {.strategy = Strategy::kExact,
       .sentence = "Every mapping is looked at or ruled out by a lower bound: the best, proven",
       .exact = SearchExact,
       .thistle = SearchThistle,
       .finds_fronts = true,
       .finds_uneven = true,
       .finds_least_totals = true},
      {.strategy = Strategy::kRandom,
       .sentence = "The best of mappings drawn at random, until Timeloop's rules end it",
       .exact = SearchRandom,
       .thistle = SearchRandom,
       .draws_at_random = true},
      {.strategy = Strategy::kDnnopt,
       .sentence = "DNNOPT's strided search for the blocks with the fewest off-chip words",
       .exact = SearchDnnopt,
       .has_own_machine = true,
       .only_metric = Metric::kOffchip},
      {.strategy = Strategy::kGp,
       .sentence = "Geometric programs for real tile sizes, then rounded, as Thistle does",
       .exact = SearchGp,
       .thistle = SearchGp},
  };
  return strategies;
}

const StrategyRecord& RecordOf(Strategy strategy) {
  const auto& all = Strategies();
  const auto found = std::find_if(all.begin(), all.end(), [&](const StrategyRecord& record) {
    return record.strategy == strategy;
  });
  INLAY_CHECK(found != all.end());
  return *found;
}

Faults CheckOptions(const MapOptions& options) {
  const std::string strategy = Name(options.strategy);
  const StrategyRecord& record = RecordOf(options.strategy);
  if (record.SearchUnder(options.semantics) == nullptr) {
    return {{"semantics",
             "strategy '" + strategy + "' does not search under '" + Name(options.semantics) +
                 "' semantics",
             ""}};
  }
  if (options.front && !(record.finds_fronts && options.semantics == Semantics::kExact)) {
    return {{"front", "strategy '" + strategy + "' finds one mapping, not a front",
             "the exact strategy under exact semantics finds fronts"}};
  }
  return {};
}

std::optional<Solution> AnyMapping(const Space& space, const MapOptions& options) {
  auto any = exact_search::FirstMapping(EvenPartOf(space), options.objective);
  if (any && space.mapspace == Mapspace::kPadded) {
    CountPadding(space.problem, any->problem, &any->cost);
  }
  if (!any || options.semantics == Semantics::kExact) return any;
  EvaluateOptions evaluate;
  evaluate.semantics = options.semantics;
  evaluate.accounting = options.accounting;
  auto cost = Evaluate(any->problem, space.architecture, any->mapping, evaluate);
  if (!cost) return std::nullopt;
  any->cost = *std::move(cost);
  return any;
}

LayerAnswer MapLayer(const Space& space, const MapOptions& options, const StopFlag& stop,
                     const MapProgressSink& progress) {
  const StrategyRecord& record = RecordOf(options.strategy);
  const SearchFunction search = record.SearchUnder(options.semantics);
  INLAY_CHECK(search != nullptr);
  const Deadline deadline(stop, options.time_limit_seconds);
  ProgressRecord moments(progress, deadline);
  LayerAnswer answer;
  if (Faults faults = TimeFaults(space, options); !faults.empty()) {
    answer.unsupported = std::move(faults);
    return answer;
  }
  if (record.draws_at_random) answer.infeasible = ReasonsForNone(space, options, deadline);
  if (answer.infeasible.empty()) {
    answer =
        search(space, options, deadline, [&](const MapProgress& state) { moments.Add(state); });
  }
  const bool asked = !options.cutoff && !options.front && !record.has_own_machine;
  if (answer.interrupted && !answer.best && asked) answer.best = AnyMapping(space, options);
  const bool none = !answer.best && answer.front.empty() && !answer.interrupted && !options.cutoff;
  if (none && !record.draws_at_random) {
    if (Faults reasons = ReasonsForNone(space, options, deadline); !reasons.empty()) {
      answer.infeasible = std::move(reasons);
    }
  }
  if (space.mapspace == Mapspace::kPadded) {
    if (answer.best) CountPadding(space.problem, answer.best->problem, &answer.best->cost);
    for (FrontPoint& point : answer.front) {
      CountPadding(space.problem, point.solution.problem, &point.solution.cost);
    }
  }
  if (answer.best) Complete(options.objective, answer.best->cost, &answer.certificate);
  answer.effort.seconds = deadline.SecondsSinceStart();
  answer.effort.progress = moments.Take();
  return answer;
}

}  // namespace inlay
