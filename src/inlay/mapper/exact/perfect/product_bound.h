#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inlay/core/problem.h"
#include "inlay/mapper/exact/frame.h"

namespace inlay::exact_search {

// A number per dimension: trips, lanes or iterations. In `perfect` mappings all are whole.
inline constexpr size_t kMostProductDims = 12;
using DimFactors = std::array<double, kMostProductDims>;

// What the loops outside some level do at least to the energy of `perfect` mappings, where words
// are products: the words of a tensor, times the lanes that hold a copy, times the trips of those
// irrelevant loops that stand outside the innermost loop that moves it. The lanes are decided
// first, then the temporal loops level by level from the inside out; those of the levels that are
// left are one group, in any order. docs/reference/mapper-bounds.md argues for each step. For
// tensors whose ranks have one dimension each the bound of a complete tiling is the energy of the
// best order of its loops.
class ProductBound {
 public:
  ProductBound(const Problem& problem, const Frame& frame);

  // Everything that follows is for these lanes, [level][dimension]: below each level.
  void SetLanes(const std::vector<DimFactors>& lanes);
  double steps() const { return steps_; }            // of the array, on all lanes
  double settled_pj() const { return settled_pj_; }  // compute, leakage, what compute takes
  const DimFactors& time() const { return time_; }   // trips of the temporal loops together
  // Iterations of the tile of a level, with so many temporal trips from the level on.
  void TileOf(size_t level, const DimFactors& inside, double* tile) const;

  // An edge whose tile no decided loop moves.
  struct OpenEdge {
    const Edge* edge = nullptr;
    uint64_t relevant = 0;
    double once_pj = 0;   // all tiles once
    double again_pj = 0;  // each further time
    double least_pj = 0;  // every lane sees its words once
    bool slides = false;  // tiles may share words with the ones before
    // By dimension: how far its tiles are apart, by the extent of the tile along the rank.
    DimFactors fresh;
    uint64_t partners = 0;  // dimensions with a partner in their rank that some loop moves, too
  };
  // Some levels from the inside out have been decided.
  struct Nest {
    DimFactors inside{};  // trips of their temporal loops
    double moved_pj = 0;  // what their loops move
    std::vector<OpenEdge> open;
    double least_pj = 0;  // moved_pj and the least of the open edges, over all orders of the rest
  };
  Nest Nothing() const;
  // Decides the loops of one more level: `inside` are the trips from that level on.
  void Decide(const Nest& nest, size_t level, const DimFactors& inside, Nest* next) const;

  // What enters one level at least, with so many temporal trips from the level on; a part of what
  // Decide counts.
  double Entering(size_t level, const DimFactors& inside) const;
  // The same whatever the trips.
  double LeastEntering(size_t level) const;

 private:
  struct LaneTerms {  // of an edge, for the lanes that are set
    double lanes = 1, shared = 1;
    double word_pj = 0;   // per word that enters a lane
    double again_pj = 0;  // per word that comes back, as words that enter a lane
  };
  LaneTerms TermsFor(const Edge& edge) const;
  void AddCompute();
  void Open(const Edge& edge, const LaneTerms& terms, const DimFactors& inside,
            OpenEdge* open) const;
  double WordsOfLane(const OpenEdge& open, const DimFactors& inside, const DimFactors& trips) const;
  // The least over all orders of a group of loops with these trips, of the edges that it moves
  // (or that nothing moves). `outside`: trips of the loops further out.
  double LeastOfGroup(const DimFactors& trips, const DimFactors& outside, bool one_level,
                      const OpenEdge* const* edges, size_t count) const;

  const Frame& frame_;
  size_t dims_;
  DimFactors bounds_{};
  std::vector<uint64_t> relevant_;  // by tensor
  std::vector<bool> slides_;        // by tensor: some rank has two dimensions that can move
  std::vector<DimFactors> above_;   // [level]: lanes above it, by dimension
  DimFactors time_{};
  double steps_ = 1;
  double settled_pj_ = 0;
  std::vector<std::vector<LaneTerms>> terms_;  // [child][edge]
};

}  // namespace inlay::exact_search
