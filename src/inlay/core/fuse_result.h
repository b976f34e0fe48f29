#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/structure.h"
#include "inlay/core/fused_cost.h"
#include "inlay/core/fused_result.h"
#include "inlay/core/map_result.h"
#include "inlay/core/result.h"
#include "inlay/core/shown_hardware.h"

namespace inlay {

// What result.json of `fuse` says, with names and texts instead of indices.

struct FuseCost {
  int64_t offchip_words = 0;
  double energy_pj = 0;
  int64_t cycles = 0;
  int64_t sequential_cycles = 0;
  int64_t overlapped_cycles = 0;
  double edp = 0;  // pJ × cycles
  int64_t operations = 0;
  int64_t recomputed_operations = 0;
  int64_t scaling_operations = 0;
  bool operator==(const FuseCost&) const = default;
};
const Structure& StructureOf(const FuseCost*);
FuseCost FuseCostOf(const FusedCost& cost);

// Consecutive nodes under one tree.
struct FuseRunResult {
  std::vector<std::string> nodes;
  std::vector<std::string> tree;  // native lines
  FuseCost cost;
  int64_t room_words = 0;
  Certificate certificate;
  bool operator==(const FuseRunResult&) const = default;
};
const Structure& StructureOf(const FuseRunResult*);

// The best of trees in which every node is a run of its own.
struct UnfusedResult {
  FuseCost cost;
  int64_t room_words = 0;
  Certificate certificate;
  bool operator==(const UnfusedResult&) const = default;
};
const Structure& StructureOf(const UnfusedResult*);

// The tree of a step of the staircase.
struct FrontTree {
  bool proven = false;
  std::vector<std::string> tree;
  bool operator==(const FrontTree&) const = default;
};
const Structure& StructureOf(const FrontTree*);

// Pairs of words of the pad and off-chip words, both strictly monotonous.
using PadStaircase = std::vector<std::vector<int64_t>>;

struct FuseResult {
  struct Measured {
    double seconds = 0;
    int64_t nodes = 0;
    int64_t evaluations = 0;
    int threads = 1;  // no figure depends on it
    bool operator==(const Measured&) const = default;
  };
  ResultHeader header;
  std::string problem;
  std::string architecture;
  bool interrupted = false;  // by the user
  std::vector<FuseRunResult> runs;
  FuseCost total;
  int64_t room_words = 0;  // of the pad, before buffering
  Certificate certificate;
  std::optional<double> bound_any_fusion;
  int64_t compulsory_words = 0;  // off chip
  std::optional<UnfusedResult> unfused;
  std::optional<PadStaircase> front, unfused_front;   // where sizes of the pad were asked for
  std::optional<std::vector<FrontTree>> front_trees;  // of every point of `front`
  std::vector<FusedNodeResult> nodes;
  std::vector<FusedHoldResult> holds;  // in the order of the tree
  std::vector<FusedLevelResult> levels;
  double compute_energy_pj = 0;
  std::vector<std::string> tree;  // of all runs together: native lines
  ShownArchitecture hardware;
  Measured measured;
  bool operator==(const FuseResult&) const = default;
};
const Structure& StructureOf(const FuseResult::Measured*);
const Structure& StructureOf(const FuseResult*);

}  // namespace inlay
