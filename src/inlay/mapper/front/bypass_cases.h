#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/chains.h"

namespace inlay::exact_search {

// Tensors whose off-chip words bypass level 1, because it does not keep them. A mapping is of one
// case for all of them together: each is moved or not by the temporal loops from level 1 to the
// level that keeps it, and the loops of level 0 find it in place or not.
class BypassCases {
 public:
  BypassCases(const Space& space, const KeepCase& keep_case, const Chains& chains);

  enum class Motion : uint8_t {
    kStill,   // moved by no loop from level 1 on
    kPartly,  // moved by some, but some of its tiles may be in place when a loop of level 0 steps
    kAlways,  // no word of it is ever in place then
  };
  size_t size() const { return size_; }  // number of cases
  const std::vector<const Edge*>& edges() const { return edges_; }
  Motion MotionOf(size_t in_case, size_t edge) const;

  // Levels at which a dimension has no temporal loop, a bit each, by dimension.
  const std::vector<uint64_t>& Still(size_t in_case) const { return still_[in_case]; }
  // Whether a chain (a node of the last stage) of a dimension can be part of a mapping of the case.
  bool Allows(size_t in_case, size_t dim, uint32_t chain) const;
  // The same for some chain of a node of any stage.
  bool AllowsSome(size_t in_case, size_t dim, size_t stage, uint32_t node);
  // Cases of the same number allow the same chains of a dimension.
  uint64_t Kind(size_t in_case, size_t dim) const;
  // Whether complete chains are of the case.
  bool Holds(size_t in_case, const std::vector<uint32_t>& chains) const;

  // Off-chip words of everything at least, in each case; the tiles of level 1 are decided or sets.
  // Infinite for a case that no mapping is of.
  void Bound(const MappingSet& set, Bounder* bounder, std::vector<double>* words);
  // Of one edge alone, in the set last bounded; not still.
  double MovedWords(size_t edge, Motion motion) const {
    return motion == Motion::kAlways ? always_words_[edge] : moved_words_[edge];
  }

  // What an order of the loops of level 0 does to one of the tensors.
  struct Rounds {
    double all = 1;  // steps of the loops that do not concern it
    struct Loop {
      size_t dim = 0;
      double outside = 1;  // of those steps, the ones outside this loop
    };
    std::vector<Loop> loops;  // that concern it, inner to outer
  };
  // Off-chip words of an edge for complete chains, at least; 0 where the shape of the tensor does
  // not allow to tell.
  double WordsOf(size_t edge, const Rounds& rounds, const std::vector<uint32_t>& chains) const;
  // The same whatever the order of level 0, if the innermost temporal loop above level 2 moves
  // `inner`.
  double WordsByInner(size_t edge, size_t inner, const std::vector<uint32_t>& chains) const;

 private:
  // What a chain does to the tiles of one of the tensors along its dimension.
  struct Share {
    bool moves = false;  // by a loop from level 1 on
    // The share of the words in tiles that are in a round of several of the innermost temporal
    // loop; and the same if that loop is inside level 0, else 0.
    double all = 0, inside = 0;
  };
  void FindShares(size_t i);

  const Space& space_;
  const KeepCase& keep_case_;
  const Chains& chains_;
  std::vector<const Edge*> edges_;
  size_t size_ = 1;
  std::vector<std::vector<uint64_t>> still_;             // [case][dim]
  std::vector<std::vector<std::vector<Share>>> shares_;  // [edge][dim][chain]
  // [edge][dim][chain], of dimensions that do not concern the tensor: steps of all its loops above
  // the level that keeps it.
  std::vector<std::vector<std::vector<double>>> irrelevant_steps_;
  std::vector<std::vector<std::vector<std::vector<uint8_t>>>> some_;  // [case][dim][stage][node]
  std::vector<double> once_words_;  // by edge: words of the tensor; 0: no use of the shares
  std::vector<double> moved_words_, always_words_;  // by edge
};

}  // namespace inlay::exact_search
