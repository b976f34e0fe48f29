#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inlay/cost/timeloop/boundary.h"
#include "inlay/cost/timeloop/nest.h"

namespace inlay::timeloop {

// How many groups have how many members.
struct GroupCount {
  int64_t members = 1;
  int64_t groups = 0;
};

// Counts groups by size, in the order in which the sizes first occur. `group_of` names the group of
// each lane, first occurrences ascending from 0.
std::vector<GroupCount> CountGroups(std::span<const uint32_t> group_of);
// The same for the lanes that are not `left_out`.
std::vector<GroupCount> CountGroups(std::span<const uint32_t> group_of,
                                    const std::vector<bool>& left_out);

// The children of one parent while certain dimensions are at their last step. Every lane's tile is
// lane 0's, moved; lanes that are moved alike form a group. Lanes are numbered in loop order, X
// innermost.
class LaneTable {
 public:
  LaneTable(const Nest& nest, const Projection& projection, const Boundary& boundary,
            DimMask at_last);
  DimMask at_last() const { return at_last_; }           // as given: outside the lanes
  DimMask lane_zero_mask() const { return lane_zero_; }  // inside lane 0
  int64_t lanes() const { return lanes_; }
  const std::vector<GroupCount>& groups() const { return groups_; }
  int64_t group_total() const { return group_total_; }
  // ranks words per lane
  const int64_t* Offset(size_t lane) const { return offsets_.data() + lane * ranks_; }
  std::span<const uint32_t> group_of() const { return group_of_; }

 private:
  void Enumerate(const Nest& nest, std::span<const size_t> loops, const int64_t* moves,
                 DimMask at_last, uint32_t group, std::vector<int64_t>* offset);
  void GroupByOffset();

  size_t ranks_;
  DimMask at_last_;
  DimMask lane_zero_;
  int64_t lanes_ = 0;
  std::vector<int64_t> offsets_;
  std::vector<uint32_t> group_of_;
  std::vector<GroupCount> groups_;
  int64_t group_total_ = 0;
};

// Which lanes can take their words from a mesh neighbour that received them one visit earlier.
class LinkTable {
 public:
  LinkTable(const LaneTable& now, const LaneTable& before, const Boundary& boundary, size_t ranks);
  struct Saving {
    int64_t linked_lanes = 0;
    std::vector<GroupCount> groups;  // of the others
  };
  // `distance` is from lane 0's region to where the same region lay at lane 0 one visit earlier.
  // nullopt where links do not lower the number of groups that the parent serves.
  std::optional<Saving> At(const int64_t* distance) const;

 private:
  // Calls visit(lane, neighbour) for every lane on the mesh and each neighbour that existed before,
  // above, below, left, right.
  template <typename Visit>
  void ForEachPair(const Visit& visit) const;
  bool Occurs(const int64_t* distance) const;

  const LaneTable& now_;
  const LaneTable& before_;
  int64_t mesh_x_, mesh_y_;
  size_t ranks_;
  size_t distance_count_ = 0;
  std::vector<int64_t> distances_;  // that occur between neighbours; ranks words each
};

}  // namespace inlay::timeloop
