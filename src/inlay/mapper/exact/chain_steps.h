#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapspace/tilings.h"

namespace inlay::exact_search {

// Changes of the chain of one dimension, within a mapspace (any but `padded`) and the constraints
// on this dimension alone. A place is an index into cuts().
class ChainSteps {
 public:
  ChainSteps(const Space& space, DimId dim);

  // The slots that may hold a loop of the dimension.
  const std::vector<CutSlot>& cuts() const { return cuts_; }
  bool IsTime(size_t place) const { return space_->slots[cuts_[place].slot].axis == Axis::kTime; }

  // Gives the loop at one place as many steps as are asked for, or the next fewer that the mapspace
  // allows; `sink`, another place, takes what is left to cover. False, with the chain undefined, if
  // there is no such chain.
  bool Set(size_t place, int64_t steps, size_t sink, Chain* chain);
  // `any` only: gives the loop at a place a tile of its own, whatever the other tiles.
  bool SetTile(size_t place, int64_t tile, Chain* chain) const;

 private:
  bool SetByCuts(size_t place, int64_t steps, size_t sink, Chain* chain);
  bool SetByTiles(size_t place, int64_t steps, size_t sink, Chain* chain) const;
  bool CompleteTiles(Chain* chain) const;

  const Space* space_;
  DimId dim_;
  int64_t bound_;
  std::vector<CutSlot> cuts_;    // in the order that they are worked off
  std::vector<int64_t> wanted_;  // steps by place
};

}  // namespace inlay::exact_search
