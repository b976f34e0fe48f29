#include "inlay/cost/exact/meeting_rank.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact {
namespace {

int64_t ChildOrNone(int64_t size, int64_t step, int64_t index) {
  return std::max<int64_t>(0, std::min(step, size - index * step));
}

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

int64_t NextChangeOrNever(int64_t size, int64_t step, int64_t index) {
  const int64_t full = size / step;
  if (index < full) return full;
  return index * step < size ? index + 1 : kNever;
}

}  // namespace

int64_t DistinctSums(int64_t a, int64_t n, int64_t b, int64_t m) {
  // a·i + b·j repeats exactly along (i, j) + k·(b/g, −a/g).
  const int64_t g = std::gcd(a, b);
  return n * m - std::max<int64_t>(0, n - b / g) * std::max<int64_t>(0, m - a / g);
}

void StepClasses::Clear() {
  classes.clear();
  runs.clear();
}

void StepClasses::Begin(int64_t mult) { classes.push_back({mult, runs.size(), runs.size()}); }

void StepClasses::End() {
  classes.back().end = runs.size();
  if (classes.back().begin == classes.back().end) classes.pop_back();
}

std::span<const LaneRun> StepClasses::RunsOf(const Class& c) const {
  const std::span<const LaneRun> all = runs;
  return all.subspan(c.begin, c.end - c.begin);
}

// Splits a class by the index that all its lanes share: a temporal loop outside the one that
// advances, that loop itself (index i before, i + 1 after), or lanes under different instances of
// the outer level.
void MeetingRank::SameIndex(std::span<const LaneRun> runs, int64_t mult, int64_t step,
                            bool advance) {
  int64_t end = 0;
  for (const LaneRun& run : runs) end = std::max(end, CeilDiv(run.size, step));
  for (int64_t i = advance ? 1 : 0; i < end;) {
    int64_t next = end;
    for (const LaneRun& run : runs) {
      next = std::min({next, NextChangeOrNever(run.size, step, i),
                       NextChangeOrNever(run.before, step, i),
                       NextChangeOrNever(run.except, step, i)});
    }
    next_.Begin(mult * (next - i));
    for (LaneRun run : runs) {
      run.size = ChildOrNone(run.size, step, i);
      run.before = advance ? step : ChildOrNone(run.before, step, i);
      run.delta = advance ? -step : run.delta;
      run.except = ChildOrNone(run.except, step, i);
      if (run.except < std::min(run.size, run.before)) next_.runs.push_back(run);
    }
    next_.End();
    i = next;
  }
}

// Unrolls a spatial loop below the outer level's instance: full lanes stay one run.
void MeetingRank::ExpandLanes(const LaneRun& run, int64_t step) {
  const int64_t end = CeilDiv(std::min(run.size, run.before), step);
  for (int64_t i = 0; i < end;) {
    const int64_t next =
        std::min({end, NextChangeOrNever(run.size, step, i), NextChangeOrNever(run.before, step, i),
                  NextChangeOrNever(run.except, step, i)});
    LaneRun lanes = run;
    lanes.size = ChildOrNone(run.size, step, i);
    lanes.before = ChildOrNone(run.before, step, i);
    lanes.except = ChildOrNone(run.except, step, i);
    if (lanes.except < std::min(lanes.size, lanes.before)) {
      const int64_t count = next - i;
      const bool joins = run.count == 1 || (i == 0 && run.stride == step * count);
      lanes.offset = run.offset + i * step;
      if (joins) {
        lanes.stride = step;
        lanes.count = run.count * count;
        next_.runs.push_back(lanes);
      } else if (count == 1) {
        next_.runs.push_back(lanes);
      } else {
        lanes.count = count;
        lanes.stride = step;
        for (int64_t k = 0; k < run.count; ++k, lanes.offset += run.stride)
          next_.runs.push_back(lanes);
      }
    }
    i = next;
  }
}

void MeetingRank::Classify(const MeetingDim& dim, StepClasses* result) {
  size_t lanes_end = 0;
  for (size_t i = 0; i < dim.loops.size(); ++i) {
    if (dim.loops[i].role == LoopRole::kLane) lanes_end = i + 1;
  }
  result->Clear();
  result->Begin(1);
  LaneRun whole;
  whole.size = whole.before = dim.bound;
  result->runs.push_back(whole);
  result->End();
  for (size_t i = 0; i < dim.loops.size(); ++i) {
    const int64_t step = dim.loops[i].step;
    next_.Clear();
    for (const StepClasses::Class& c : result->classes) {
      const auto runs = result->RunsOf(c);
      const LoopRole role = dim.loops[i].role;
      if (role == LoopRole::kOutside || role == LoopRole::kAdvance || dim.apart[i] != 0) {
        SameIndex(runs, c.mult, step, role == LoopRole::kAdvance);
        continue;
      }
      next_.Begin(c.mult);
      for (const LaneRun& run : runs) {
        if (role == LoopRole::kLane) {
          ExpandLanes(run, step);
          continue;
        }
        if (role == LoopRole::kFirst) {
          LaneRun first = run;
          first.size = std::min(step, run.size);
          first.before = std::min(step, run.before);
          first.except = std::min(step, run.except);
          next_.runs.push_back(first);
          continue;
        }
        // kInside, as in ChainEnumerator: last valid child before, child 0 after.
        const int64_t last = (run.before - 1) / step;
        const int64_t rest = run.before - last * step;
        LaneRun child = run;
        child.size = std::min(step, run.size);
        child.before = rest;
        child.delta = run.delta + last * step;
        child.except = std::min(step, run.except);
        const int64_t except = child.except;
        if (child.except < std::min(child.size, rest)) next_.runs.push_back(child);
        if (i < lanes_end && rest < step && last > 0 && std::max(except, rest) < child.size) {
          child.before = step;
          child.delta -= step;
          child.except = std::max(except, rest);
          next_.runs.push_back(child);
        }
      }
      next_.End();
    }
    SwapScratch(&result->classes, &next_.classes);
    SwapScratch(&result->runs, &next_.runs);
  }
  for (LaneRun& run : result->runs) {
    if (run.except > 0) run.count = 0;  // no lanes left
  }
}

// Two dimensions: runs combine pairwise, and within a pair of runs equal offsets are counted by
// DistinctSums. False if two pairs of runs could produce the same pair of intervals.
template <typename Int>
bool MeetingRank::AddByFormula(std::span<const MeetingDim> dims, Int mult, bool history,
                               RankSum<Int>* sum) {
  if (dims.size() != 2) return false;
  const int64_t ca = dims[0].coefficient, cb = dims[1].coefficient;
  const auto as = classes_[0].RunsOf(classes_[0].classes[chosen_[0]]);
  const auto bs = classes_[1].RunsOf(classes_[1].classes[chosen_[1]]);
  intervals_.clear();
  RankSum<Int> result;
  for (const LaneRun& a : as) {
    for (const LaneRun& b : bs) {
      if (a.count == 0 || b.count == 0) continue;
      Interval key{ca * (a.size - 1) + cb * (b.size - 1), 0, 0, 0};
      if (history) {
        key.before = ca * (a.before - 1) + cb * (b.before - 1);
        key.delta = ca * a.delta + cb * b.delta;
      }
      if (std::find(intervals_.begin(), intervals_.end(), key) != intervals_.end()) return false;
      intervals_.push_back(key);
      const Int groups = DistinctSums(ca * a.stride, a.count, cb * b.stride, b.count);
      result.words += groups * (key.size + 1);
      if (history) result.overlap += groups * IntervalOverlap(key.size, key.before, key.delta);
    }
  }
  sum->words += mult * result.words;
  sum->overlap += mult * result.overlap;
  return true;
}

template <typename Int>
void MeetingRank::AddOneByOne(std::span<const MeetingDim> dims, Int mult, bool history,
                              RankSum<Int>* sum) {
  intervals_.clear();
  intervals_.push_back({});
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t c = dims[d].coefficient;
    sums_.clear();
    for (const LaneRun& run : classes_[d].RunsOf(classes_[d].classes[chosen_[d]])) {
      for (int64_t k = 0; k < run.count; ++k) {
        for (Interval interval : intervals_) {
          interval.size += c * (run.size - 1);
          if (history) {
            interval.before += c * (run.before - 1);
            interval.delta += c * run.delta;
          }
          interval.offset += c * (run.offset + k * run.stride);
          sums_.push_back(interval);
        }
      }
    }
    std::sort(sums_.begin(), sums_.end());
    sums_.erase(std::unique(sums_.begin(), sums_.end()), sums_.end());
    SwapScratch(&intervals_, &sums_);
  }
  for (const Interval& i : intervals_) {
    sum->words += mult * (i.size + 1);
    if (history) sum->overlap += mult * IntervalOverlap(i.size, i.before, i.delta);
  }
}

template <typename Int>
RankSum<Int> MeetingRank::Sum(std::span<const MeetingDim> dims, bool history) {
  if (classes_.size() < dims.size()) classes_.resize(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) Classify(dims[d], &classes_[d]);
  chosen_.assign(dims.size(), 0);
  RankSum<Int> sum;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (classes_[d].classes.empty()) return sum;  // such a step never happens
  }
  for (;;) {
    Int mult = 1;
    for (size_t d = 0; d < dims.size(); ++d) mult *= classes_[d].classes[chosen_[d]].mult;
    if (!AddByFormula<Int>(dims, mult, history, &sum)) AddOneByOne<Int>(dims, mult, history, &sum);
    size_t d = dims.size();
    while (d > 0 && ++chosen_[d - 1] == classes_[d - 1].classes.size()) chosen_[--d] = 0;
    if (d == 0) return sum;
  }
}

template RankSum<int64_t> MeetingRank::Sum<int64_t>(std::span<const MeetingDim>, bool);
template RankSum<Int128> MeetingRank::Sum<Int128>(std::span<const MeetingDim>, bool);

}  // namespace inlay::exact
