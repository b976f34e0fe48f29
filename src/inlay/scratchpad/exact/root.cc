#include "inlay/scratchpad/exact/root.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "inlay/scratchpad/exact/cuts.h"
#include "inlay/scratchpad/milp/solver.h"

namespace inlay::exact {
namespace {

constexpr int kMostRounds = 100;
constexpr int kPatience = 4;         // rounds …
constexpr double kProgress = 1e-4;   // … in which the bound has to rise by this share
constexpr double kRoundOff = 1e-7;   // of a bound, for the arithmetic of Gomory's cuts

void Append(std::vector<milp::Row> more, std::vector<milp::Row>* rows) {
  std::move(more.begin(), more.end(), std::back_inserter(*rows));
}

}  // namespace

Root SolveRoot(const Model& model, double incumbent, double close, const Deadline& deadline) {
  Root root;
  milp::Relaxation relaxation(model.milp);
  std::vector<double> history;
  std::vector<milp::Row> added;
  for (; root.rounds < kMostRounds && !deadline.Passed(); ++root.rounds) {
    const auto status = relaxation.Solve(deadline);
    if (status == milp::Relaxation::Status::kInfeasible) {
      root.infeasible = root.rounds == 0;
      break;
    }
    root.bound = std::max(root.bound, relaxation.Bound() - kRoundOff * std::abs(relaxation.Bound()));
    if (root.rounds == 0) root.first = root.bound;
    if (status != milp::Relaxation::Status::kOptimal) break;
    root.values = relaxation.values();
    history.push_back(root.bound);
    if (root.bound >= incumbent - close) break;
    const size_t round = history.size() - 1;
    const bool stalled = round >= kPatience &&
                         root.bound - history[round - kPatience] < kProgress * std::abs(root.bound);
    if (stalled) break;
    relaxation.DropLoose();
    std::vector<milp::Row> rows = CoverCuts(model, root.values);
    Append(TimeCuts(model, root.values), &rows);
    // Rounding cuts are slower and less sparse: once ours bring little.
    const bool slow = round >= 1 && history[round] - history[round - 1] < 1e-3 * std::abs(root.bound);
    if (rows.size() < 3 || slow) Append(relaxation.RoundingCuts(/*gomory=*/slow), &rows);
    if (rows.empty()) break;
    if (getenv("DBG")) fprintf(stderr, "round %d bound %.3f rows %zu t %.2f\n", root.rounds, root.bound, rows.size(), double(clock())/CLOCKS_PER_SEC);
    relaxation.Add(rows);
  }
  root.cuts = relaxation.AddedRows();
  return root;
}

double FigureBound(const Model& model, double program_bound) {
  return std::max(0.0, program_bound * model.unit - model.lost);
}

}  // namespace inlay::exact
