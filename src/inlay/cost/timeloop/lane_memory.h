#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace inlay::timeloop {

// What a lane remembers of a tensor: its last tile, the displacement of the last step that moved
// it, and the region of words that entered at the last step. It lies in one flat array so that it
// can be hashed, and coordinates that mean nothing are zero, so that equal memories are equal
// words. A region is a box without a hole; it is kept canonical: equal regions have equal words.
class LaneMemory {
 public:
  static size_t Words(size_t ranks) { return 1 + 7 * ranks; }
  LaneMemory(std::span<int64_t> words, size_t ranks) : words_(words.data()), ranks_(ranks) {}

  // The lane enters the box [lo, lo + size). Returns the words that are not in its last tile: all
  // of them if only equal displacements reuse (`same_displacement`) and this one differs.
  int64_t Enter(const int64_t* lo, const int64_t* size, bool same_displacement);
  // The lane takes the box as a whole and remembers no tile.
  int64_t EnterWithoutHistory(const int64_t* lo, const int64_t* size);
  // Forgets the region; the neighbours of the lane do not ask for it.
  void DropRegion();
  // Turns coordinates relative to one point into those relative to another, `steps` displacements
  // further on.
  void MoveOrigin(const int64_t* displacement, int64_t steps);

  bool HasRegion() const { return (words_[0] & kRegion) != 0; }
  const int64_t* region_lo() const { return words_ + 1 + 3 * ranks_; }
  // Size of the box, place of the hole in it, size of the hole: 3 × ranks words.
  std::span<const int64_t> RegionShape() const { return {words_ + 1 + 4 * ranks_, 3 * ranks_}; }

 private:
  static constexpr int64_t kTile = 1, kDisplacement = 2, kRegion = 4;
  bool MayReuse(const int64_t* lo, const int64_t* size);
  // Sets the region to the box minus the last tile. Returns its words.
  int64_t Subtract(const int64_t* lo, const int64_t* size);
  void SetRegion(const int64_t* lo, const int64_t* size);
  void CutOneSided();
  int64_t* tile_lo() { return words_ + 1; }
  int64_t* tile_size() { return words_ + 1 + ranks_; }
  int64_t* displacement() { return words_ + 1 + 2 * ranks_; }
  int64_t* box_lo() { return words_ + 1 + 3 * ranks_; }
  int64_t* box_size() { return words_ + 1 + 4 * ranks_; }
  int64_t* hole_lo() { return words_ + 1 + 5 * ranks_; }  // relative to the box
  int64_t* hole_size() { return words_ + 1 + 6 * ranks_; }

  int64_t* words_;
  size_t ranks_;
};

}  // namespace inlay::timeloop
