#pragma once

#include <cstdint>
#include <vector>

#include "inlay/cost/exact/chain.h"
#include "inlay/cost/exact/nest.h"
#include "inlay/cost/exact/problem_tables.h"

namespace inlay::exact {

// Lanes and steps of one dimension; their products over the dimensions are those of the nest.
class StepCounter {
 public:
  // Lanes of a level that are ever active.
  int64_t Lanes(const Tables& tables, const FlatNest& nest, size_t dim, size_t level);
  // Steps of lane 0 of the compute lanes.
  int64_t Steps(const Tables& tables, const FlatNest& nest, size_t dim) {
    return Steps(tables, nest, dim, nest.loops.size());
  }
  // The same through the first `loops` loops of the nest alone.
  int64_t Steps(const Tables& tables, const FlatNest& nest, size_t dim, size_t loops);

 private:
  std::vector<ChainLoop> scratch_;
  ChainEnumerator chain_;
};

// Distinct values of Σ coefficient × offset over the lanes of levels [outer, child) below one
// instance of `outer`, for a rank whose dimensions are all even: the same at every step.
class LaneOffsets {
 public:
  int64_t Distinct(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer,
                   size_t child);

 private:
  int64_t OneByOne(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer,
                   size_t child);
  std::vector<int64_t> offsets_, sums_;
};

}  // namespace inlay::exact
