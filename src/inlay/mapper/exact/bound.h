#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/loop_group.h"

namespace inlay::exact_search {

// An edge whose tile no loop inside the level under decision moves.
struct OpenEdge {
  const Edge* edge = nullptr;
  EdgeTerms terms;
};

// Lower bounds on the cost of all mappings of a set, whatever the order of their loops.
// docs/reference/mapper-bounds.md argues for each step. Each function adds the traffic of some
// edges to a sum: first those of the levels that are to count, then those to compute; Finish makes
// it a bound. What is added depends on the arguments alone; a Bounder is the memory that the
// functions use again from call to call.
class Bounder {
 public:
  Bounder(const KeepCase& keep_case, const RowLayout& layout);

  // The mappings with these chains. The rows outlive it.
  MappingSet SetOf(const Rows& rows, const Assumptions& assumptions = {},
                   size_t order_depth = 1) const {
    return {keep_case_, layout_, rows, assumptions, order_depth};
  }

  // Everything that moves into level `child` (1 … levels, the last is compute), all loops above it
  // taken as one group in any order. `inner`: the dimension of the innermost of them.
  void AddMerged(const MappingSet& set, size_t child, int inner, BoundSum* sum);

  // Everything that moves into the levels from `first` on, compute left out. The loops of each
  // level from `first` on are a group of their own, those above a group together. The sets agree on
  // which loops are there. `inner`: of the innermost loop above the last level.
  void AddNested(const MappingSet& set, size_t first, int inner, BoundSum* sum);

  // The part of AddNested that does not depend on the tile of the level above `first`: everything
  // moved by the groups from `first` on. The edges left are put into *open. Returns `inner` if the
  // innermost loop is among those above `first`, else kAnyDim.
  int AddInnerLevels(const MappingSet& set, size_t first, int inner, BoundSum* sum,
                     std::vector<OpenEdge>* open);

  // Those edges, and everything that moves into `level`, whose tile is being decided, while the
  // loops further in are. `moved`, a bit per tensor: its open edges are moved by some loop of
  // `level`; the others by none. `inner`: of the innermost loop of all from `level` outwards.
  // False if no mapping is like that.
  bool AddLevelInCase(const MappingSet& set, size_t level, const std::vector<OpenEdge>& open,
                      uint64_t moved, int inner, BoundSum* sum);

  // Everything that the level above `level` sends inwards, compute left out, the tile of `level`
  // being decided; `bypassing`: the edges that bypass it. Bit i of `moved`: some loop from `level`
  // on moves the tile of bypassing[i]; else none does. False if no mapping is like that.
  bool AddSentInward(const MappingSet& set, size_t level, const std::vector<const Edge*>& bypassing,
                     uint64_t moved, int inner, BoundSum* sum);

  // Off-chip words of everything that moves into level 1 and of `bypassing`, edges from level 0 to
  // a level further in, the tiles of level 1 being decided. Bit i of `moved`: some temporal loop
  // from level 1 on moves the tile of bypassing[i], so no loop of level 0 finds it in place; else
  // none does. Infinite if no mapping is like that.
  double OffchipInCase(const MappingSet& set, const std::vector<const Edge*>& bypassing,
                       size_t moved);

 private:
  void AddMembers(const MappingSet& set, const LoopGroup& group, int inner, BoundSum* sum);
  // Makes an edge into `child` a member, with the loops of the first `levels` levels repeating it.
  void TakeEdge(const MappingSet& set, size_t child, size_t e, size_t levels);
  const EdgeTerms& UpdateBypassing(const MappingSet& set, const Edge& edge, size_t i);

  const KeepCase& keep_case_;
  const RowLayout& layout_;
  std::vector<std::vector<EdgeTerms>> terms_;  // [child][edge]
  std::vector<EdgeTerms> bypassing_terms_;
  std::vector<GroupMember> members_;
  std::vector<OpenEdge> open_;
  GroupScratch scratch_;
  BoundSum case_sum_;
};

// The bound that has been added up, with operations, cycles (at least `steps`) and leakage.
LowerBound Finish(const MappingSet& set, double steps, const BoundSum& sum);

}  // namespace inlay::exact_search
