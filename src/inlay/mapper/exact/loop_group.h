#pragma once

#include <cstdint>
#include <vector>

#include "inlay/mapper/exact/edge_traffic.h"

namespace inlay::exact_search {

// What has been added up so far of the bound of a set of mappings.
struct BoundSum {
  // Back to nothing. Levels above `bypass_level` are those that `bypassing` is about.
  void Begin(const KeepCase& keep_case, size_t bypass_level = 0);

  LowerBound total;           // cycles come at the end
  std::vector<double> ports;  // words, by port of the case
  // Of the total, what the edges have added at most that bypass a level above `bypass_level` and
  // have their parent above that one: BoundsByLevel counts them with the level that they bypass.
  size_t bypass_level = 0;
  LowerBound bypassing;
  // Instances of the innermost level that keeps the output which work on the same words, as far as
  // that level's own traffic has assumed them; −1: it has not.
  double output_copies = -1;

  bool IsBypassing(const Edge& edge) const { return edge.parent + 1 < bypass_level; }
};

// Temporal loops that may stand in any order among themselves: those of the levels [from, to).
struct LoopGroup {
  size_t from = 0, to = 0;
  bool moves_all = false;  // every member is moved by some loop of the group
};

// An edge in the group that moves its tile.
struct GroupMember {
  const Edge* edge = nullptr;
  const EdgeTerms* terms = nullptr;
  Repeats inside;   // with the loops of the group in full
  Repeats outside;  // with those outside the group only
};

// Memory of AddGroup, used again from call to call.
struct GroupScratch {
  // What the loops of a group, from the inside out as far as they are known, do to a member.
  struct Prefix {
    EdgeTraffic traffic;
    // Irrelevant loops inside the first relevant one repeat nothing: their share of the repeats.
    double skipped_tiles = 1, skipped_distinct_lanes = 1;
    // Ranks of several dimensions of which some loop stands inside: the words of the other ranks
    // count with the first tile of those dimensions only.
    uint64_t inside_dims = 0;
    bool full = false;  // further loops add nothing
  };
  std::vector<Prefix> prefixes;                  // [depth × members + member]
  std::vector<double> shared;                    // by member: decided lanes that share; 0: none
  std::vector<double> order_ports, least_ports;  // words of one order; least of all orders
};

// Adds the traffic of the members, in whichever order of the group's loops it is least. `inner`:
// the dimension of the innermost loop.
void AddGroup(const MappingSet& set, const LoopGroup& group,
              const std::vector<GroupMember>& members, int inner, GroupScratch* scratch,
              BoundSum* sum);

}  // namespace inlay::exact_search
