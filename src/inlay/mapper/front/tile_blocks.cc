#include "inlay/mapper/front/tile_blocks.h"

#include <algorithm>

namespace inlay::exact_search {

TileBlocks::TileBlocks(const RowLayout& layout, const ChainTree& tree)
    : row_size_(layout.size()), of_(tree.size(0)) {
  Build(layout, tree, 0, tree.size(0));
}

size_t TileBlocks::Build(const RowLayout& layout, const ChainTree& tree, uint32_t begin,
                         uint32_t end) {
  const size_t at = blocks_.size();
  Block block;
  block.begin = begin;
  block.end = end;
  block.smallest = tree.At(0, begin).tile;
  block.largest = tree.At(0, end - 1).tile;
  blocks_.push_back(block);
  const double* first = tree.Row(tree.At(0, begin));
  rows_.insert(rows_.end(), first, first + row_size_);
  if (block.single()) {
    of_[begin] = at;
    return at;
  }
  const uint32_t middle = begin + (end - begin) / 2;
  const size_t left = Build(layout, tree, begin, middle);
  const size_t right = Build(layout, tree, middle, end);
  blocks_[at].left = left;
  blocks_[at].right = right;
  std::copy(Row(left), Row(left) + row_size_, &rows_[at * row_size_]);
  Cover(layout, Row(right), &rows_[at * row_size_]);
  return at;
}

}  // namespace inlay::exact_search
