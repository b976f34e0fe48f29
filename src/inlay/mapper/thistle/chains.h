#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/thistle/chain_list.h"
#include "inlay/mapper/thistle/model.h"

namespace inlay::thistle {

// A range of tile sizes whose members are treated alike in bounds: mostly those with the same
// number of tiles, of which there are some 2·√bound.
struct TileRange {
  int64_t smallest = 1, largest = 1;
  Cut cut;  // no member cuts less: few tiles, much overlap
};

// How the array covers a tile of one dimension: `lanes` lanes of `tile` iterations each.
struct LaneSplit {
  int64_t lanes = 1;
  int64_t tile = 1;
  double steps = 0;  // of lane 0 along this dimension, over the whole run
};

// One way to tile a dimension down to the array.
struct TileOption {
  int64_t sram = 1, array = 1;
  Cut outer, inner;  // by the SRAM tile; by both
  LaneSplit split;   // where the number of lanes is given
};

// Upper limits on the tiles of one dimension, whatever the ranges say.
struct TileLimits {
  int64_t sram = 1, array = 1;
  double steps = 0;
};

// The chains bound ≥ SRAM tile ≥ array tile ≥ register tile of one dimension.
//
// In the mapspace `any`, and with nothing but upper limits on trips and lanes, they are not listed:
// only (SRAM tile, register tile) is chosen, and the array tile is as large as both allow. A larger
// array tile makes fewer pieces (greedy pieces majorise), so every volume and the steps only fall.
// Elsewhere all chains are listed.
class Chains {
 public:
  // The watch outlives the chains. Once its time is up listing stops, and every list may be
  // incomplete: the caller has to look at the time before it relies on one.
  Chains(const Model& model, FreeIndex f, DeadlineWatch* watch, size_t most = ChainList::kMost);

  bool empty() const { return sram_.empty(); }
  // There are more chains, or in `any` more lanes, than `most`: then nothing is listed.
  bool is_too_long() const { return is_too_long_; }
  // From the fewest tiles to the most.
  const std::vector<TileRange>& sram_ranges() const { return sram_; }
  const std::vector<TileRange>& array_ranges() const { return array_; }
  // Joins neighbours until there are at most so many.
  void CoarsenSram(size_t most);
  void CoarsenArray(size_t most);

  // Lanes that are worth looking at one by one, ascending.
  const std::vector<int64_t>& lane_counts() const { return lane_counts_; }
  bool is_listed() const { return listed_; }
  int64_t max_tile() const { return max_tile_; }  // of the registers, if not listed

  // The least (lanes, register tile) needed for some member of an array range, no pair larger than
  // another in both. With `lanes`, only for (in `any`: up to) so many; then at most one.
  std::vector<LaneSplit> LeastSplits(size_t array_range, std::optional<int64_t> lanes) const;
  // No chain through the array range on so many lanes takes fewer steps.
  double LeastSteps(size_t array_range, int64_t lanes) const;
  // No chain through both ranges and within the limits cuts less.
  Cut LeastCut(size_t sram_range, size_t array_range, const TileLimits& limits) const;

  // The options of a pair of ranges within the limits; dominated ones may be missing. With `lanes`
  // each has a split, else all of them are found by Splits.
  void AddOptions(size_t sram_range, size_t array_range, const TileLimits& limits,
                  std::optional<int64_t> lanes, std::vector<TileOption>* options) const;
  std::vector<LaneSplit> Splits(const TileOption& option) const;

  // Steps of lane 0.
  double Steps(int64_t sram, int64_t array, int64_t tile) const;

 private:
  void List(size_t most);
  void FindLeastTiles();
  void MakeRangesOfAny();
  TileRange RangeOf(int64_t smallest, int64_t largest) const;
  TileOption OptionOf(int64_t sram, int64_t array) const;
  void AddOptionsOfTrips(int64_t sram_low, int64_t sram_high, int64_t array_low, int64_t array_high,
                         std::vector<TileOption>* options) const;
  void AddOptionsOnLanes(int64_t sram_low, int64_t sram_high, int64_t array_low, int64_t array_high,
                         int64_t lanes, double most_steps, std::vector<TileOption>* options) const;
  std::vector<LaneSplit> SplitsOfAny(int64_t array) const;
  void AddListedOptions(size_t sram_range, size_t array_range, const TileLimits& limits,
                        std::optional<int64_t> lanes, std::vector<TileOption>* options) const;

  const Model* model_;
  FreeIndex f_;
  DeadlineWatch* watch_;
  int64_t bound_ = 1;
  int64_t max_lanes_ = 1, max_tile_ = 1;
  bool listed_ = false, is_too_long_ = false;
  std::vector<TileRange> sram_, array_;
  ChainList list_;
  // By array range: for every number of lanes, ascending, the least register tile of its chains.
  std::vector<std::vector<LaneSplit>> least_tiles_;
  std::vector<int64_t> lane_counts_;
  mutable std::unordered_map<int64_t, std::vector<double>> least_steps_;  // by lanes, by range
};

}  // namespace inlay::thistle
