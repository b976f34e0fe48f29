#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/base/rng.h"
#include "inlay/mapspace/tilings.h"

namespace inlay {

__extension__ using Uint128 = unsigned __int128;

// What the other dimensions see of a chain: its steps in every spatial slot, which they share lanes
// with, and at which levels it has a temporal loop, which they are ordered among.
struct ChainLoops {
  std::vector<int64_t> lanes;  // by the spatial slots of SpatialSlots
  uint64_t temporal = 0;       // bit l: a temporal loop at level l
};

// Spatial slots of more than one lane, outer to inner.
std::vector<SlotId> SpatialSlots(const Space& space);

// The chains of one dimension, counted and drawn without listing them.
class ChainCounter {
 public:
  // nullopt where the numbers get out of hand: more than 2^128 chains, or in `any` a bound beyond
  // kMaxAnyBound; or once the deadline, if there is one, has passed.
  static std::optional<ChainCounter> Make(const Space& space, DimId dim,
                                          const Deadline* deadline = nullptr);
  static constexpr int64_t kMaxAnyBound = int64_t{1} << 20;

  // How many ways lead to each number of tiles (iterations) left, ascending.
  using Frontier = std::vector<std::pair<int64_t, Uint128>>;
  using Path = std::vector<std::shared_ptr<const Frontier>>;  // before the first cut, after each

  struct Entry {
    ChainLoops loops;
    Uint128 chains = 0;  // ≥ 1
    Path path;           // empty where it would take too much memory
  };
  const std::vector<Entry>& entries() const { return entries_; }

  // Uniform over the chains of one of the entries.
  Chain Draw(const Entry& entry, Rng& rng) const;

 private:
  ChainCounter(const Space& space, DimId dim);
  bool Walk(size_t i);
  bool Step(size_t i, const FactorRange& range);
  std::shared_ptr<const Frontier> Start() const;
  bool Record(const Frontier& frontier);
  std::optional<Frontier> Advance(const Frontier& from, size_t i, const FactorRange& range) const;
  static std::optional<Frontier> AdvanceToOne(const Frontier& from, const CutSlot& cut,
                                              const FactorRange& range);
  static std::pair<int64_t, int64_t> DrawBack(const Frontier& frontier, const CutSlot& cut,
                                              int64_t to, const FactorRange& range, Rng& rng);
  FactorRange RangeIn(const ChainLoops& loops, size_t i) const;
  size_t SpatialIndex(SlotId slot) const;

  const Space* space_;
  const Deadline* deadline_ = nullptr;  // of Make
  DimId dim_;
  std::vector<SlotId> spatial_;
  std::vector<CutSlot> cuts_;
  IndexedVector<SlotId, int64_t> steps_;  // of the spatial slots chosen so far
  uint64_t loops_ = 0;
  Path path_;              // while walking
  size_t kept_pairs_ = 0;  // of all frontiers so far
  std::vector<Entry> entries_;
};

}  // namespace inlay
