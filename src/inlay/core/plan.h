#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/core/ids.h"
#include "inlay/core/map_result.h"

namespace inlay {

// A scratchpad plan: in which order the nodes of a graph run, where every tensor lies meanwhile,
// and what is copied when. A step is the run of one node; views take no step and own no memory, so
// tensors are the values that own storage (StorageOf). What a plan means, and what it costs:
// docs/reference/scratchpad.md.

enum class PlanObjective : uint8_t { kLatency, kBytes, kEnergy };
template <>
inline constexpr auto kNames<PlanObjective> = std::to_array<EnumName<PlanObjective>>(
    {{PlanObjective::kLatency, "latency", "delay time cycles runtime speed performance"},
     {PlanObjective::kBytes, "bytes", "offchip off-chip dram traffic bandwidth accesses"},
     {PlanObjective::kEnergy, "energy", "power joules pj"}});

struct PlanStep {
  NodeId node;
  UnitId unit;        // that runs it
  size_t tiling = 0;  // of the node's tilings (PlanProblem), how it is computed
  // Where the tiles of operands off chip lie during the step, one block in the unit's
  // workspace_pad: their sum, rounded up to the pad's alignment. 0 bytes where there are none.
  int64_t workspace_address = 0;
  int64_t workspace_bytes = 0;
  bool operator==(const PlanStep&) const = default;
};

// A tensor that lies in a pad during the steps from … to − 1.
struct Residency {
  ValueId tensor;
  PadId pad;
  int64_t address = 0;  // bytes
  int64_t bytes = 0;    // rounded up to the pad's alignment
  int64_t from = 0, to = 0;
  bool operator==(const Residency&) const = default;
};

enum class TransferKind : uint8_t {
  kFetch,      // off chip → pad or unit, in the step that reads it
  kPrefetch,   // off chip → pad, in a step before
  kWriteBack,  // pad or unit → off chip
  kMove,       // pad → pad
};
template <>
inline constexpr auto kNames<TransferKind> =
    std::to_array<EnumName<TransferKind>>({{TransferKind::kFetch, "fetch"},
                                           {TransferKind::kPrefetch, "prefetch"},
                                           {TransferKind::kWriteBack, "write-back"},
                                           {TransferKind::kMove, "move"}});

// Bytes that are copied within one step.
struct Transfer {
  ValueId tensor;
  TransferKind kind = TransferKind::kFetch;
  std::optional<PadId> from;  // none: off chip; of a write-back: the unit that writes it
  std::optional<PadId> to;    // none: off chip; of a fetch: the unit that reads it
  int64_t bytes = 0;
  int64_t step = 0;
  bool operator==(const Transfer&) const = default;
};

struct Plan {
  std::vector<PlanStep> steps;
  std::vector<Residency> residencies;  // by tensor, then from
  std::vector<Transfer> transfers;     // by step, then tensor, then kind
  bool operator==(const Plan&) const = default;
};

// What a plan costs.
struct PlanFigures {
  double latency_seconds = 0;
  int64_t offchip_bytes = 0;
  double energy_pj = 0;  // of all accesses to pads and off chip
  bool operator==(const PlanFigures&) const = default;
};
const Structure& StructureOf(const PlanFigures*);

// The figure that an objective asks for: seconds, bytes or pJ.
double ValueOf(const PlanFigures& figures, PlanObjective objective);

}  // namespace inlay
