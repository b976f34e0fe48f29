#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inlay/cost/exact/nest.h"

namespace inlay::exact {

// Swaps scratch so that neither place ever loses capacity: what has been large enough stays so.
template <typename Vector>
void SwapScratch(Vector* a, Vector* b) {
  if (a->capacity() < b->capacity()) a->reserve(b->capacity());
  if (b->capacity() < a->capacity()) b->reserve(a->capacity());
  std::swap(*a, *b);
}

// What happens to a dimension at one kind of step. A step is "one temporal loop a advances, the
// temporal loops inside it go back to 0"; every loop of the dimension has one role in it.
enum class LoopRole : uint8_t {
  kOutside,  // temporal, outside a: any index, the same before and after
  kAdvance,  // it is a: index i before, i + 1 after
  kInside,   // temporal, inside a: last valid index before, 0 after
  kLane,     // spatial: any lane
  kFirst,    // index 0 only
};
struct ChainLoop {
  int64_t step = 1;
  LoopRole role = LoopRole::kOutside;
};

// `mult` (step, lane) pairs at which the block of the dimension goes from [delta, delta + before)
// to [0, size), measured from the start of the new block.
struct Bundle {
  int64_t mult = 1;
  int64_t size = 1;
  int64_t before = 1;
  int64_t delta = 0;
  // Lanes that are valid in a block of this many iterations do not belong to the bundle (they
  // belong to another one whose previous block is later). 0: all belong. Always 0 in the end.
  int64_t except = 0;
  bool Still() const { return delta == 0; }  // then before == size: nothing moved
};

// All bundles of a dimension with `bound` iterations. At any node of the nest the valid children
// are a prefix and all but the last are full, so few sizes occur and equal bundles are merged.
// Results are valid until the next call.
class ChainEnumerator {
 public:
  void Enumerate(int64_t bound, std::span<const ChainLoop> loops, std::vector<Bundle>* bundles);

  // The number of (step, lane) pairs alone.
  int64_t Count(int64_t bound, std::span<const ChainLoop> loops);

 private:
  // Blocks of one size.
  struct Block {
    int64_t mult = 1;
    int64_t size = 1;
  };

  void Descend(int64_t step, LoopRole role);
  void Add(const Bundle& bundle);
  void SameIndex(const Bundle& bundle, int64_t step);
  void Advance(const Bundle& bundle, int64_t step);
  void Inside(const Bundle& bundle, int64_t step, bool lanes_follow);

  std::vector<Block> blocks_;
  std::vector<Bundle> current_, next_;
};

}  // namespace inlay::exact
