#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "inlay/core/fused_problem.h"

namespace inlay::fused_walk {

using Coordinates = std::vector<int64_t>;  // of a word of a tensor, one per rank
using Words = std::set<Coordinates>;
using Point = IndexedVector<DimId, int64_t>;  // an iteration; dimensions the node has not are 0

// [lo, hi)
struct Interval {
  int64_t lo = 0;
  int64_t hi = 0;
  bool empty() const { return lo >= hi; }
  int64_t size() const { return empty() ? 0 : hi - lo; }
  bool operator==(const Interval&) const = default;
};

// The words of a tensor between a smallest and a largest coordinate in each rank; never empty.
using Box = std::vector<Interval>;

// The iterations of a node that are computed: a range of each of its dimensions.
using Domain = std::map<DimId, Interval>;

bool IsEmpty(const Domain& domain);
int64_t Iterations(const Domain& domain);  // the largest number where they do not fit
// The iterations in the order of nested loops. `dims` is the number of the problem's dimensions.
std::vector<Point> PointsOf(const Domain& domain, size_t dims);

// What the node touches of a tensor in a domain that is not empty; none where all is border.
std::optional<Box> Touched(const FusedOperand& operand, const Domain& domain);
// None: a zero of the border.
std::optional<Coordinates> WordAt(const FusedOperand& operand, const Point& point);

int64_t WordsIn(const Box& box);  // the largest number where they do not fit
Words WordsOf(const Box& box);
Box Hull(const std::optional<Box>& a, const Box& b);
std::optional<Box> HullOf(const Words& words);  // nothing of no words
bool IsBox(const Words& words);                 // no words are one, too
Words Minus(const Words& a, const Words& b);

}  // namespace inlay::fused_walk
