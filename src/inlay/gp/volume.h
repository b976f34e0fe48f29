#pragma once

#include <string>
#include <vector>

#include "inlay/core/problem.h"
#include "inlay/gp/posynomial.h"

namespace inlay::gp {

// A loop over tiles whose number of steps is not known yet; a constant where it is.
struct NestLoop {
  DimId dim;
  Monomial steps;
};

struct NestLevel {
  TensorSet keep;
  std::vector<NestLoop> temporal;  // outer to inner
  std::vector<NestLoop> spatial;   // over the fan-out below the level, inside its temporal loops
};

// The form of a mapping without its numbers: which loops there are, in which order, and what is
// kept where. Tiles divide each other. Every dimension of more than one iteration has a loop at
// least at the last level.
struct Nest {
  IndexedVector<LevelId, NestLevel> levels;  // outer to inner
};

// The words of a tensor along one rank: of one dimension its size; of two, the distinct values of
// their sum: a·b − (a − gap_a)⁺·(b − gap_b)⁺, where a rank s·h + d·r gives h the gap d and r the
// gap s, both divided by their greatest common divisor.
struct RankWords {
  struct Side {
    DimId dim;
    Monomial size;
    double gap = 1;
    bool operator==(const Side&) const = default;
  };
  std::vector<Side> sides;  // one or two
  bool operator==(const RankWords&) const = default;
};

// times × Π ranks: the words of a tile, or of all copies of tiles. Kept as a product, as the paper
// prints it.
struct Words {
  Monomial times;
  std::vector<RankWords> ranks;
  bool operator==(const Words&) const = default;
};

double ValueOf(const Words& words, const Values& values);

// Multiplied out. A rank of two dimensions is gap_b·a + gap_a·b − gap_a·gap_b, which is right where
// both sizes are at least their gaps (strides and dilations), and never too small unless both are
// smaller. Where the size of one is a constant (a window that is not tiled) all of it is right but
// for dilated tiles smaller than the dilation, and a posynomial: 1 × 1 with stride 2 has no holes.
Signomial Expand(const Words& words);

// "q_w*q_k*r_n*r_c*(r_h + q_r*r_r - 1)*(2*r_w + r_s - 2)"
std::string ToString(const Words& words, const VariableNames& names);

// The words of a tile of a level: what its own loops and all inside it run through.
Words Footprint(const Problem& problem, const Nest& nest, TensorId tensor, LevelId level);

// Thistle's Algorithm 1. The words copied one way between all instances of a level and the next
// inner level that keeps the tensor (one past the last: the compute lanes). From the footprint of
// the inner level, loop by loop outward: up to the innermost temporal loop over a dimension of the
// tensor copies are hoisted or joined, every loop further out repeats them. Lanes share words. All
// loops are taken to have more than one step. `trace`, if given, receives the expression after
// every loop between the two levels, as in the paper's Table I.
Words Volume(const Problem& problem, const Nest& nest, TensorId tensor, LevelId outer,
             LevelId inner, std::vector<Words>* trace = nullptr);

// Words of the output that the instances of a level ever hold, each once per instance.
Words FirstWords(const Problem& problem, const Nest& nest, TensorId output, LevelId level);

// Steps of a compute lane; lanes of a level that work (one past the last: compute lanes).
Monomial Steps(const Nest& nest);
Monomial Lanes(const Nest& nest, LevelId level);

}  // namespace inlay::gp
