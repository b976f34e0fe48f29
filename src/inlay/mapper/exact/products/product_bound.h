#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/keep_case.h"
#include "inlay/mapspace/space.h"

namespace inlay::exact_search {

// A number per dimension: trips, lanes or iterations. In `perfect` mappings all are whole.
inline constexpr size_t kMostProductDims = 12;
using DimFactors = std::array<double, kMostProductDims>;

// What the temporal loops outside a level take, over all ways to go on from there.
struct Outside {
  DimFactors least, most;  // trips, by dimension
};

// What the loops outside some level do at least to the energy of `perfect` and `ruby-s` mappings,
// where words are products: the words of a tensor, times the lanes that hold a copy, times the
// trips of those irrelevant loops that stand outside the innermost loop that moves it; less what a
// short last tile leaves in place. The lanes are decided first, then the temporal loops level by
// level from the inside out; those of the levels that are left are one group, in any order.
// docs/reference/mapper-bounds.md argues for each step. For `perfect` mappings of tensors whose
// ranks have one dimension each the bound of a complete tiling is the energy of the best order.
class ProductBound {
 public:
  ProductBound(const Space& space, const KeepCase& keep_case);

  // Everything that follows is for these lanes, [level][dimension]: below each level.
  void SetLanes(const std::vector<DimFactors>& lanes);
  double settled_pj() const { return settled_pj_; }  // compute, what compute takes
  // Iterations of the tile of a level, with so many temporal trips from the level on.
  void TileOf(size_t level, const DimFactors& inside, double* tile) const;

  // An edge whose tile no decided loop moves.
  struct OpenEdge {
    const Edge* edge = nullptr;
    uint64_t relevant = 0;
    bool slides = false;  // tiles may share words with the ones before
    bool weak = false;    // … and some are short: only least_pj counts
    double words = 0;     // all tiles once
    double least_pj = 0;  // every lane sees its words once
    // By dimension. Relevant ones: how far tiles are apart, by the extent of the tile along the
    // rank; of all words, those of tiles that may be alone in their round, which a step leaves in
    // place.
    DimFactors fresh, alone;
    // Irrelevant ones: lanes and steps together.
    DimFactors spread;
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
  void Decide(const Nest& nest, size_t level, const DimFactors& inside, const Outside& outside,
              Nest* next) const;

  // What enters one level at least, with so many temporal trips from the level on; a part of what
  // Decide counts.
  double Entering(size_t level, const DimFactors& inside, const Outside& outside) const;
  // The same whatever the trips.
  double LeastEntering(size_t level) const;

 private:
  struct Terms {          // of an edge, for the lanes that are set
    double lane_pj = 0;   // per word that enters a lane
    double group_pj = 0;  // per word that enters a group of lanes that share it
    double back_pj = 0;   // per word of these that has been there
    double meeting = 1;   // lanes that share words although their dimensions are relevant
    double copies = 1;    // of each word in the parent's instances, at most
    DimFactors between;   // lanes between parent and child, by dimension
    DimFactors first;     // lanes at the first step at least
  };
  struct Group;
  Group Rest(size_t level, const DimFactors& inside, const Outside& outside) const;
  Terms TermsFor(const Edge& edge) const;
  double LeastLanes(size_t level, size_t dim) const;
  void AddCompute();
  void Open(const Edge& edge, const Terms& terms, const DimFactors& inside, const Outside& outside,
            OpenEdge* open) const;
  double LeastOfGroup(const Group& group, const OpenEdge* const* edges, size_t count) const;

  const KeepCase& keep_case_;
  size_t dims_;
  bool perfect_;
  DimFactors bounds_{};
  std::vector<uint64_t> relevant_;  // by tensor
  std::vector<bool> slides_;        // by tensor: some rank has two dimensions that can move
  std::vector<DimFactors> above_;   // [level]: lanes above it, by dimension
  uint64_t ragged_ = 0;             // dimensions of which some lane may have less to do than others
  double settled_pj_ = 0;
  std::vector<std::vector<Terms>> terms_;  // [child][edge]
};

}  // namespace inlay::exact_search
