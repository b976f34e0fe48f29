#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/scratchpad/choices.h"

namespace inlay {

// What one step costs (docs/reference/scratchpad.md), for every strategy. A state says
// what happens in a step, whatever the tiling.
struct StepState {
  std::vector<std::optional<PadId>> lies;  // by operand; none: off chip
  // By operand: read here, and written back in this step or later, so that it cannot be overwritten
  // in place.
  std::vector<uint8_t> still_needed;
  int64_t copied_offchip_bytes = 0;              // to and from off chip, besides what operands take
  IndexedVector<PadId, int64_t> copied_bytes;    // into and out of each pad
  IndexedVector<PadId, int64_t> resident_bytes;  // rounded up, without workspace
  double dma_seconds = 0;                        // of prefetches and moves, all engines together
  bool operator==(const StepState&) const = default;
};

// Everything off chip, nothing copied.
StepState EmptyStep(const PlanProblem& problem, const PlanNode& node);

// Adds a copy of a whole tensor of `bytes`; takes it back where they are negative.
void AddCopy(const Machine& machine, TransferKind kind, std::optional<PadId> from,
             std::optional<PadId> to, int64_t bytes, StepState* state);
// How long one DMA engine is busy with a copy; 0 for those that need none.
double DmaSeconds(const Machine& machine, TransferKind kind, std::optional<PadId> from,
                  std::optional<PadId> to, int64_t bytes);

StepLoad LoadOf(const PlanProblem& problem, const PlanNode& node, size_t tiling,
                const StepState& state);
PlanFigures FiguresOf(const Machine& machine, const StepLoad& load);

// By how many bytes pads are over their size, all together.
int64_t Excess(const Machine& machine, const StepLoad& load);

// The workspace of a step, rounded up.
int64_t WorkspaceBytes(const PlanProblem& problem, const PlanNode& node, size_t tiling,
                       const std::vector<std::optional<PadId>>& lies);

// Which operand of the node the tensor is; it is one.
size_t OperandOf(const PlanNode& node, ValueId tensor);
// The operand that may be written in place.
size_t FirstWritten(const PlanNode& node);

}  // namespace inlay
