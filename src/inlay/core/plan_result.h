#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/map_result.h"
#include "inlay/core/plan.h"
#include "inlay/core/result.h"

namespace inlay {

// A plan with names instead of indices: what plan.json says, and enough to replay it.
struct NamedPlan {
  struct Step {
    std::string node;
    std::string unit;
    int64_t tiling = 0;
    std::string workspace_memory;  // empty: the step needs no workspace
    int64_t workspace_address = 0, workspace_bytes = 0;
    bool operator==(const Step&) const = default;
  };
  struct Residency {
    std::string tensor, memory;
    int64_t address = 0, bytes = 0;
    int64_t from = 0, to = 0;
    bool operator==(const Residency&) const = default;
  };
  struct Copy {
    std::string tensor;
    std::string from, to;  // memories, kOffChipName, or the unit that reads or writes
    int64_t bytes = 0;
    int64_t start = 0, end = 0;  // steps, half-open; one step
    TransferKind kind = TransferKind::kFetch;
    bool operator==(const Copy&) const = default;
  };

  std::string network, machine;
  // Layers whose tilings a time limit cut short: another run may find others at their places.
  int64_t cut_tables = 0;
  int bits = 16;
  bool weights_stay = false;
  std::vector<Step> steps;
  std::vector<Residency> residencies;
  std::vector<Copy> transfers;
  bool operator==(const NamedPlan&) const = default;
};
inline constexpr const char* kOffChipName = "offchip";

// What a step of a replayed plan takes, and why.
struct StepFigures {
  double seconds = 0;
  int64_t offchip_bytes = 0;
  std::string limited_by;  // "compute", "offchip", "dma", or a memory; of equals the first
  bool operator==(const StepFigures&) const = default;
};

// How full a memory is.
struct MemoryUse {
  std::string name;
  int64_t bytes = 0;  // that there are
  int64_t peak_bytes = 0;
  int64_t peak_step = 0;  // the first with that many
  double mean_bytes = 0;  // over time
  int64_t residencies = 0;
  bool operator==(const MemoryUse&) const = default;
};

// What result.json of `plan` says.
struct PlanResult {
  ResultHeader header;
  PlanObjective objective = PlanObjective::kLatency;
  std::string strategy;
  PlanFigures figures;
  PlanFigures baseline;                    // nothing kept on chip
  std::optional<Certificate> certificate;  // none where a plan was only checked
  NamedPlan plan;
  std::vector<StepFigures> steps;  // as the plan's
  std::vector<MemoryUse> memories;
  std::vector<std::string> too_large;  // tensors that no memory holds
  bool interrupted = false;
  size_t tables = 0;                        // layers whose tilings the mapper was asked for
  double seconds = 0;                       // measured, all
  double tables_seconds = 0;                // measured: the mapper's fronts
  int64_t nodes = 0;                        // measured
  std::vector<SearchMoment> progress = {};  // measured: of the objective
  int threads = 1;                          // measured
};

}  // namespace inlay
