#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inlay/cost/exact/counter.h"
#include "inlay/cost/exact/meeting_rank.h"
#include "inlay/cost/exact/nest.h"
#include "inlay/cost/exact/problem_tables.h"

namespace inlay::exact {

inline constexpr size_t kNoLevel = ~size_t{0};

// What enters the tiles of one level, for one tensor, over the whole run.
template <typename Int>
struct Traffic {
  Int lanes = 0;     // words, every lane counted
  Int groups = 0;    // words, lanes that go from the same box to the same box counted once
  Int distinct = 0;  // output only: of the words per group, those that enter for the first time
};

// Two ways to the same figures: PerfectTraffic for mappings whose every tile is full, RaggedTraffic
// for all. Use: Begin(nest) once per mapping, then
//  - Compute: the traffic into level `child` for every tensor t with outer[t] != kNoLevel, which is
//    the level that feeds it; the others are left alone. Returns how many lanes of the level are
//    ever active.
//  - Operands: distinct operand points per step, summed over steps and instances of level `outer`,
//    the words that compute reads from it if all fan-outs between them multicast.
template <typename Int>
class PerfectTraffic {
 public:
  void Begin(const Tables& tables, const FlatNest& nest);
  int64_t Compute(const Tables& tables, const FlatNest& nest, size_t child,
                  const std::vector<size_t>& outer, std::vector<Traffic<Int>>* traffic);
  Int Operands(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer);
  int64_t Lanes(const FlatNest& nest, size_t level) const {
    return lanes_outside_[nest.above[level]];
  }
  int64_t Steps() const { return steps_outside_.back(); }

 private:
  int64_t GroupsBetween(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer,
                        size_t child);

  std::vector<int64_t> steps_outside_;  // per loop: product of the temporal trips outside it
  std::vector<int64_t> lanes_outside_;  // per loop: product of the spatial trips outside it
  std::vector<int64_t> displacement_;   // per rank: previous tile − new tile
  std::vector<uint8_t> moved_;          // per tensor: has an inner step moved it?
  LaneOffsets lane_offsets_;
};

template <typename Int>
class RaggedTraffic {
 public:
  void Begin(const Tables& tables, const FlatNest& nest);
  int64_t Compute(const Tables& tables, const FlatNest& nest, size_t child,
                  const std::vector<size_t>& outer, std::vector<Traffic<Int>>* traffic);
  Int Operands(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer);

 private:
  // One dimension above the child level at the kind of step under consideration.
  struct DimState {
    std::vector<ChainLoop> loops;   // all of the dimension's chain
    size_t length = 0;              // of these, those above the child
    size_t lanes_level = kNoLevel;  // owner of the innermost spatial one; kNoLevel if none
    // Even dimensions have one bundle, known without enumeration:
    int64_t lanes = 1;            // product of the spatial trips
    int64_t outside = 1;          // product of the temporal trips outside the loop that advances
    int64_t last = 0;             // offset of the last inner tile
    std::vector<Bundle> bundles;  // now, unless stale
    int64_t count = 0;            // Σ of their mult
    bool stale = true;
    std::span<const ChainLoop> Loops() const {
      const std::span<const ChainLoop> all = loops;
      return all.first(length);
    }
  };
  void Start(const Tables& tables, const FlatNest& nest, size_t child);
  void SetEven(size_t dim, int64_t size, int64_t mult, int64_t delta);
  void Touch(const Tables& tables, const FlatNest& nest, size_t dim);
  const DimState& Fresh(const Tables& tables, size_t dim);
  void FreshenRank(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer);
  int64_t DistinctLanes(const Tables& tables, const FlatNest& nest, size_t slot, size_t dim,
                        size_t outer);
  void Accumulate(const Tables& tables, const FlatNest& nest, const std::vector<size_t>& outer,
                  std::vector<Traffic<Int>>* traffic);
  void FreshenWords(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer);
  void FreshenTimes(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer);
  void FirstStep(const Tables& tables, const FlatNest& nest, const std::vector<size_t>& outer,
                 std::vector<Traffic<Int>>* traffic);
  Int FirstEntries(const Tables& tables, const FlatNest& nest, size_t outer);
  int64_t CountBelow(const Tables& tables, const FlatNest& nest, size_t dim, size_t outer);
  bool Unrolled(size_t dim, size_t outer) const {
    return dims_[dim].lanes_level != kNoLevel && dims_[dim].lanes_level >= outer;
  }
  bool Meets(const Tables& tables, size_t rank, size_t outer) const;
  bool AllEven(const Tables& tables, const FlatNest& nest, size_t rank) const;
  int64_t SharedLanes(const FlatNest& nest, size_t dim, size_t outer) const;
  RankSum<Int> SumOf(const Tables& tables, size_t rank);
  RankSum<Int> SumOfMany(const Tables& tables, size_t rank);
  RankSum<Int> GroupSumOf(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer,
                          bool history);

  size_t child_ = 0;
  std::vector<DimState> dims_;
  // Computed when asked for, and again after a dimension they depend on has changed.
  std::vector<RankSum<Int>> sum_, group_;  // per rank: every lane counted; groups counted once
  std::vector<uint8_t> rank_stale_;
  struct TensorProduct {
    bool words_stale = true, times_stale = true;
    Int lanes = 0, groups = 0;              // words that enter, over the relevant dimensions
    Int lanes_times = 0, groups_times = 0;  // how often, over the irrelevant ones
  };
  std::vector<TensorProduct> product_;  // per tensor
  std::vector<int64_t>
      distinct_lanes_;  // [tensor × dims + dim], irrelevant ones: shared lanes once; −1: stale
  std::vector<uint8_t> moved_;    // per tensor: has an inner step moved it?
  std::vector<size_t> position_;  // per dimension: loops of its chain not yet passed
  std::vector<ChainLoop> scratch_;
  std::vector<MeetingDim> meeting_;
  ChainEnumerator chain_;
  MeetingRank meeting_rank_;
  LaneOffsets lane_offsets_;
};

}  // namespace inlay::exact
