#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/architecture.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_problem.h"
#include "inlay/core/result.h"

namespace inlay {

// What result.json says of a fused mapping, with names instead of indices.

struct FusedNodeResult {
  std::string name;
  int64_t executions = 0;
  int64_t operations = 0;
  int64_t recomputed_operations = 0;
  int64_t scaling_operations = 0;
  bool operator==(const FusedNodeResult&) const = default;
};
const Structure& StructureOf(const FusedNodeResult*);

struct FusedHoldResult {
  std::string tensor;
  int64_t tile_words = 0;
  int64_t entered_words = 0;
  bool operator==(const FusedHoldResult&) const = default;
};
const Structure& StructureOf(const FusedHoldResult*);

struct FusedLevelResult {
  std::string name;
  double energy_pj = 0;
  std::vector<std::pair<std::string, Counts>> tensors;
  bool operator==(const FusedLevelResult&) const = default;
};
const Structure& StructureOf(const FusedLevelResult*);

// What `eval` and `walk` say of a fused mapping.
struct FusedEvalResult {
  ResultHeader header;
  std::string problem;
  std::string architecture;
  int64_t operations = 0;
  int64_t recomputed_operations = 0;
  int64_t scaling_operations = 0;
  int64_t offchip_words = 0;
  int64_t room_words = 0;
  std::string numeric_check;  // walk: "ok", the tree was executed and its outputs are right
  double energy_pj = 0;
  double compute_energy_pj = 0;
  int64_t cycles = 0;
  int64_t sequential_cycles = 0;
  int64_t overlapped_cycles = 0;
  double edp = 0;  // pJ × cycles
  std::vector<FusedNodeResult> nodes;
  std::vector<FusedHoldResult> holds;  // in the order of the tree
  std::vector<FusedLevelResult> levels;
  std::vector<std::string> tree;  // native lines
  EvalResult::Measured measured;
  bool operator==(const FusedEvalResult&) const = default;
};
const Structure& StructureOf(const FusedEvalResult*);

std::vector<FusedNodeResult> FusedNodesOf(const FusedProblem& problem, const FusedCounts& counts);
FusedHoldResult ResultOf(const FusedProblem& problem, const FusedHoldCounts& hold);

// Puts what a mapping costs into a result.
void SetCost(const FusedProblem& problem, const Architecture& architecture, const FusedCost& cost,
             FusedEvalResult* result);

}  // namespace inlay
