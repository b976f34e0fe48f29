#include "inlay/scratchpad/compulsory_figures.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace inlay {
namespace {

struct TensorSums {
  int64_t uses = 0;
  int64_t all_bytes = 0;    // of every use, each in the tiling that needs least
  int64_t least_bytes = 0;  // of the use that needs least
  int64_t most_bytes = 0;
  int64_t unfit_bytes = 0;  // of the uses whose unit reaches no pad that holds it
};

bool HasRoom(const PlanProblem& problem, UnitId unit, int64_t bytes) {
  for (const PadId pad : Ids(problem.machine.pads)) {
    const Scratchpad& memory = problem.machine.pads[pad];
    if (Reaches(problem.machine, unit, pad) && AlignedBytes(memory, bytes) <= memory.bytes) {
      return true;
    }
  }
  return false;
}

double CheapestPad(const Machine& machine) {
  double least = machine.offchip.pj_per_byte;
  for (const Scratchpad& pad : machine.pads) least = std::min(least, pad.pj_per_byte);
  return least;
}

}  // namespace

PlanFigures CompulsoryFigures(const PlanProblem& problem) {
  PlanFigures least;
  IndexedVector<ValueId, TensorSums> sums(problem.tensors.size());
  for (const PlanNode& node : problem.nodes) {
    double compute = std::numeric_limits<double>::infinity();
    int64_t inside = std::numeric_limits<int64_t>::max();
    for (const Tiling& tiling : node.tilings) {
      compute = std::min(compute, tiling.compute_seconds);
      inside = std::min(inside, tiling.inside.bytes);
    }
    least.latency_seconds += compute;
    if (inside > 0) {
      const PadId pad = problem.workspace_pad[node.unit];
      least.energy_pj += static_cast<double>(inside) * problem.machine.pads[pad].pj_per_byte;
    }
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const ValueId tensor = node.operands[i].tensor;
      int64_t bytes = std::numeric_limits<int64_t>::max();
      for (const Tiling& tiling : node.tilings) {
        bytes = std::min(bytes, tiling.operands[i].bytes);
      }
      TensorSums& sum = sums[tensor];
      sum.least_bytes = sum.uses == 0 ? bytes : std::min(sum.least_bytes, bytes);
      sum.most_bytes = std::max(sum.most_bytes, bytes);
      sum.all_bytes += bytes;
      ++sum.uses;
      if (!HasRoom(problem, node.unit, problem.tensors[tensor].bytes)) sum.unfit_bytes += bytes;
    }
  }
  const double cheapest = CheapestPad(problem.machine);
  for (const ValueId tensor : Ids(problem.tensors)) {
    const PlanTensor& about = problem.tensors[tensor];
    const TensorSums& sum = sums[tensor];
    if (sum.uses == 0) continue;
    // One use off chip, or one copy of the whole tensor.
    const bool stays = about.weight && problem.weights_stay;
    const bool once = (!about.produced && !stays) || about.needed_after;
    const int64_t offchip =
        std::max(once ? std::min(about.bytes, sum.least_bytes) : 0, sum.unfit_bytes);
    least.offchip_bytes += offchip;
    // The uses that are not among those take place in the cheapest memory.
    const int64_t elsewhere =
        std::max<int64_t>(0, sum.all_bytes - std::max(sum.unfit_bytes, once ? sum.most_bytes : 0));
    least.energy_pj += static_cast<double>(offchip) * problem.machine.offchip.pj_per_byte +
                       static_cast<double>(elsewhere) * cheapest;
  }
  if (const std::optional<double>& rate = problem.machine.offchip.bytes_per_second) {
    least.latency_seconds =
        std::max(least.latency_seconds, static_cast<double>(least.offchip_bytes) / *rate);
  }
  return least;
}

}  // namespace inlay
