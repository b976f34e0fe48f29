#include "inlay/mapper/exact/chain_tree.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "inlay/base/check.h"

namespace inlay::exact_search {
namespace {

// What the stages decide about a chain, one number after the other; stage k ends at ends[k].
struct Keys {
  size_t width = 0;
  std::vector<size_t> ends;
  std::vector<int64_t> numbers;  // chain after chain
  const int64_t* Of(size_t chain) const { return &numbers[chain * width]; }
};

int64_t TileOf(const Chain& chain, size_t level) {
  return level == 0 ? chain.bound : chain.tiles[SlotId(3 * level - 1)];
}

Keys KeysOf(const std::vector<Chain>& chains, const std::vector<SlotId>& spatial,
            const std::vector<Stage>& stages) {
  Keys keys;
  for (size_t i = 0; i < chains.size(); ++i) {
    for (const Stage& stage : stages) {
      if (stage.lanes) {
        for (SlotId s : spatial) keys.numbers.push_back(chains[i].steps[s]);
      }
      if (stage.level > 0) keys.numbers.push_back(TileOf(chains[i], stage.level));
      if (!stage.lanes && stage.level == 0) keys.numbers.push_back(static_cast<int64_t>(i));
      if (i == 0) keys.ends.push_back(keys.numbers.size());
    }
    if (i == 0) keys.width = keys.numbers.size();
  }
  return keys;
}

}  // namespace

std::vector<Stage> StagesOf(size_t levels, LaneStage lanes) {
  std::vector<Stage> stages;
  if (levels == 1) {
    stages.push_back({0, true});
  } else if (lanes == LaneStage::kWithTile) {
    stages.push_back({levels - 1, true});
  } else {
    stages.push_back({levels - 1, false});
    stages.push_back({0, true});
  }
  for (size_t level = levels - 1; level-- > 1;) stages.push_back({level, false});
  stages.push_back({0, false});
  return stages;
}

std::vector<SlotId> SpatialSlotsOf(const Space& space) {
  std::vector<SlotId> slots;
  for (SlotId s : Ids(space.slots)) {
    if (space.slots[s].axis != Axis::kTime) slots.push_back(s);
  }
  return slots;
}

void ChainTree::ListLaneOptions(size_t stage, size_t steps) {
  std::map<std::vector<int64_t>, double> fewest;
  std::vector<int64_t> lanes(spatial_.size());
  for (const Node& node : nodes_[stage]) {
    for (size_t s = 0; s < spatial_.size(); ++s) lanes[s] = Lanes(node, s);
    const double own = Row(node)[steps];
    const auto [at, added] = fewest.try_emplace(lanes, own);
    at->second = std::min(at->second, own);
  }
  for (const auto& [key, least] : fewest) lane_options_.push_back({key, least});
}

ChainTree::ChainTree(const Space& space, const RowLayout& layout, const std::vector<Stage>& stages,
                     std::vector<Chain> chains, const std::vector<double>* rows,
                     DeadlineWatch* watch)
    : chains_(std::move(chains)), spatial_(SpatialSlotsOf(space)), row_size_(layout.size()) {
  INLAY_CHECK(!chains_.empty());
  const size_t levels = layout.levels();
  const Keys keys = KeysOf(chains_, spatial_, stages);
  std::vector<uint32_t> order(chains_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::lexicographical_compare(keys.Of(a), keys.Of(a) + keys.width, keys.Of(b),
                                        keys.Of(b) + keys.width);
  });
  // Single chains first; a set of one chain shares its row.
  const size_t last = keys.ends.size() - 1;
  nodes_.resize(keys.ends.size());
  RowFiller counter(space);
  rows_.resize(chains_.size() * row_size_);
  for (size_t i = 0; i < order.size(); ++i) {
    if (watch != nullptr && watch->Passed()) return;
    if (rows == nullptr) {
      counter.Fill(layout, chains_[order[i]], &rows_[i * row_size_]);
    } else {
      std::copy_n(&(*rows)[order[i] * row_size_], row_size_, &rows_[i * row_size_]);
    }
    Node node;
    node.row = static_cast<uint32_t>(i);
    node.child_begin = order[i];
    nodes_[last].push_back(node);
    for (SlotId s : spatial_) lanes_.push_back(chains_[order[i]].steps[s]);
  }
  const auto same = [&](size_t stage, size_t a, size_t b) {
    const int64_t* key = keys.Of(order[a]);
    return std::equal(key, key + keys.ends[stage], keys.Of(order[b]));
  };
  for (size_t stage = last; stage-- > 0;) {
    uint32_t child = 0;
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      if (watch != nullptr && watch->Passed()) return;
      while (end < order.size() && same(stage, begin, end)) ++end;
      Node node;
      const Chain& chain = chains_[order[begin]];
      if (stages[stage].level > 0) {
        node.tile = static_cast<double>(TileOf(chain, stages[stage].level));
      }
      node.row = end - begin == 1 ? static_cast<uint32_t>(begin) : AddSet(layout, begin, end);
      node.child_begin = child;
      node.next_tile = 1e300;
      for (size_t i = begin; i < end; ++i) {
        if (i == begin || stage + 1 == last || !same(stage + 1, i - 1, i)) {
          node.next_tile = std::min(node.next_tile, nodes_[stage + 1][child].tile);
          ++child;
        }
      }
      node.child_end = child;
      nodes_[stage].push_back(node);
    }
  }
  root_.assign(rows_.begin(), rows_.begin() + static_cast<int64_t>(row_size_));
  for (size_t i = 1; i < order.size(); ++i) Cover(layout, &rows_[i * row_size_], root_.data());
  const size_t steps = layout.At(levels) + RowLayout::DistinctLanes(levels, 0, levels);
  for (uint32_t n = 0; n < size(0); ++n) {
    const Node& node = nodes_[0][n];
    bool repeated = n > 0;
    for (size_t s = 0; repeated && s < spatial_.size(); ++s) {
      repeated = Lanes(node, s) == Lanes(nodes_[0][n - 1], s);
    }
    if (!repeated) lane_groups_.push_back({n, n, Row(node)[steps]});
    lane_groups_.back().end = n + 1;
    lane_groups_.back().steps = std::min(lane_groups_.back().steps, Row(node)[steps]);
  }
  size_t lane_stage = 0;
  while (!stages[lane_stage].lanes) ++lane_stage;
  ListLaneOptions(lane_stage, steps);
  smallest_tile_ = 1e300;
  for (const Node& node : nodes_[0]) smallest_tile_ = std::min(smallest_tile_, node.tile);
  if (stages[0].lanes) {
    for (const LaneGroup& group : lane_groups_) AddRanges(layout, 0, group.begin, group.end);
  } else {
    AddRanges(layout, 0, 0, size(0));
  }
  for (size_t stage = 1; stage <= last; ++stage) {
    for (const Node& parent : nodes_[stage - 1]) {
      AddRanges(layout, stage, parent.child_begin, parent.child_end);
    }
  }
}

uint32_t ChainTree::AddRow(const double* row) {
  const std::vector<double> copy(row, row + row_size_);
  const auto index = static_cast<uint32_t>(rows_.size() / row_size_);
  rows_.insert(rows_.end(), copy.begin(), copy.end());
  // No lanes: a range has many.
  lanes_.insert(lanes_.end(), spatial_.size(), 0);
  return index;
}

// Returns the row of the range, a new one if there are several nodes.
uint32_t ChainTree::AddRanges(const RowLayout& layout, size_t stage, uint32_t begin, uint32_t end) {
  if (end - begin < kLeastRange) {
    if (end - begin == 1) return nodes_[stage][begin].row;
    const uint32_t row = AddRow(Row(nodes_[stage][begin]));
    for (uint32_t n = begin + 1; n < end; ++n) {
      Cover(layout, Row(nodes_[stage][n]), &rows_[row * row_size_]);
    }
    return row;
  }
  const uint32_t middle = Middle(begin, end);
  const uint32_t low = AddRanges(layout, stage, begin, middle);
  const uint32_t high = AddRanges(layout, stage, middle, end);
  const uint32_t row = AddRow(&rows_[low * row_size_]);
  Cover(layout, &rows_[high * row_size_], &rows_[row * row_size_]);
  nodes_[stage][middle].range_row = row;
  return row;
}

// The row of the chains [begin, end), in order.
uint32_t ChainTree::AddSet(const RowLayout& layout, size_t begin, size_t end) {
  std::vector<double> set(&rows_[begin * row_size_], &rows_[begin * row_size_] + row_size_);
  for (size_t i = begin + 1; i < end; ++i) Cover(layout, &rows_[i * row_size_], set.data());
  const auto row = static_cast<uint32_t>(rows_.size() / row_size_);
  rows_.insert(rows_.end(), set.begin(), set.end());
  for (size_t s = 0; s < spatial_.size(); ++s)
    lanes_.push_back(lanes_[begin * spatial_.size() + s]);
  return row;
}

TileSet::TileSet(const RowLayout& layout, const ChainTree& tree, size_t level)
    : row_size(layout.size()) {
  std::map<int64_t, std::vector<double>> sets;
  for (const ChainTree::Node& node : tree.Singles()) {
    const double* row = tree.Row(node);
    const auto [at, fresh] = sets.try_emplace(TileOf(tree.ChainOf(node), level));
    if (fresh) {
      at->second.assign(row, row + row_size);
    } else {
      Cover(layout, row, at->second.data());
    }
  }
  for (const auto& [size, row] : sets) {
    tile.push_back(static_cast<double>(size));
    rows.insert(rows.end(), row.begin(), row.end());
  }
  smallest = tile[0];
  range_rows.resize(rows.size());
  std::vector<double> set(row_size);
  FillRanges(layout, 0, tile.size(), set.data());
}

void TileSet::FillRanges(const RowLayout& layout, size_t begin, size_t end, double* set) {
  if (end - begin < ChainTree::kLeastRange) {
    std::copy_n(Row(begin), row_size, set);
    for (size_t i = begin + 1; i < end; ++i) Cover(layout, Row(i), set);
    return;
  }
  const size_t middle = begin + (end - begin) / 2;
  std::vector<double> high(row_size);
  FillRanges(layout, begin, middle, set);
  FillRanges(layout, middle, end, high.data());
  Cover(layout, high.data(), set);
  std::copy_n(set, row_size, &range_rows[middle * row_size]);
}

uint32_t ChainTree::NodeOfChain(size_t stage, size_t chain) const {
  uint32_t node = 0;
  const size_t last = nodes_.size() - 1;
  while (nodes_[last][node].child_begin != chain) ++node;
  for (size_t s = last; s > stage; --s) {
    uint32_t parent = 0;
    while (nodes_[s - 1][parent].child_end <= node) ++parent;
    node = parent;
  }
  return node;
}

}  // namespace inlay::exact_search
