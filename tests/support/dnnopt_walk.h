#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/problem.h"
#include "inlay/core/systolic.h"

namespace inlay::testing {

// A loop over the blocks of one dimension.
struct BlockWalkLoop {
  DimId dim;
  int64_t block = 1;
};

struct BlockWalk {
  int64_t words = 0;         // by DNNOPT's rules, block after block
  int64_t wrap_overlap = 0;  // of them, words that the previous block held at any other step
  int64_t cycles = 0;        // Σ of the array's cycles, without the − 1 at the end
  int64_t stalls = 0;        // by bandwidth
};

// Visits every block of the nest, outer to inner, and compares each tensor's box with the previous
// one: the dumb twin of DNNOPT's formulas. Halo is reused only at the steps of the innermost loop
// that moves the tensor. `words_per_cycle` limits words in plus words out; 0: unlimited.
BlockWalk WalkBlocks(const Problem& problem, const std::vector<BlockWalkLoop>& loops,
                     const SystolicArray& array, double words_per_cycle);

}  // namespace inlay::testing
