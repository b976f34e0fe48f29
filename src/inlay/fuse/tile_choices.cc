#include "inlay/fuse/tile_choices.h"

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {

const std::vector<int64_t>& TileChoices::Of(int64_t bound) {
  const auto [at, is_new] = sizes_.try_emplace(bound);
  std::vector<int64_t>& sizes = at->second;
  if (!is_new) return sizes;
  if (tiles_ == FusedTiles::kAny) {
    for (int64_t size = bound; size > 1;) {
      size = CeilDiv(bound, CeilDiv(bound, size - 1));
      sizes.push_back(size);
    }
    return sizes;
  }
  std::vector<int64_t> small;
  for (int64_t d = 1; d <= bound / d; ++d) {
    if (bound % d != 0) continue;
    if (d > 1 && bound / d != d) sizes.push_back(bound / d);
    small.push_back(d);
  }
  if (bound > 1) sizes.insert(sizes.end(), small.rbegin(), small.rend());
  return sizes;
}

int64_t TileChoices::LargestLike(int64_t bound, int64_t size) {
  const std::vector<int64_t>& sizes = Of(bound);
  int64_t next = bound;
  for (const int64_t s : sizes) {
    if (s <= size) break;
    next = s;
  }
  return next - 1;
}

int64_t TileChoices::LongestWholeTile(int64_t bound, int64_t size, int64_t smaller,
                                      bool cut_before) {
  // Every such tile comes after one of the first's.
  const int64_t like = LargestLike(bound, smaller);
  if (cut_before) return like * (bound / (size + like) + 1);
  const int64_t others = CeilDiv(bound, size) - 1;
  // The last tile is bound − others × size, for every size that this one stands for.
  const int64_t shortest = bound - others * LargestLike(bound, size);
  const int64_t longest = std::min(bound - others * size, like);
  if (longest < shortest) return 0;
  return longest - (longest - shortest) % others;
}

}  // namespace inlay
