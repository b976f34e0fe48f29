#pragma once

#include "inlay/mapper/exact/box_bound.h"

namespace inlay::exact_search {

// What the parts of BoxBounder tell each other: sizes and words of a range.

constexpr int64_t kMostSize = int64_t{1} << 30;  // of dimensions and lanes

inline bool Has(uint32_t set, size_t i) { return (set >> i & 1) != 0; }

// Per level; sizes at most but where it says otherwise. Level `levels` is compute.
struct BoxBounder::Sizes {
  std::array<Extents, kMostLevels + 1> tile, tile_lo, lanes, lanes_lo;
  std::array<Extents, kMostLevels> step_lo;  // iterations that all lanes take in a step, at least
  std::array<uint32_t, kMostLevels + 1> moved_at{};  // dimensions that a loop of the level may move
  std::array<uint32_t, kMostLevels + 1> moved_above{};  // … of any level further out
  // By level and tensor: products over the dimensions that do not concern it.
  std::array<std::array<double, kMostTensors>, kMostLevels + 1> tile_product, lanes_product;
  // By level and tensor: iterations of the dimensions that concern it in a tile at most, and in the
  // tiles of all lanes.
  std::array<std::array<double, kMostTensors>, kMostLevels + 1> tile_words, all_words;
};

// The steps of a lane of a level within a tile of the next level outwards.
struct BoxBounder::LaneSteps {
  Extents tile, range, rounds;     // a step; all of them; their number at most
  uint32_t moving = 0, above = 0;  // dimensions that may move within the outer tile; at all
  bool steady = false;
};

// Words per operation that enter a level over one edge.
struct BoxBounder::EdgeWords {
  // By the tensor in place: some dimension moves that is in no rank of several; only such as are.
  // Then the same for phases that began further out.
  std::array<std::array<Words, 4>, kMostTensors> phases;
  Words none;  // no tensor in place
  double per_group = 1, per_lane = 1, per_outer = 1;
  double most_kept = 1;  // for lanes that may be idle, not even once per outer tile
  bool even = true;  // lanes that share have as many steps of a phase in which nothing else moves
  double copies = 1, lane_copies = 1;  // of a word, in instances of the parent and of the child
};

struct BoxBounder::LevelWords {
  std::array<EdgeWords, kMostTensors> edges;
  std::array<std::array<bool, 2>, kMostTensors> allowed;
  bool none_allowed = true;
  // Of the iterations of a lane's phase those of its first step, as far as its sizes tell.
  std::array<std::array<double, 2>, kMostTensors> first_part;
  std::array<double, kMostTensors> tile_words, all_words;
};

// What passes by a level on its way to the next one, at least: it enters there once for each tile
// of the level.
struct BoxBounder::PassingBy {
  int tensor = -1;  // −1: nothing does
  double cost = 0;  // falls with the size below, if it is not above `most`
  double most = 0;
  double per_tile = 1;  // one over the tile's iterations that do not concern the tensor
};

}  // namespace inlay::exact_search
