#include "inlay/cost/timeloop/lane_memory.h"

#include <algorithm>

namespace inlay::timeloop {
namespace {

int64_t Product(const int64_t* size, size_t ranks) {
  int64_t words = 1;
  for (size_t r = 0; r < ranks; ++r) words *= size[r];
  return words;
}

// The distance between two centres, given twice over, rounded half away from zero.
int64_t HalfRounded(int64_t twice) { return twice >= 0 ? (twice + 1) / 2 : -((1 - twice) / 2); }

}  // namespace

int64_t LaneMemory::Enter(const int64_t* lo, const int64_t* size, bool same_displacement) {
  int64_t entering = Product(size, ranks_);
  const bool reuse = (words_[0] & kTile) != 0 && (!same_displacement || MayReuse(lo, size));
  if (reuse) {
    entering = Subtract(lo, size);
  } else {
    SetRegion(lo, size);
  }
  std::copy_n(lo, ranks_, tile_lo());
  std::copy_n(size, ranks_, tile_size());
  words_[0] |= kTile;
  if (entering == 0) DropRegion();
  return entering;
}

int64_t LaneMemory::EnterWithoutHistory(const int64_t* lo, const int64_t* size) {
  SetRegion(lo, size);
  return Product(size, ranks_);
}

void LaneMemory::DropRegion() {
  words_[0] &= ~kRegion;
  std::fill_n(box_lo(), 4 * ranks_, 0);
}

void LaneMemory::MoveOrigin(const int64_t* displacement, int64_t steps) {
  if ((words_[0] & kTile) != 0) {
    for (size_t r = 0; r < ranks_; ++r) tile_lo()[r] -= steps * displacement[r];
  }
  if ((words_[0] & kRegion) != 0) {
    for (size_t r = 0; r < ranks_; ++r) box_lo()[r] -= steps * displacement[r];
  }
}

// A step that does not move the tile neither asks nor changes the remembered displacement; one that
// differs from it clears it, so that the step after may reuse again.
bool LaneMemory::MayReuse(const int64_t* lo, const int64_t* size) {
  bool moves = false, same = true;
  const bool remembers = (words_[0] & kDisplacement) != 0;
  for (size_t r = 0; r < ranks_; ++r) {
    const int64_t now = HalfRounded(2 * (lo[r] - tile_lo()[r]) + size[r] - tile_size()[r]);
    moves = moves || now != 0;
    same = same && now == displacement()[r];
  }
  if (!moves) return true;
  if (remembers && !same) {
    words_[0] &= ~kDisplacement;
    std::fill_n(displacement(), ranks_, 0);
    return false;
  }
  if (remembers) return true;
  words_[0] |= kDisplacement;
  for (size_t r = 0; r < ranks_; ++r) {
    displacement()[r] = HalfRounded(2 * (lo[r] - tile_lo()[r]) + size[r] - tile_size()[r]);
  }
  return true;
}

int64_t LaneMemory::Subtract(const int64_t* lo, const int64_t* size) {
  SetRegion(lo, size);
  int64_t all = 1, kept = 1;
  for (size_t r = 0; r < ranks_; ++r) {
    const int64_t low = std::max(lo[r], tile_lo()[r]);
    const int64_t high = std::min(lo[r] + size[r], tile_lo()[r] + tile_size()[r]);
    hole_lo()[r] = low - lo[r];
    hole_size()[r] = std::max<int64_t>(high - low, 0);
    all *= size[r];
    kept *= hole_size()[r];
  }
  if (kept == 0) {
    std::fill_n(hole_lo(), 2 * ranks_, 0);
  } else {
    CutOneSided();
  }
  return all - kept;
}

void LaneMemory::SetRegion(const int64_t* lo, const int64_t* size) {
  words_[0] |= kRegion;
  std::copy_n(lo, ranks_, box_lo());
  std::copy_n(size, ranks_, box_size());
  std::fill_n(hole_lo(), 2 * ranks_, 0);
}

// Where the hole cuts a whole side off, the rest is a box: the same region as one that was entered
// without a hole.
void LaneMemory::CutOneSided() {
  size_t partial = 0, cut = 0;
  for (size_t r = 0; r < ranks_; ++r) {
    if (hole_size()[r] == box_size()[r]) continue;
    ++partial;
    cut = r;
  }
  if (partial != 1) return;
  const bool low = hole_lo()[cut] == 0;
  if (!low && hole_lo()[cut] + hole_size()[cut] != box_size()[cut]) return;
  if (low) box_lo()[cut] += hole_size()[cut];
  box_size()[cut] -= hole_size()[cut];
  std::fill_n(hole_lo(), 2 * ranks_, 0);
}

}  // namespace inlay::timeloop
