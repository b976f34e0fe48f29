#pragma once

#include <cstdint>
#include <vector>

#include "inlay/core/problem.h"
#include "inlay/cost/meet.h"
#include "inlay/cost/nest.h"

namespace inlay::exact {

// A problem with its names gone: flat tables for the inner loops of the closed form.
struct Tables {
  explicit Tables(const Problem& problem);

  struct FlatTerm {
    size_t dim = 0;
    int64_t coefficient = 1;
  };
  size_t dims = 0;
  size_t tensors = 0;
  std::vector<int64_t> bound;                // per dimension
  std::vector<std::vector<FlatTerm>> ranks;  // of all tensors, one after the other
  std::vector<size_t> rank_begin;            // [tensor], and one past the last
  std::vector<int> rank_of;  // [tensor × dims + dim]: index into ranks, −1 if irrelevant
  std::vector<int64_t> coefficient_of;  // [tensor × dims + dim]
  size_t output = 0;
  int64_t operations = 1;
  bool fits_64 = true;  // every count of every mapping fits into 64 bits

  bool Relevant(size_t tensor, size_t dim) const { return rank_of[tensor * dims + dim] >= 0; }
};

inline constexpr size_t kNoLevel = ~size_t{0};

// What enters the tiles of one level, for one tensor, over the whole run.
template <typename Int>
struct Traffic {
  Int lanes = 0;     // words, every lane counted
  Int groups = 0;    // words, lanes that go from the same box to the same box counted once
  Int distinct = 0;  // output only: of the words per group, those that enter for the first time
};

// Traffic into level `child` (one past the last level: not allowed, see Operands) for every tensor
// t with outer[t] != kNoLevel, the level that feeds it. `lanes` receives the number of lanes of the
// level that are ever active. Two ways to the same figures: one for mappings whose every tile is
// full, one for all.
template <typename Int>
class PerfectTraffic {
 public:
  int64_t Compute(const Tables& tables, const FlatNest& nest, size_t child,
                  const std::vector<size_t>& outer, std::vector<Traffic<Int>>* traffic);

  // Distinct operand points per step summed over steps and instances of level `outer`: what the
  // compute lanes ask of it if the fan-outs between can share.
  Int Operands(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer);

 private:
  int64_t GroupsBetween(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer,
                        size_t child);
  int64_t DistinctOffsets(const Tables& tables, const FlatNest& nest, size_t rank, size_t outer,
                          size_t child);

  std::vector<int64_t> steps_outside_;  // per loop: product of the temporal trips outside it
  std::vector<int64_t> extent_, displacement_;  // per rank
  std::vector<int64_t> tile_;                   // per tensor
  std::vector<uint8_t> moved_;                  // per tensor: has an inner step moved it?
  std::vector<int64_t> offsets_, sums_;
};

// Lanes and steps of one dimension; their products over the dimensions are those of the nest.
class StepCounter {
 public:
  // Lanes of a level that are ever active.
  int64_t Lanes(const Tables& tables, const FlatNest& nest, size_t dim, size_t level);
  // Steps of lane 0 of the compute lanes.
  int64_t Steps(const Tables& tables, const FlatNest& nest, size_t dim);

 private:
  std::vector<ChainLoop> scratch_;
  ChainEnumerator chain_;
};

template <typename Int>
class RaggedTraffic {
 public:
  int64_t Compute(const Tables& tables, const FlatNest& nest, size_t child,
                  const std::vector<size_t>& outer, std::vector<Traffic<Int>>* traffic);
  Int Operands(const Tables& tables, const FlatNest& nest, size_t tensor, size_t outer);

 private:
  // One dimension above the child level at the kind of step under consideration.
  struct DimState {
    std::vector<ChainLoop> loops;
    std::vector<size_t> level;  // owner of each loop
    std::vector<uint8_t> spatial;
    bool even = true;
    int64_t size = 1;     // even: of every tile
    int64_t lanes = 1;    // even: product of the spatial trips
    int64_t outside = 1;  // even: product of the temporal trips outside the loop that advances
    int64_t last = 0;     // even: offset of the last inner tile
    std::vector<Bundle> bundles;  // now
    int64_t count = 0;            // Σ of their mult
  };

  void Start(const Tables& tables, const FlatNest& nest, size_t child);
  void Refresh(const Tables& tables, size_t dim, const std::vector<size_t>& outer);
  void RefreshRank(const Tables& tables, size_t rank, size_t outer);
  void Accumulate(const Tables& tables, const std::vector<size_t>& outer, bool first_step,
                  std::vector<Traffic<Int>>* traffic);
  int64_t CountBelow(const Tables& tables, size_t dim, size_t outer);
  bool Unrolled(size_t dim, size_t outer) const;
  RankSum<Int> SumOf(const Tables& tables, size_t rank) const;
  RankSum<Int> Meet(const Tables& tables, size_t rank, size_t outer, bool history);
  bool Meets(const Tables& tables, size_t rank, size_t outer) const;

  std::vector<DimState> dims_;
  std::vector<RankSum<Int>> sum_, group_;  // per rank: every lane counted; groups counted once
  std::vector<int64_t>
      leaders_;  // [tensor × dims + dim], irrelevant dims: count with shared lanes once
  std::vector<size_t> position_;  // per dimension: loops of its chain passed so far
  std::vector<ChainLoop> scratch_;
  std::vector<MeetingDim> meeting_;
  ChainEnumerator chain_;
  MeetingRank meeting_rank_;
};

}  // namespace inlay::exact
