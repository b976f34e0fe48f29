#include "inlay/scratchpad/exact/search.h"

#include <algorithm>
#include <utility>

#include "inlay/scratchpad/exact/no_good.h"
#include "inlay/scratchpad/exact/windows.h"
#include "inlay/scratchpad/milp/solver.h"

namespace inlay::exact {
namespace {

constexpr size_t kManyColumns = 10'000;
constexpr int64_t kProofNodes = 100'000;
constexpr double kSame = 1e-9;   // of a figure: no difference
constexpr double kClose = 1e-7;  // of the incumbent: nothing is looked for within

}  // namespace

std::optional<OrderSearch> OrderSearch::Make(const PlanProblem& problem,
                                             const std::vector<size_t>& order,
                                             PlanObjective objective, const Deadline& deadline) {
  const ModelOptions coarser[] = {
      {objective, 0, kManyColumns}, {objective, 1e-4, kManyColumns}, {objective, 1e-3}};
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

int64_t OrderSearch::Improve(uint64_t seed, int patience, const Deadline& deadline, Placed* best,
                             const PlacedSink& sink) {
  WindowsOptions options;
  options.seed = seed;
  options.patience = patience;
  options.target = bound_ * (1 + kClose);
  return ImproveByParts(model_, with_cuts_, root_.values, options, deadline, best, sink);
}

// Addresses for the choices as they are: in place wherever that is possible, or where that is not
// to be had, nowhere.
tl::expected<Placed, Misfit> OrderSearch::PlaceAsIs(const Choices& choices,
                                                    const Deadline& deadline) const {
  Choices full = Book(*model_.problem, model_.objective, choices).Snapshot();
  auto plan = PlanFrom(*model_.problem, full, kProofNodes, &deadline);
  if (plan) return Placed{std::move(full), std::move(*plan)};
  Choices apart = full;
  std::fill(apart.in_place.begin(), apart.in_place.end(), std::nullopt);
  if (apart.in_place != full.in_place && Fits(*model_.problem, apart)) {
    auto other = PlanFrom(*model_.problem, apart, kProofNodes, &deadline);
    if (other) return Placed{std::move(apart), std::move(*other)};
  }
  return tl::unexpected(std::move(plan.error()));
}

int64_t OrderSearch::Finish(const Deadline& deadline, Placed* best, const PlacedSink& sink) {
  int64_t nodes = 0;
  bool valid = true;  // all no-goods so far are
  double figure = FigureOf(best->choices);
  const auto take = [&](Placed placed) {
    const double other = FigureOf(placed.choices);
    if (other >= figure) return;
    figure = other;
    *best = std::move(placed);
    if (sink) sink(*best, figure);
  };
  milp::Milp milp = with_cuts_;
  while (!deadline.Passed() && bound_ < figure * (1 - kSame)) {
    milp::MilpOptions options;
    options.cutoff = figure / model_.unit * (1 - kSame);  // equal plans are not looked for
    const milp::MilpAnswer answer = milp::SolveMilp(milp, options, deadline);
    nodes += answer.nodes;
    if (valid) Raise(answer.bound);
    if (answer.values.empty()) break;
    const Choices choices = ChoicesOf(model_, answer.values);
    auto placed = PlaceAsIs(choices, deadline);
    if (placed) {
      take(std::move(*placed));
      if (answer.finished) break;
      continue;
    }
    Book book(*model_.problem, model_.objective, choices);
    const auto no_good = MakeNoGood(model_, book.Snapshot(), answer.values, placed.error());
    if (auto changed = Place({.cost = figure}, &book, &deadline)) take(std::move(*changed));
    if (!no_good) break;
    valid = valid && no_good->valid;
    milp.rows.push_back(no_good->row);
  }
  return nodes;
}

}  // namespace inlay::exact
