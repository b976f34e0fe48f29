#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/mapping.h"
#include "inlay/cost/exact/problem_tables.h"

namespace inlay::exact {

// A loop that makes more than one step. (A loop of one step does nothing, wherever it stands.)
struct FlatLoop {
  size_t dim = 0;
  size_t level = 0;  // owner; the loop is above every later level
  bool spatial = false;
  int64_t step = 1;
  int64_t trips = 2;  // of an unclipped range
};

// A mapping as one list of loops, outer to inner, in storage that is reused from one evaluation to
// the next.
struct FlatNest {
  std::vector<FlatLoop> loops;
  std::vector<size_t> above;  // above[l] = number of loops above level l; [levels] = all of them
  size_t lanes_end = 0;       // one past the innermost spatial loop
  std::vector<std::vector<size_t>> chain;  // per dimension, its loops, outer to inner
  std::vector<uint8_t> even;               // per dimension: every step divides its range
  std::vector<int64_t> tile;               // [level × dims + dim]: iterations of the largest tile
  std::vector<int64_t> extent;             // [level × ranks + rank]: its words along a rank
  bool perfect = false;                    // all dimensions are even

  void Build(const Tables& tables, const Mapping& mapping);
  const int64_t* ExtentsOf(const Tables& tables, size_t level) const {
    return &extent[level * tables.ranks.size()];
  }
};

}  // namespace inlay::exact
