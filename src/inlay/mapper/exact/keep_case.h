#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/objective.h"
#include "inlay/cost/time.h"
#include "inlay/mapspace/space.h"

namespace inlay::exact_search {

// The words that go from one level that keeps a tensor to the next one inwards (or to compute), and
// what they cost. For an output, the words that come back.
struct Edge {
  size_t tensor = 0;
  size_t parent = 0;
  size_t child = 0;  // number of levels = compute
  bool output = false;
  bool offchip = false;  // its words count as off-chip words
  bool shares = false;   // every fan-out between can multicast, or reduce an output
  // pJ per word. Input: read at the parent, fill at the child. Output: update at the parent and
  // drain at the child, and for a partial sum that comes back a read at the parent and a fill at
  // the child.
  double at_parent = 0, at_child = 0, back = 0;
};

// A port that can limit the cycles: some of the words of a level, or of those of one memory.
struct Port {
  size_t level = 0;
  size_t last = 0;  // of the levels that are one memory; else the same
  int tensor = -1;  // of a partition; −1: all tensors
  bool out = false, in = false;
  double words_per_cycle = 0;  // per instance
  // Of the words into and out of this level only, as its engine moves them; −1: all. Such a port
  // limits a part of the words that another port of the level limits, too.
  int child = -1;
  bool IsOf(size_t l) const { return level <= l && l <= last; }
};

// What a level costs in time besides its ports (docs/reference/time.md).
struct LevelTime {
  Overlap overlap = Overlap::kStream;
  bool engine = false;
  double wait = 0;                  // λ
  double transfer = 0;              // per tile moved
  std::vector<size_t> fed, inputs;  // tensors
};

// Room for tiles. Where levels are one memory, each has the rooms of all outside it, too: a tile
// outside is no smaller than it would be here, so what does not fit here does not fit at all.
struct Room {
  std::vector<size_t> tensors;
  std::vector<double> bits;  // of a word of each
  double usable_bits = 0;
};

// A mapspace in the case of one choice of what its levels keep, as numbers.
struct KeepCase {
  KeepCase(const Space& space, const IndexedVector<LevelId, TensorSet>& kept);

  struct Term {
    size_t dim = 0;
    double coefficient = 1;
  };
  struct TensorRanks {
    std::vector<std::vector<Term>> ranks;
    std::vector<size_t> irrelevant;
    std::vector<int> rank_of;  // per dimension; −1: irrelevant
    std::vector<double> coefficient_of;
  };

  IndexedVector<LevelId, TensorSet> keeps;
  size_t levels = 0, dims = 0;
  bool regular = true;  // tiles of one lane are at least a stride apart: all but `any`
  std::vector<TensorRanks> tensors;
  std::vector<std::vector<Edge>> edges;  // by child, 1 … levels
  std::vector<Port> ports;
  std::vector<std::vector<Room>> rooms;  // by level
  std::vector<double> instances;         // by level, the last is compute: lanes of the machine
  double compute_pj = 0;                 // per operation
  double leakage_pj = 0;                 // per cycle, the whole machine; idle power, too
  bool has_time_keys = false;            // the architecture has keys of time
  std::vector<LevelTime> times;          // by level
  double start_cycles = 0;               // launch, and the first words of streams
  double launch_cycles = 0;              // of these
  double dynamic_pj_per_cycle = 0;       // at most; 0: no limit

  // Cycles at least of a mapping with so many steps, whatever its words.
  double CyclesOf(double steps) const;

  // Words of the tile of a tensor.
  double TileWords(size_t tensor, const double* tile) const;
  bool Fits(size_t level, const double* tile) const;
  // Whether the child's instances inside one of `level` can hold what the tile of `level` touches.
  bool Holds(const Edge& edge, size_t level, const double* tile) const;
};

// Every choice of tensors kept in which each tensor is kept somewhere.
std::vector<IndexedVector<LevelId, TensorSet>> KeepChoices(const Space& space);

}  // namespace inlay::exact_search
