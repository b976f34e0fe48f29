#pragma once

#include <cstdint>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/chain_bounds.h"

namespace inlay::exact_search {

// What a stage of the search decides about the chain of every dimension.
struct Stage {
  size_t level = 0;    // the tile of this level; 0: none
  bool lanes = false;  // the unrolling in every spatial slot
};
// The order of decisions: tiles from the innermost level to level 1, the lanes with the first of
// them or right after it, and at last everything.
enum class LaneStage { kWithTile, kAfterTile };
std::vector<Stage> StagesOf(size_t levels, LaneStage lanes);

// The chains of one dimension as a tree. A node is a set of chains that agree on what the stages up
// to its own decide; the nodes of the last stage are single chains.
class ChainTree {
 public:
  struct Node {
    uint32_t row = 0;                         // index of its figures
    uint32_t child_begin = 0, child_end = 0;  // in the next stage; in the last, child_begin = chain
    double tile = 1;                          // of the level that its stage decides; 1 if none
    double next_tile = 1;    // the smallest of the level that the next stage decides
    uint32_t range_row = 0;  // figures of the range of siblings whose middle this node is
  };
  // Ranges of siblings with fewer nodes have no figures of their own.
  static constexpr uint32_t kLeastRange = 4;
  static uint32_t Middle(uint32_t begin, uint32_t end) { return begin + (end - begin) / 2; }

  // Nodes of stage 0 with the same lanes, by tile, if that stage decides both.
  struct LaneGroup {
    uint32_t begin = 0, end = 0;
    double steps = 1;  // of lane 0, at least
  };

  // `rows`: the figures of the chains, one after the other; none: they are computed. With a watch
  // that passes meanwhile the tree is incomplete and must not be used.
  ChainTree(const Space& space, const RowLayout& layout, const std::vector<Stage>& stages,
            std::vector<Chain> chains, const std::vector<double>* rows = nullptr,
            DeadlineWatch* watch = nullptr);

  size_t stages() const { return nodes_.size(); }
  const Node& At(size_t stage, uint32_t node) const { return nodes_[stage][node]; }
  uint32_t size(size_t stage) const { return static_cast<uint32_t>(nodes_[stage].size()); }
  const double* Row(const Node& node) const { return &rows_[node.row * row_size_]; }
  // Of a range of nodes that came from halving the children of a node, or a lane group, or, where
  // there are none, all nodes of stage 0.
  const double* RangeRow(size_t stage, uint32_t begin, uint32_t end) const {
    return &rows_[nodes_[stage][Middle(begin, end)].range_row * row_size_];
  }
  // The node of a stage that holds a chain; looks for it, so for tests.
  uint32_t NodeOfChain(size_t stage, size_t chain) const;
  const std::vector<LaneGroup>& lane_groups() const { return lane_groups_; }
  // Every unrolling that some chain has, once, with the fewest steps of lane 0 that go with it.
  struct LaneOption {
    std::vector<int64_t> lanes;  // by spatial slot
    double steps = 1;
  };
  const std::vector<LaneOption>& lane_options() const { return lane_options_; }
  const double* RootRow() const { return root_.data(); }
  double SmallestTile() const { return smallest_tile_; }  // of the level that stage 0 decides
  const Chain& ChainOf(const Node& node) const { return chains_[node.child_begin]; }
  const std::vector<Chain>& chains() const { return chains_; }
  const std::vector<Node>& Singles() const { return nodes_.back(); }  // one per chain
  // Steps of the loop in a spatial slot, in a node of any stage.
  int64_t Lanes(const Node& node, size_t spatial) const {
    return lanes_[node.row * spatial_.size() + spatial];
  }

 private:
  uint32_t AddSet(const RowLayout& layout, size_t begin, size_t end);
  void ListLaneOptions(size_t stage, size_t steps);
  uint32_t AddRow(const double* row);
  uint32_t AddRanges(const RowLayout& layout, size_t stage, uint32_t begin, uint32_t end);

  std::vector<Chain> chains_;
  std::vector<SlotId> spatial_;
  size_t row_size_;
  std::vector<std::vector<Node>> nodes_;  // by stage
  std::vector<double> rows_;
  std::vector<int64_t> lanes_;  // by row
  std::vector<LaneGroup> lane_groups_;
  std::vector<LaneOption> lane_options_;
  std::vector<double> root_;
  double smallest_tile_ = 1;
};

// The chains of one dimension by the tile that they give to one level.
struct TileSet {
  TileSet(const RowLayout& layout, const ChainTree& tree, size_t level);

  std::vector<double> tile;  // ascending
  std::vector<double> rows;  // one after the other
  // Of the range whose middle a tile is, if it has at least ChainTree::kLeastRange tiles.
  std::vector<double> range_rows;
  size_t row_size = 0;
  double smallest = 1;
  const double* Row(size_t i) const { return &rows[i * row_size]; }
  const double* RangeRow(size_t begin, size_t end) const {
    return &range_rows[(begin + (end - begin) / 2) * row_size];
  }

 private:
  void FillRanges(const RowLayout& layout, size_t begin, size_t end, double* set);
};

// The spatial slots of a space, in order.
std::vector<SlotId> SpatialSlotsOf(const Space& space);

}  // namespace inlay::exact_search
