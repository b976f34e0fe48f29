#include "inlay/scratchpad/step_cost.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "inlay/base/check.h"

namespace inlay {
namespace {

double SecondsAt(std::optional<double> bytes_per_second, int64_t bytes) {
  return bytes_per_second ? static_cast<double>(bytes) / *bytes_per_second : 0;
}

}  // namespace

StepState EmptyStep(const PlanProblem& problem, const PlanNode& node) {
  StepState state;
  state.lies.resize(node.operands.size());
  state.still_needed.resize(node.operands.size());
  state.copied_bytes.resize(problem.machine.pads.size());
  state.resident_bytes.resize(problem.machine.pads.size());
  return state;
}

double DmaSeconds(const Machine& machine, TransferKind kind, std::optional<PadId> from,
                  std::optional<PadId> to, int64_t bytes) {
  if (kind != TransferKind::kPrefetch && kind != TransferKind::kMove) return 0;
  const auto rate = [&](std::optional<PadId> pad) {
    return pad ? machine.pads[*pad].bytes_per_second : machine.offchip.bytes_per_second;
  };
  return std::max(SecondsAt(rate(from), bytes), SecondsAt(rate(to), bytes));
}

void AddCopy(const Machine& machine, TransferKind kind, std::optional<PadId> from,
             std::optional<PadId> to, int64_t bytes, StepState* state) {
  if (!from || !to) state->copied_offchip_bytes += bytes;
  if (from) state->copied_bytes[*from] += bytes;
  if (to) state->copied_bytes[*to] += bytes;
  const double seconds = DmaSeconds(machine, kind, from, to, std::abs(bytes));
  state->dma_seconds += bytes < 0 ? -seconds : seconds;
}

int64_t WorkspaceBytes(const PlanProblem& problem, const PlanNode& node, size_t tiling,
                       const std::vector<std::optional<PadId>>& lies) {
  int64_t sum = node.tilings[tiling].inside.workspace_bytes;
  const std::vector<OperandTraffic>& traffic = node.tilings[tiling].operands;
  for (size_t i = 0; i < traffic.size(); ++i) {
    if (!lies[i]) sum += traffic[i].workspace_bytes;
  }
  if (sum == 0) return 0;
  return AlignedBytes(problem.machine.pads[problem.workspace_pad[node.unit]], sum);
}

StepLoad LoadOf(const PlanProblem& problem, const PlanNode& node, size_t tiling,
                const StepState& state) {
  const Machine& machine = problem.machine;
  const Tiling& way = node.tilings[tiling];
  StepLoad load{0, state.copied_offchip_bytes, state.copied_bytes, state.resident_bytes};
  for (size_t i = 0; i < way.operands.size(); ++i) {
    if (state.lies[i]) {
      load.pad_bytes[*state.lies[i]] += way.operands[i].bytes;
    } else {
      load.offchip_bytes += way.operands[i].bytes;
    }
  }
  if (way.inside.bytes > 0) load.pad_bytes[problem.workspace_pad[node.unit]] += way.inside.bytes;
  const int64_t workspace = WorkspaceBytes(problem, node, tiling, state.lies);
  if (workspace > 0) load.held_bytes[problem.workspace_pad[node.unit]] += workspace;
  load.seconds = std::max({way.compute_seconds,
                           SecondsAt(machine.offchip.bytes_per_second, load.offchip_bytes),
                           state.dma_seconds / static_cast<double>(machine.dma.engines)});
  for (const PadId pad : Ids(machine.pads)) {
    load.seconds =
        std::max(load.seconds, SecondsAt(machine.pads[pad].bytes_per_second, load.pad_bytes[pad]));
  }
  return load;
}

PlanFigures FiguresOf(const Machine& machine, const StepLoad& load) {
  double energy = static_cast<double>(load.offchip_bytes) * machine.offchip.pj_per_byte;
  for (const PadId pad : Ids(machine.pads)) {
    energy += static_cast<double>(load.pad_bytes[pad]) * machine.pads[pad].pj_per_byte;
  }
  return {load.seconds, load.offchip_bytes, energy};
}

int64_t Excess(const Machine& machine, const StepLoad& load) {
  int64_t excess = 0;
  for (const PadId pad : Ids(machine.pads)) {
    excess += std::max<int64_t>(0, load.held_bytes[pad] - machine.pads[pad].bytes);
  }
  return excess;
}

size_t OperandOf(const PlanNode& node, ValueId tensor) {
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (node.operands[i].tensor == tensor) return i;
  }
  INLAY_CHECK(false);
}

size_t FirstWritten(const PlanNode& node) {
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (node.operands[i].written) return i;
  }
  INLAY_CHECK(false);
}

}  // namespace inlay
