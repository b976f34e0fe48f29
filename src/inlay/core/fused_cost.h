#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/cost.h"
#include "inlay/core/ids.h"

namespace inlay {

// What counting a fused mapping gives, by the closed form or by the walker: integers only. Energy,
// cycles and room follow from it. See docs/reference/fused-semantics.md, sections 5 to 8.

struct FusedNodeCounts {
  int64_t executions = 0;  // of its leaf
  int64_t operations = 0;  // of those executions, without scaling
  int64_t scalings = 0;    // of its output, for an online softmax: words
  bool operator==(const FusedNodeCounts&) const = default;
};

// What one hold does; listed in the order of the tree, depth first.
struct FusedHoldCounts {
  TensorId tensor;
  int64_t tile_words = 0;     // in the first context
  int64_t entered_words = 0;  // off-chip words that enter, or words that the writer finishes
  bool operator==(const FusedHoldCounts&) const = default;
};

// The counts of one run.
struct FusedRunCounts {
  // Words moved at each level for each tensor of the fused problem.
  IndexedVector<LevelId, IndexedVector<TensorId, Counts>> words;
  int64_t sequential_cycles = 0;
  int64_t compute_cycles = 0;                    // of all executions, and of scalings
  IndexedVector<LevelId, int64_t> level_cycles;  // of the levels inside the pad; the others 0
  bool operator==(const FusedRunCounts&) const = default;
};

struct FusedCounts {
  std::vector<FusedRunCounts> runs;
  IndexedVector<NodeId, FusedNodeCounts> nodes;
  std::vector<FusedHoldCounts> holds;
  int64_t room_words = 0;  // of the pad, before buffering
  bool operator==(const FusedCounts&) const = default;
};

struct FusedLevelCost {
  IndexedVector<TensorId, Counts> words;
  IndexedVector<TensorId, double> tensor_energy_pj;
  double energy_pj = 0;  // tensors and leakage
};

struct FusedCost {
  FusedCounts counts;
  IndexedVector<LevelId, FusedLevelCost> levels;
  int64_t offchip_words = 0;
  int64_t operations = 0;  // all that are executed
  int64_t recomputed_operations = 0;
  int64_t scaling_operations = 0;
  double compute_energy_pj = 0;
  double energy_pj = 0;
  int64_t sequential_cycles = 0;
  int64_t overlapped_cycles = 0;
  int64_t cycles = 0;  // overlapped where the pad is buffered twice, else sequential
};

}  // namespace inlay
