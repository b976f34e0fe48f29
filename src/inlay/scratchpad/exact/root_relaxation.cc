#include "inlay/scratchpad/exact/root_relaxation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inlay/scratchpad/exact/cuts.h"
#include "inlay/scratchpad/milp/solver.h"

namespace inlay::exact {
namespace {

constexpr int kMostRounds = 100;
constexpr int kPatience = 4;        // rounds …
constexpr double kProgress = 1e-4;  // … in which the bound has to rise by this share

void Append(std::vector<milp::Row> more, std::vector<milp::Row>* rows) {
  std::move(more.begin(), more.end(), std::back_inserter(*rows));
}

}  // namespace

RootRelaxation SolveRoot(const Model& model, double incumbent, double close,
                         const Deadline& deadline) {
  RootRelaxation root;
  milp::Relaxation relaxation(model.milp);
  std::vector<double> history;
  for (; root.rounds < kMostRounds && !deadline.Passed(); ++root.rounds) {
    const auto status = relaxation.Solve(deadline);
    if (status == milp::Relaxation::Status::kInfeasible) {
      root.infeasible = root.rounds == 0;
      break;
    }
    const double bound = relaxation.Bound();
    root.bound = std::max(root.bound, bound);
    if (root.rounds == 0) root.first = root.bound;
    if (status != milp::Relaxation::Status::kOptimal) break;
    root.values = relaxation.values();
    history.push_back(root.bound);
    if (root.bound >= incumbent - close) break;
    const size_t round = history.size() - 1;
    const bool stalled = round >= kPatience &&
                         root.bound - history[round - kPatience] < kProgress * std::abs(root.bound);
    if (stalled) break;
    std::vector<milp::Row> rows = CoverCuts(model, root.values);
    Append(TimeCuts(model, root.values), &rows);
    if (rows.empty()) break;
    relaxation.DropLoose();
    relaxation.Add(rows);
  }
  root.cuts = relaxation.AddedRows();
  return root;
}

double FigureBound(const Model& model, double program_bound) {
  const double bound = std::max(0.0, program_bound * model.unit - model.lost);
  // Bytes are whole; a hundredth is far more than what rounding does.
  return model.objective == PlanObjective::kBytes ? std::ceil(bound - 0.01) : bound;
}

}  // namespace inlay::exact
