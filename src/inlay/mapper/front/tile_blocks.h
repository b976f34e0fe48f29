#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/chain_tree.h"

namespace inlay::exact_search {

// The nodes of a tree's first stage, which are the tiles of level 1 in ascending order, as a binary
// tree of ranges: a whole range can be looked at, and left out, at once.
class TileBlocks {
 public:
  TileBlocks(const RowLayout& layout, const ChainTree& tree);

  struct Block {
    uint32_t begin = 0, end = 0;       // nodes
    size_t left = 0, right = 0;        // its halves; of no meaning if it holds one node
    double smallest = 1, largest = 1;  // tiles
    bool single() const { return end - begin == 1; }
  };
  static constexpr size_t kRoot = 0;
  size_t size() const { return blocks_.size(); }
  const Block& At(size_t block) const { return blocks_[block]; }
  const double* Row(size_t block) const { return &rows_[block * row_size_]; }
  size_t Of(uint32_t node) const { return of_[node]; }  // the block of one node

 private:
  size_t Build(const RowLayout& layout, const ChainTree& tree, uint32_t begin, uint32_t end);

  size_t row_size_;
  std::vector<Block> blocks_;
  std::vector<double> rows_;  // by block
  std::vector<size_t> of_;
};

}  // namespace inlay::exact_search
