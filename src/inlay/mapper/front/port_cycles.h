#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/edge_bounds.h"

namespace inlay::exact_search {

// Cycles that the ports of level 1 need at least, for tiles of level 1 together with what stands
// inside its temporal loops (an entry). Most of it depends on one of the two alone, and is looked
// up. By the dimension of the innermost temporal loop above level 2: a tensor that it concerns
// enters level 2 at every step of all loops, whatever the tiles of level 1; of the others, one that
// some loop of level 1 moves enters again at every step of level 0, whatever the entry.
class PortCycles {
 public:
  PortCycles(const KeepCase& keep_case, const RowLayout& layout);

  bool empty() const { return ports_.empty(); }
  // An entry more, one row per dimension: all chains that it is part of.
  void Add(const Rows& rows);
  // Takes up tiles of level 1, one row per dimension.
  void Begin(const Rows& rows);
  // Dimensions that the innermost temporal loop above level 2 can move, a bit each, if `moved` have
  // one at level 1.
  uint64_t Inner(uint64_t moved) const { return moved != 0 ? moved : outer_moved_; }
  // If it moves `inner` (kNoDim: there is none).
  double Cycles(size_t entry, uint64_t moved, int inner) const;

 private:
  double CyclesOf(const double* words) const;

  const KeepCase& keep_case_;
  const RowLayout& layout_;
  std::vector<const Edge*> edges_;  // from level 1 to level 2
  std::vector<uint64_t> concerns_;  // by edge: its dimensions
  std::vector<size_t> ports_;       // of level 1
  size_t width_ = 0;                // figures per entry
  // By entry: per innermost dimension and port, words of the edges it concerns; then per edge and
  // port, words that enter once.
  std::vector<double> figures_;
  std::vector<double> outside_;             // by port: what enters level 1
  std::vector<std::vector<double>> again_;  // [edge][port], if level 1 moves its tile
  uint64_t outer_moved_ = 0;                // dimensions with a loop at level 0
};

}  // namespace inlay::exact_search
