#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/bound.h"
#include "inlay/mapper/exact/chains.h"
#include "inlay/mapper/front/bypass_cases.h"
#include "inlay/mapper/front/port_cycles.h"
#include "inlay/mapper/front/tile_blocks.h"

namespace inlay::exact_search {

// Everything inside the temporal loops of level 1 (lanes and tiles of all dimensions), listed once
// for all tiles of level 1, by the cycles that it takes at least. Which of them go with a tile of
// level 1 is a set of bits per dimension, so that the fewest cycles of tiles, or of ranges of
// tiles, are found by a few words of logic.
class InnerTable {
 public:
  // Empty if there is nothing inside level 1, if tiles of level 1 do not tell the loops above it,
  // or if the table would be too large. If the watch passes meanwhile it is incomplete.
  InnerTable(const Space& space, const KeepCase& keep_case, const Chains& chains,
             const std::vector<TileBlocks>& blocks, const BypassCases& cases, DeadlineWatch* watch);

  bool empty() const { return cycles_.empty(); }
  size_t size() const { return cycles_.size(); }  // entries
  size_t mask_chunks() const { return mask_chunks_; }
  double Cycles(size_t entry) const { return cycles_[entry]; }
  // Takes up tiles of level 1: a node of the first stage per dimension.
  void Begin(const Chains& chains, const std::vector<uint32_t>& nodes);
  // Dimensions that have a temporal loop at level 1 in an entry with these tiles, a bit each.
  uint64_t Moved(size_t entry) const;
  const PortCycles& ports() const { return ports_; }
  // Cycles of it at least, if the innermost temporal loop above level 2 moves `inner`.
  double Cycles(size_t entry, uint64_t moved, int inner) const {
    if (ports_.empty()) return cycles_[entry];
    return std::max(cycles_[entry], ports_.Cycles(listed_[entry], moved, inner));
  }
  // The entries that go with some tile of a block of one dimension, in a case; by bit.
  const uint64_t* Mask(size_t in_case, size_t dim, size_t block) const {
    return masks_[mask_of_[in_case][dim]].data() + block * mask_chunks_;
  }
  // The node of the last stage that the entry and a tile of level 1 make.
  uint32_t Chain(size_t entry, size_t dim, uint32_t node) const {
    return chain_[dim][node * keys_[dim].size() + entries_[entry * keys_.size() + dim]];
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  DeadlineWatch* watch_;
  // What an entry decides about one dimension.
  struct Key {
    double range = 1;            // inside the temporal loop of level 1
    std::vector<double> tiles;   // of levels 2 …
    std::vector<int64_t> lanes;  // by spatial slot
    std::vector<double> row;
  };
  bool CollectKeys(const Space& space, const Chains& chains);
  bool ListEntries(const Space& space, const KeepCase& keep_case, const Chains& chains);
  void BuildMasks(const Chains& chains, const std::vector<TileBlocks>& blocks,
                  const BypassCases& cases);
  std::vector<uint64_t> MasksOf(const ChainTree& tree, const TileBlocks& blocks, size_t dim,
                                const BypassCases& cases, size_t in_case) const;

  std::vector<std::vector<Key>> keys_;        // by dimension
  std::vector<std::vector<uint32_t>> chain_;  // [dim][node × keys + key]; kNone: not together
  std::vector<uint32_t> entries_;             // [entry × dims + dim]: key
  std::vector<double> cycles_;                // by entry, ascending
  std::vector<uint32_t> listed_;              // by entry: its number when it was listed
  PortCycles ports_;
  std::vector<double> tiles_;  // of level 1, taken up
  size_t mask_chunks_ = 0;
  std::vector<std::vector<size_t>> mask_of_;  // [case][dim]
  std::vector<std::vector<uint64_t>> masks_;  // each [block × mask_chunks]
};

}  // namespace inlay::exact_search
