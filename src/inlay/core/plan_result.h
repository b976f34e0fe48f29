#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/core/fused_plan_result.h"
#include "inlay/core/graph_result.h"
#include "inlay/core/map_result.h"
#include "inlay/core/node_coverage.h"
#include "inlay/core/plan.h"
#include "inlay/core/result.h"

namespace inlay {

// What a step of a replayed plan takes, and why.
struct StepFigures {
  double seconds = 0;
  int64_t offchip_bytes = 0;
  std::string limited_by;  // "compute", "offchip", "dma", or a memory; of equals the first
  bool operator==(const StepFigures&) const = default;
};
const Structure& StructureOf(const StepFigures*);

// A plan with names instead of indices: what plan.json says, and enough to replay it.
struct NamedPlan {
  struct Workspace {
    std::string memory;
    int64_t address = 0, bytes = 0;
    bool operator==(const Workspace&) const = default;
  };
  struct Step {
    struct Beside {
      std::string node, unit;
      bool operator==(const Beside&) const = default;
    };
    std::string node;
    std::string unit;
    std::vector<Beside> beside;  // nodes that run in the same step, each on a unit of its own
    // Of a fused step: the nodes behind the first, and its tree as native lines.
    std::vector<std::string> fused = {}, tree = {};
    int64_t tiling = 0;
    std::optional<Workspace> workspace;  // none: the step needs none
    std::optional<StepFigures> figures;  // of a replay
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
  int bits = 16;            // of what tensor_bits does not name
  ElementBits tensor_bits;  // without "all"
  bool weights_stay = false;
  std::vector<std::string> order;  // the nodes of the steps, for those who read nothing else
  std::vector<Step> steps;
  std::vector<Residency> residencies;
  std::vector<Copy> transfers;
  bool operator==(const NamedPlan&) const = default;
};
inline constexpr const char* kOffChipName = "offchip";
const Structure& StructureOf(const NamedPlan::Workspace*);
const Structure& StructureOf(const NamedPlan::Step::Beside*);
const Structure& StructureOf(const NamedPlan::Step*);
const Structure& StructureOf(const NamedPlan::Residency*);
const Structure& StructureOf(const NamedPlan::Copy*);
const Structure& StructureOf(const NamedPlan*);

// What plan.json says.
inline constexpr const char* kPlanFormat = "inlay/plan/1";
struct PlanFile {
  std::string format = kPlanFormat;
  NamedPlan plan;
  std::optional<PlanFigures> figures;
};
const Structure& StructureOf(const PlanFile*);

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
const Structure& StructureOf(const MemoryUse*);

// What is proven about a plan, in the unit of the result's figure: µs, bytes or pJ.
struct PlanCertificate {
  CertificateStatus status = CertificateStatus::kHeuristic;
  double objective = 0;
  double lower_bound = 0;
  double gap = 0;
  bool operator==(const PlanCertificate&) const = default;
};
const Structure& StructureOf(const PlanCertificate*);

// What fusing nodes has changed.
struct PlanFusion {
  int64_t steps = 0;       // fused ones
  int64_t nodes = 0;       // in these
  int64_t candidates = 0;  // runs of nodes of which a tree fits into the pad
  PlanFigures unfused;     // of the best plan without fused steps
  std::optional<PlanCertificate> unfused_certificate;
  std::optional<PlanCertificate> steps_certificate;  // of all plans of these steps and their trees
  std::vector<PlanFusedStep> fused;                  // by step
  std::vector<PlanEdge> edges;                       // by the step that makes the tensor
  bool operator==(const PlanFusion&) const = default;
};
const Structure& StructureOf(const PlanFusion*);

// What result.json of `plan` says.
struct PlanResult {
  ResultHeader header;
  PlanFigures figures;
  PlanFigures baseline;                        // nothing kept on chip
  std::optional<PlanCertificate> certificate;  // none where a plan was only checked
  std::optional<PlanFusion> fusion;            // where nodes could be fused
  NamedPlan plan;
  std::vector<MemoryUse> memories;
  std::vector<std::string> unused_units;      // that no node runs on
  std::optional<NodeCoverage> coverage = {};  // of a network that is a graph
  std::optional<ShownMachine> hardware;
  std::optional<GraphResult> graph;
  bool interrupted = false;
  double seconds = 0;                       // measured, all
  double tables_seconds = 0;                // measured: the mapper's fronts
  int64_t nodes = 0;                        // measured
  std::vector<SearchMoment> progress = {};  // measured: of the objective, in its unit
  int threads = 1;                          // measured
  // Not in the file.
  PlanObjective objective = PlanObjective::kLatency;
  std::string strategy;
  std::vector<std::string> too_large;  // tensors that no memory holds
  size_t tables = 0;                   // layers whose tilings the mapper was asked for
};
const Structure& StructureOf(const PlanResult*);

// What a plan says of its elements, and that put into it.
ElementBits BitsOf(const NamedPlan& plan);
void SetBits(const ElementBits& bits, NamedPlan* plan);

// Puts what a replay found into a result whose plan has the same steps.
void SetReplay(const PlanFigures& figures, const std::vector<StepFigures>& steps,
               PlanResult* result);
// In the unit of the figure that the objective asks for.
PlanCertificate InUnitsOf(PlanObjective objective, const Certificate& certificate);
// Puts in what a search says of its answer, in seconds, bytes or pJ; by the result's objective.
void SetProof(const Certificate& certificate, const SearchEffort& effort, PlanResult* result);

}  // namespace inlay
