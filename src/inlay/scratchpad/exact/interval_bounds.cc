#include "inlay/scratchpad/exact/interval_bounds.h"

#include <algorithm>
#include <optional>

#include "inlay/scratchpad/compulsory_figures.h"
#include "inlay/scratchpad/exact/model.h"
#include "inlay/scratchpad/exact/root_relaxation.h"

namespace inlay::exact {
namespace {

constexpr size_t kMostStretchColumns = 6'000;  // of one program

// What the steps from here on cost at least, whatever lies in the pads when they begin.
double CompulsoryFrom(const PlanProblem& problem, const std::vector<size_t>& order, size_t from,
                      PlanObjective objective) {
  PlanProblem rest = problem;
  rest.nodes.clear();
  for (PlanTensor& tensor : rest.tensors) tensor.produced = false;
  for (size_t t = from; t < order.size(); ++t) {
    rest.nodes.push_back(problem.nodes[order[t]]);
    for (const Operand& operand : rest.nodes.back().operands) {
      if (operand.written) rest.tensors[operand.tensor].produced = true;
    }
  }
  // What was written before may have been written back before.
  for (const ValueId tensor : Ids(rest.tensors)) {
    if (!rest.tensors[tensor].produced) rest.tensors[tensor].needed_after = false;
  }
  const PlanFigures least = CompulsoryFigures(rest);
  // Each byte in a pad at the begin saves at most one off chip.
  int64_t in_pads = 0;
  for (const Scratchpad& pad : problem.machine.pads) in_pads += pad.bytes;
  const auto offchip = static_cast<double>(std::max<int64_t>(0, least.offchip_bytes - in_pads));
  switch (objective) {
    case PlanObjective::kLatency: {
      double seconds = 0;
      for (const PlanNode& node : rest.nodes) {
        double compute = milp::kInfinity;
        for (const Tiling& tiling : node.tilings) {
          compute = std::min(compute, tiling.compute_seconds);
        }
        seconds += compute;
      }
      const std::optional<double>& rate = problem.machine.offchip.bytes_per_second;
      return rate ? std::max(seconds, offchip / *rate) : seconds;
    }
    case PlanObjective::kBytes:
      return offchip;
    case PlanObjective::kEnergy:
      return std::max(0.0, least.energy_pj -
                               static_cast<double>(in_pads) * problem.machine.offchip.pj_per_byte);
  }
  return 0;
}

// None: too large, or the deadline passed.
std::optional<double> BoundOf(const PlanProblem& problem, const std::vector<size_t>& order,
                              size_t from, size_t to, PlanObjective objective,
                              const Deadline& deadline) {
  for (const double tolerance : {0.0, 1e-3}) {
    ModelOptions options{objective, tolerance, kMostStretchColumns};
    options.begins_inside = from > 0;
    options.ends_inside = to < order.size();
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(to);
    const std::optional<Model> model = MakeModel(problem, {begin, end}, options, deadline);
    if (!model) continue;
    const RootRelaxation root = SolveRoot(*model, milp::kInfinity, 0, deadline);
    return FigureBound(*model, root.bound);
  }
  return std::nullopt;
}

}  // namespace

double BoundByIntervals(const PlanProblem& problem, const std::vector<size_t>& order,
                        PlanObjective objective, const Deadline& deadline, size_t steps) {
  double bound = 0;
  for (size_t from = 0; from < order.size();) {
    const size_t to = std::min(order.size(), from + steps);
    const auto found = BoundOf(problem, order, from, to, objective, deadline);
    if (found) {
      bound += *found;
      from = to;
    } else if (deadline.Passed() || steps == 1) {
      return bound + CompulsoryFrom(problem, order, from, objective);
    } else {
      steps /= 2;
    }
  }
  return bound;
}

}  // namespace inlay::exact
