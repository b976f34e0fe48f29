#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inlay/cost/exact/chain.h"

namespace inlay::exact {

// Lanes of one dimension at one step that have the same sizes: `count` new blocks at offset, offset
// + stride, …; each comes from a previous block of `before` iterations that lies `delta` further.
struct LaneRun {
  int64_t offset = 0, count = 1, stride = 1;
  int64_t size = 1, before = 1, delta = 0;
  int64_t except = 0;  // as in Bundle
};

// Kinds of steps of one dimension, each with the lanes that take part in it, in storage that is
// reused.
struct StepClasses {
  struct Class {
    int64_t mult = 1;  // steps (and instances of the outer level) that look alike
    size_t begin = 0, end = 0;
  };
  std::vector<Class> classes;
  std::vector<LaneRun> runs;

  void Clear();
  void Begin(int64_t mult);  // starts a class, to which the runs pushed next belong
  void End();                // drops the class if it got no runs
  std::span<const LaneRun> RunsOf(const Class& c) const;
};

// One dimension of a rank in which several dimensions are unrolled below the same instance.
struct MeetingDim {
  int64_t bound = 1;
  int64_t coefficient = 1;
  std::vector<ChainLoop> loops;
  std::vector<uint8_t>
      apart;  // per loop: 1 if its lanes lie under different instances of the outer level
};

// Words of a rank summed over the groups of lanes that go from the same interval to the same
// interval.
template <typename Int>
struct RankSum {
  Int words = 0;    // Σ of the new extents
  Int overlap = 0;  // Σ of what was already there
};

// For ranks where unrolled dimensions meet (p on one axis, r on the other): different lanes can
// then hold the same interval. Counts every pair (new interval, previous interval) once per step
// and instance of the outer level.
class MeetingRank {
 public:
  // With history false there is no previous interval: operands of compute.
  template <typename Int>
  RankSum<Int> Sum(std::span<const MeetingDim> dims, bool history);

 private:
  // Lanes in words of the rank; sums over dimensions have the same form. size and before are last −
  // first.
  struct Interval {
    int64_t size = 0, before = 0, delta = 0, offset = 0;
    auto operator<=>(const Interval&) const = default;
  };

  void Classify(const MeetingDim& dim, StepClasses* result);
  void SameIndex(std::span<const LaneRun> runs, int64_t mult, int64_t step, bool advance);
  void ExpandLanes(const LaneRun& run, int64_t step);
  template <typename Int>
  bool AddByFormula(std::span<const MeetingDim> dims, Int mult, bool history, RankSum<Int>* sum);
  template <typename Int>
  void AddOneByOne(std::span<const MeetingDim> dims, Int mult, bool history, RankSum<Int>* sum);

  std::vector<StepClasses> classes_;  // per dimension
  std::vector<size_t> chosen_;        // the class of each dimension under consideration
  StepClasses next_;
  std::vector<Interval> intervals_, sums_;
};

// Words of [0, size] ∩ [delta, delta + before].
inline int64_t IntervalOverlap(int64_t size, int64_t before, int64_t delta) {
  const int64_t low = delta > 0 ? delta : 0;
  const int64_t high = size < delta + before ? size : delta + before;
  return high < low ? 0 : high - low + 1;
}

// |{a·i + b·j : 0 ≤ i < n, 0 ≤ j < m}|, a, b > 0.
int64_t DistinctSums(int64_t a, int64_t n, int64_t b, int64_t m);

}  // namespace inlay::exact
