#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// One way to tile a dimension. A slot without a loop takes one step, its tile is its whole range.
struct Chain {
  int64_t bound = 1;                     // larger than the problem's where it is padded
  IndexedVector<SlotId, int64_t> steps;  // of the slot's loop through a full range
  IndexedVector<SlotId, int64_t> tiles;  // the step of the slot's loop, in iterations
  bool operator==(const Chain&) const = default;
};

// Visits every chain of a dimension that the mapspace and the constraints on this dimension alone
// allow (factors, unrolling, lanes of each axis), in a fixed order, each once; lanes shared with
// other dimensions are not looked at. `visit` returns false to stop. Returns whether it came to the
// end. With a watch it also stops when time is up, however few of the factors it tries make chains.
bool ForEachChain(const Space& space, DimId dim, const std::function<bool(const Chain&)>& visit,
                  DeadlineWatch* watch = nullptr);
std::vector<Chain> ChainsOf(const Space& space, DimId dim);

// No dimension has fewer chains. Known without a look at any: where loops of two levels or more may
// take any number of steps, every tile size is one, every pair of them with a third loop. 0 where
// that is not so.
double LeastChainCount(const Space& space, DimId dim);

// What a slot makes of the iterations that are left, in the order that the slots are worked off.
enum class Cut : uint8_t {
  kDivide,  // n steps of v tiles make v / n tiles, n a divisor of v
  kRound,   // … ⌈v / n⌉ tiles, the last of them short; n ≤ v
  kPad,     // … ⌈v / n⌉ tiles, the last of them padded; any n
  kTile,    // a tile of v iterations is cut into n tiles of some smaller size v', ⌈v / v'⌉ = n
};

// How the chains of a mapspace are built: from the bound to 1, slot by slot. Slots that hold no
// loop of the dimension are left out. Divide, round and pad work inner to outer, because only there
// the last tile is the short one; ⌈⌈v/a⌉/b⌉ = ⌈v/(ab)⌉ makes the products right. Padding comes
// first: the bound is rounded up to the product of all unrollings, and time divides what is left.
struct CutSlot {
  SlotId slot;
  Cut cut;
  FactorRange range;  // of the steps
  // kRound: with more steps than this, only divisors.
  int64_t most_rounded = FactorRange::kUnlimited;
};
std::vector<CutSlot> CutsOf(const Space& space, DimId dim);

// Whether the product of x and y obeys Space::unrolling at every level.
bool UnrollingAllowed(const Space& space, DimId dim, const IndexedVector<SlotId, int64_t>& steps);

// Fills in the tiles (but for kTile, where they are given) and the padded bound.
void CompleteChain(const Space& space, DimId dim, Chain* chain);

// All divisors of a number from 1, ascending.
std::vector<int64_t> DivisorsOf(int64_t number);

// The canonical mapping of one chain per dimension, an order of the temporal loops of each level
// (outer to inner; dimensions without a loop there are skipped) and the tensors kept.
Mapping AssembleMapping(const Space& space, const IndexedVector<DimId, Chain>& chains,
                        const IndexedVector<LevelId, std::vector<DimId>>& orders,
                        const IndexedVector<LevelId, TensorSet>& keeps);

// The problem that a mapping of these chains computes.
Problem ProblemOf(const Space& space, const IndexedVector<DimId, Chain>& chains);

}  // namespace inlay
