#pragma once

#include <cstdint>
#include <vector>

#include "inlay/cost/exact/chain.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {

// What the loops of one dimension that stand above a level do to the tiles of that level: all that
// the bounds need to know, for one chain or for a set of chains. "Lo" is the least, "Hi" the
// largest value over the set. A tile counts once per lane and step at which it is entered.
enum RowField : size_t {
  kTilesLo,  // tiles entered if every loop of the dimension stood outside all others
  kTilesHi,
  kSizeLo,  // Σ of the sizes of them
  // Of the tiles, those in a round of the innermost temporal loop that has at least two of them (of
  // the same lane), so that the first is never where the last one was. Over chains that move.
  kRoundTilesLo,
  kRoundTilesHi,
  kRoundSizeLo,
  // Of the tiles, those that are not the first of such a round.
  kNextTilesLo,
  kNextTilesHi,
  kNextSizeLo,
  kLanesLo,  // lanes of the level that are ever active
  kLanesHi,
  kFirstSizeLo,  // Σ of the sizes of the first tile of every lane
  kTileHi,       // iterations of the largest tile
  kStrideLo,     // iterations between tiles of one lane at least; over chains that move
  kMoves,        // 1 if some chain has a temporal loop above the level
  kMayBeStill,   // 1 if some chain has none
  // A tile alone in its round: lanes of the dimension at least where there are some; ∞ if nowhere.
  kAloneLanesLo,
  kEven,  // 1 if some chain has no such tile
  kFields,
};

// The figures of one chain or set as one row of doubles: per level l, whether its temporal loop is
// there in some chain and in all of them, then the fields of every level c from 1 to `levels`
// (= compute). Behind the fields of c, with only the temporal loops of levels below j counted as
// loops and the others at their first step, 0 ≤ j ≤ c:
//   Tiles(j): the least number of (step, lane) pairs, so that Tiles(c) = kTilesLo;
//   DistinctLanes(q, j): the same with the lanes between q and c counted once, q < c;
// and Between(q): the largest number of such lanes.
class RowLayout {
 public:
  explicit RowLayout(size_t levels);

  size_t levels() const { return levels_; }
  size_t size() const { return size_; }
  static size_t MayMove(size_t level) { return 2 * level; }
  static size_t MustMove(size_t level) { return 2 * level + 1; }
  size_t At(size_t level) const { return begin_[level]; }
  static size_t Tiles(size_t j) { return kFields + j; }
  static size_t Between(size_t c, size_t q) { return kFields + c + 1 + q; }
  static size_t DistinctLanes(size_t c, size_t q, size_t j) {
    return kFields + (c + 1) + c + q * (c + 1) + j;
  }

 private:
  size_t levels_;
  size_t size_ = 0;
  std::vector<size_t> begin_;
};

// Computes rows of chains.
class RowFiller {
 public:
  explicit RowFiller(const Space& space);
  void Fill(const RowLayout& layout, const Chain& chain, double* row);

 private:
  struct Loop {
    int64_t step = 1, trips = 1;
    size_t level = 0;
    bool spatial = false;
  };
  void FillEven(const Chain& chain, size_t level, double* row) const;
  void FillRagged(const Chain& chain, size_t level, double* row);
  struct Sum {
    double tiles = 0, size = 0;
  };
  Sum SumOf(int64_t bound, bool moved_only);

  std::vector<Slot> slots_;
  std::vector<Loop> loops_;  // of the chain, outer to inner
  std::vector<exact::ChainLoop> parts_;
  std::vector<exact::Bundle> bundles_;
  exact::ChainEnumerator enumerator_;
};

// Widens `set` so that it covers `row`, too. A set starts as a copy of its first row.
void Cover(const RowLayout& layout, const double* row, double* set);

}  // namespace inlay::exact_search
