#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/exact/chain_bounds.h"
#include "inlay/mapper/exact/chain_tree.h"
#include "inlay/mapper/exact/keep_case.h"

namespace inlay::exact_search {

// How many lanes can share a word, tensor by tensor, while some dimensions have no lanes yet. The
// lanes left are shared out among these dimensions, and what one tensor gains another one lacks.
class Sharing {
 public:
  static constexpr size_t kMostTensors = 4;
  using Lanes = std::array<double, kMostTensors>;  // by tensor

  Sharing(const Space& space, const KeepCase& keep_case, const std::vector<ChainTree>& trees,
          const Deadline& deadline);

  // Whether all lanes lie between the same two levels, so that there is one number of lanes.
  bool applies() const { return applies_; }
  // Whether the lanes lie between the two levels of an edge.
  bool Concerns(const Edge& edge) const { return edge.parent <= level_ && edge.child > level_; }

  // A dimension that takes at least so many lanes.
  struct LaneFloor {
    size_t dim = 0;
    int64_t lanes = 1;
  };
  // Every way to share out `lanes_left` among the dimensions of a set is in no tensor above some
  // of these. There may be none. Where there are too many ways to look at them all, or no time, it
  // is one for all: every tensor has all lanes.
  const std::vector<Lanes>& Ways(uint64_t open_dims, int64_t lanes_left, const LaneFloor& floor);

  // The lanes of the other dimensions that can share words of the edge, at most.
  double OfDecided(std::span<const double* const> rows, const RowLayout& layout, const Edge& edge,
                   uint64_t open_dims) const;

 private:
  struct Listing;

  const KeepCase& keep_case_;
  const Deadline* deadline_;
  bool applies_ = false;
  size_t level_ = 0;                           // the fan-out is inside it
  std::vector<std::vector<int64_t>> options_;  // by dimension, ascending
  using Key = std::array<uint64_t, 4>;
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::vector<Lanes>, Hash> ways_;
};

}  // namespace inlay::exact_search
