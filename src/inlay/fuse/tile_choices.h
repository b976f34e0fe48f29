#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// Tile sizes that are worth trying, by the bound of what is cut; docs/reference/fusion.md.
class TileChoices {
 public:
  explicit TileChoices(FusedTiles tiles) : tiles_(tiles) {}

  // Smaller than the bound, from the largest to 1. kPerfect: its divisors, of which those that
  // divide a tile cut it. kAny: of all sizes with one number of tiles the smallest, which stands
  // for them.
  const std::vector<int64_t>& Of(int64_t bound);
  // Whether a loop may cut tiles of one size into tiles of the other, smaller one, and more of
  // them.
  bool Cuts(int64_t bound, int64_t tile, int64_t smaller) const {
    if (tiles_ == FusedTiles::kPerfect) return smaller < tile && tile % smaller == 0;
    return CeilDiv(bound, smaller) > CeilDiv(bound, tile);
  }
  // Where a dimension is cut into tiles of one size (or any that it stands for) and these into
  // tiles of another: the longest that the last, short one of the first can be that the second
  // leaves whole. 0: there is none. Where the first are `cut_before`, all such tiles together.
  int64_t LongestWholeTile(int64_t bound, int64_t size, int64_t smaller, bool cut_before);

 private:
  // The largest size that this one stands for.
  int64_t LargestLike(int64_t bound, int64_t size);

  FusedTiles tiles_;
  std::map<int64_t, std::vector<int64_t>> sizes_;
};

}  // namespace inlay
