#include "inlay/scratchpad/exact/order_search.h"

#include <algorithm>
#include <utility>

#include "inlay/scratchpad/exact/cuts.h"
#include "inlay/scratchpad/exact/no_good.h"
#include "inlay/scratchpad/exact/window_search.h"
#include "inlay/scratchpad/milp/prove.h"
#include "inlay/scratchpad/milp/solver.h"

namespace inlay::exact {
namespace {

// Where more than the first can be left out, it is; of programs with more than the second only
// intervals are solved: memory and the time of a relaxation grow with them.
constexpr size_t kManyColumns = 10'000, kMostColumns = 60'000;
constexpr int64_t kProofNodes = 100'000;  // of a search for addresses
constexpr int64_t kLookNodes = 2'000;     // of CBC, for one better answer
// Of a figure: no difference. Half of what a certificate takes for equal, so that rounding does not
// undo a proof.
constexpr double kSame = 0.5e-9;
constexpr double kClose = 1e-7;  // of the incumbent: nothing is looked for within

}  // namespace

std::optional<OrderSearch> OrderSearch::Make(const PlanProblem& problem,
                                             const std::vector<size_t>& order,
                                             PlanObjective objective, const Deadline& deadline) {
  const ModelOptions coarser[] = {{objective, 0, kManyColumns},
                                  {objective, 1e-4, kManyColumns},
                                  {objective, 1e-3, kMostColumns}};
  for (const ModelOptions& options : coarser) {
    if (deadline.Passed()) break;
    if (auto model = MakeModel(problem, order, options, deadline)) {
      return OrderSearch(*std::move(model));
    }
  }
  return std::nullopt;
}

double OrderSearch::FigureOf(const Choices& choices) const {
  return ValueOf(FiguresOf(*model_.problem, choices), model_.objective);
}

void OrderSearch::Raise(double program_bound) {
  bound_ = std::max(bound_, FigureBound(model_, program_bound));
}

void OrderSearch::Prove(double incumbent, const Deadline& deadline) {
  const double program = incumbent / model_.unit;
  root_ = SolveRoot(model_, program, kClose * program, deadline);
  Raise(root_.bound);
  with_cuts_ = model_.milp;
  with_cuts_.rows.insert(with_cuts_.rows.end(), root_.cuts.begin(), root_.cuts.end());
}

int64_t OrderSearch::Improve(uint64_t seed, int patience, const Deadline& deadline,
                             PlacedPlan* best, const PlacedSink& sink) {
  WindowSearchOptions options;
  options.seed = seed;
  options.patience = patience;
  options.target = bound_ * (1 + kClose);
  return ImproveByParts(model_, with_cuts_, root_.values, options, deadline, best, sink);
}

// Addresses for the choices as they are: in place wherever that is possible, or where that is not
// to be had, nowhere.
tl::expected<PlacedPlan, Misfit> OrderSearch::PlaceAsIs(const Choices& choices,
                                                        const Deadline& deadline) const {
  Choices full = IncrementalCost(*model_.problem, model_.objective, choices).Snapshot();
  auto plan = PlanFrom(*model_.problem, full, kProofNodes, &deadline);
  if (plan) return PlacedPlan{std::move(full), std::move(*plan)};
  Choices apart = full;
  std::fill(apart.in_place.begin(), apart.in_place.end(), std::nullopt);
  if (apart.in_place != full.in_place && Fits(*model_.problem, apart)) {
    auto other = PlanFrom(*model_.problem, apart, kProofNodes, &deadline);
    if (other) return PlacedPlan{std::move(apart), std::move(*other)};
  }
  return tl::unexpected(std::move(plan.error()));
}

// Branch and cut: CBC looks for better answers while it finds some, then ours proves that there are
// none, and finds those that CBC has missed.
class OrderSearch::Finisher {
 public:
  Finisher(OrderSearch* search, const Deadline& deadline, PlacedPlan* best, const PlacedSink& sink)
      : search_(*search),
        model_(search->model_),
        deadline_(deadline),
        best_(best),
        sink_(sink),
        milp_(search->with_cuts_),
        figure_(search->FigureOf(best->choices)) {}

  int64_t Run() {
    bool looks = true;  // with CBC
    while (!ended_ && !deadline_.Passed() && search_.bound_ < figure_ * (1 - kSame)) {
      const size_t rows = milp_.rows.size();
      const double before = figure_;
      if (looks) {
        Look();
      } else {
        Prove();
      }
      const bool changed = milp_.rows.size() > rows || figure_ < before;
      if (!looks && !changed) break;  // proven, or out of time, or left open
      looks = changed;
    }
    return nodes_;
  }

 private:
  double Cutoff() const { return figure_ / model_.unit * (1 - kSame); }  // no equal plans

  void Look() {
    milp::MilpOptions options;
    options.cutoff = Cutoff();
    options.node_limit = kLookNodes;
    const milp::MilpAnswer answer = milp::SolveMilp(milp_, options, deadline_);
    nodes_ += answer.nodes;
    if (!answer.values.empty()) Take(answer.values);
  }

  void Prove() {
    milp::ProofHooks hooks;
    hooks.cuts = [&](const std::vector<double>& values) {
      std::vector<milp::Row> rows = CoverCuts(model_, values);
      std::vector<milp::Row> more = TimeCuts(model_, values);
      std::move(more.begin(), more.end(), std::back_inserter(rows));
      return rows;
    };
    hooks.found = [&](const std::vector<double>& values) -> std::optional<double> {
      if (!Take(values)) return std::nullopt;
      return Cutoff();
    };
    const bool valid = valid_;  // what is found on the way is not part of this proof
    const milp::Proof proof = milp::ProveBound(milp_, {Cutoff()}, hooks, deadline_);
    nodes_ += proof.nodes;
    if (valid) search_.Raise(proof.bound);
  }

  // False: it has no addresses, which is a new row, or nothing is known about them.
  bool Take(const std::vector<double>& values) {
    const Choices choices = ChoicesOf(model_, values);
    auto placed = search_.PlaceAsIs(choices, deadline_);
    if (placed) {
      Keep(std::move(*placed));
      return true;
    }
    IncrementalCost costs(*model_.problem, model_.objective, choices);
    const auto no_good = MakeNoGood(model_, costs.Snapshot(), values, placed.error());
    if (auto changed = PlaceWithEvictions({.cost = figure_}, &costs, &deadline_))
      Keep(std::move(*changed));
    if (!no_good) {
      ended_ = true;
      return false;
    }
    valid_ = valid_ && no_good->valid;
    milp_.rows.push_back(no_good->row);
    return false;
  }

  void Keep(PlacedPlan placed) {
    const double other = search_.FigureOf(placed.choices);
    if (other >= figure_) return;
    figure_ = other;
    *best_ = std::move(placed);
    if (sink_) sink_(*best_, figure_);
  }

  OrderSearch& search_;
  const Model& model_;
  const Deadline& deadline_;
  PlacedPlan* best_;
  const PlacedSink& sink_;
  milp::Milp milp_;
  double figure_;
  int64_t nodes_ = 0;
  bool valid_ = true;   // all no-goods so far hold for every plan
  bool ended_ = false;  // nothing more can be proven
};

int64_t OrderSearch::Finish(const Deadline& deadline, PlacedPlan* best, const PlacedSink& sink) {
  return Finisher(this, deadline, best, sink).Run();
}

}  // namespace inlay::exact
