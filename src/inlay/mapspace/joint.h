#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "inlay/mapspace/profiles.h"

namespace inlay {

// What the dimensions taken together so far use: the product of their steps in every spatial slot
// and, per level, how many of their loops may stand in any order. As one number, mixed radix.
using JointKey = uint64_t;

// Packs and unpacks the keys of one space.
class JointCode {
 public:
  // nullopt where a key does not fit into 64 bits.
  static std::optional<JointCode> Make(const Space& space);

  static constexpr JointKey kNone = 0;  // no dimension yet

  // The key after a dimension of this profile joins; nullopt if the lanes do not suffice.
  std::optional<JointKey> Join(JointKey key, DimId dim, const Profile& profile) const;
  // The key before it joined; nullopt if it cannot have.
  std::optional<JointKey> Leave(JointKey key, DimId dim, const Profile& profile) const;
  // Whether the lanes of a complete tiling satisfy Space::min_lanes.
  bool HasMinLanes(JointKey key) const;
  // Per level, the loops that may stand in any order.
  std::vector<int> FreeLoops(JointKey key) const;

 private:
  struct Digit {
    uint64_t unit = 1;
    uint64_t radix = 1;
    uint64_t Of(JointKey key) const { return key / unit % radix; }
  };
  explicit JointCode(const Space& space) : space_(&space), spatial_(SpatialSlots(space)) {}

  const Space* space_;
  std::vector<SlotId> spatial_;
  std::vector<Digit> lanes_;  // by spatial_; the digit is one less than the lanes
  std::vector<Digit> loops_;  // by level; of radix 1 where the number makes no difference
  IndexedVector<DimId, uint64_t> free_levels_;  // bits: where a loop of it may stand anywhere
};

// n! for the number of loops at every level.
template <typename Number>
Number OrdersOfLoops(const std::vector<int>& free_loops) {
  Number orders(1);
  for (const int loops : free_loops) {
    for (int i = 2; i <= loops; ++i) orders *= Number(i);
  }
  return orders;
}

// Per dimension, how many tilings of the dimensions up to it lead to each key.
template <typename Number>
using JointTable = std::vector<std::unordered_map<JointKey, Number>>;

template <typename Number>
JointTable<Number> JoinDimensions(const JointCode& code,
                                  const std::vector<ChainCounter>& counters) {
  JointTable<Number> table;
  std::unordered_map<JointKey, Number> before = {{JointCode::kNone, Number(1)}};
  for (size_t d = 0; d < counters.size(); ++d) {
    std::unordered_map<JointKey, Number> after;
    for (const auto& [key, tilings] : before) {
      for (const ChainCounter::Entry& entry : counters[d].entries()) {
        const auto next = code.Join(key, DimId(d), entry.profile);
        if (!next) continue;
        Number product = tilings;
        product *= Number(entry.chains);
        after[*next] += product;
      }
    }
    table.push_back(after);
    before = std::move(after);
  }
  return table;
}

}  // namespace inlay
