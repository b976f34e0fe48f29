#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inlay/base/big_uint.h"
#include "inlay/mapspace/chain_counter.h"

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

  // The key after a dimension of these loops joins; nullopt if the lanes do not suffice.
  std::optional<JointKey> Join(JointKey key, DimId dim, const ChainLoops& loops) const;
  // The key before it joined; nullopt if it cannot have.
  std::optional<JointKey> Leave(JointKey key, DimId dim, const ChainLoops& loops) const;
  // Whether the lanes of a complete tiling satisfy Space::min_lanes.
  bool HasMinLanes(JointKey key) const;
  // Per level, the loops that may stand in any order.
  std::vector<uint64_t> FreeLoops(JointKey key) const;

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
Number OrdersOfLoops(const std::vector<uint64_t>& free_loops) {
  Number orders(1);
  for (const uint64_t loops : free_loops) {
    for (uint64_t i = 2; i <= loops; ++i) orders *= static_cast<Number>(i);
  }
  return orders;
}

// Per dimension, how many tilings of the dimensions up to it lead to each key.
template <typename Number>
using JointTable = std::vector<std::unordered_map<JointKey, Number>>;

// The chains of every dimension and how they combine. Refers to the space.
template <typename Number>
struct JointSpace {
  std::vector<ChainCounter> counters;  // by dimension
  JointCode code;
  JointTable<Number> table;  // by dimension
};

// The parts of a JointSpace that need no arithmetic. A fault where the space is too large, or the
// deadline has passed.
tl::expected<std::vector<ChainCounter>, Faults> CountChains(const Space& space,
                                                            const Deadline* deadline);
Fault CountingStopped();
tl::expected<JointCode, Faults> MakeJointCode(const Space& space);

template <typename Number>
Number NumberOf(Uint128 value);
template <>
inline double NumberOf<double>(Uint128 value) {
  return static_cast<double>(value);
}
template <>
inline BigUint NumberOf<BigUint>(Uint128 value) {
  return BigUint::FromHalves(static_cast<uint64_t>(value >> 64), static_cast<uint64_t>(value));
}

template <typename Number>
JointTable<Number> JoinDimensions(const JointCode& code, const std::vector<ChainCounter>& counters,
                                  const Deadline* deadline) {
  JointTable<Number> table;
  std::unordered_map<JointKey, Number> start = {{JointCode::kNone, static_cast<Number>(1)}};
  for (size_t d = 0; d < counters.size(); ++d) {
    std::vector<Number> chains;
    for (const auto& entry : counters[d].entries())
      chains.push_back(NumberOf<Number>(entry.chains));
    table.emplace_back();
    for (const auto& [key, tilings] : d == 0 ? start : table[d - 1]) {
      if (deadline != nullptr && deadline->Passed()) return table;
      for (size_t i = 0; i < chains.size(); ++i) {
        const auto next = code.Join(key, DimId(d), counters[d].entries()[i].loops);
        if (!next) continue;
        Number product = tilings;
        product *= chains[i];
        table[d][*next] += product;
      }
    }
  }
  return table;
}

template <typename Number>
tl::expected<JointSpace<Number>, Faults> JoinSpace(const Space& space,
                                                   const Deadline* deadline = nullptr) {
  auto counters = CountChains(space, deadline);
  if (!counters) return tl::unexpected(std::move(counters.error()));
  auto code = MakeJointCode(space);
  if (!code) return tl::unexpected(std::move(code.error()));
  JointTable<Number> table = JoinDimensions<Number>(*code, *counters, deadline);
  if (deadline != nullptr && deadline->Passed()) return tl::unexpected(Faults{CountingStopped()});
  return JointSpace<Number>{std::move(*counters), std::move(*code), std::move(table)};
}

}  // namespace inlay
