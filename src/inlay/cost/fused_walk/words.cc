#include "inlay/cost/fused_walk/words.h"

#include <algorithm>
#include <iterator>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::fused_walk {

bool IsEmpty(const Domain& domain) {
  return std::any_of(domain.begin(), domain.end(),
                     [](const auto& dim) { return dim.second.empty(); });
}

int64_t Iterations(const Domain& domain) {
  int64_t iterations = 1;
  for (const auto& [dim, range] : domain) {
    iterations = SaturatingMultiply(iterations, range.size());
  }
  return iterations;
}

std::vector<Point> PointsOf(const Domain& domain, size_t dims) {
  std::vector<Point> points = {Point(dims, 0)};
  for (const auto& [dim, range] : domain) {
    std::vector<Point> longer;
    for (Point& point : points) {
      for (int64_t x = range.lo; x < range.hi; ++x) {
        point[dim] = x;
        longer.push_back(point);
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::optional<Box> Touched(const FusedOperand& operand, const Domain& domain) {
  Box box;
  for (size_t r = 0; r < operand.ranks.size(); ++r) {
    int64_t first = 0;
    int64_t last = 0;
    for (const Term& term : operand.ranks[r].terms) {
      first += term.coefficient * domain.at(term.dim).lo;
      last += term.coefficient * (domain.at(term.dim).hi - 1);
    }
    if (!operand.borders.empty()) {
      const FusedBorder& border = operand.borders[r];
      first = std::max<int64_t>(first - border.before, 0);
      last = std::min(last - border.before, border.words - 1);
    }
    if (last < first) return std::nullopt;
    box.push_back({first, last + 1});
  }
  return box;
}

std::optional<Coordinates> WordAt(const FusedOperand& operand, const Point& point) {
  Coordinates word;
  for (size_t r = 0; r < operand.ranks.size(); ++r) {
    int64_t x = 0;
    for (const Term& term : operand.ranks[r].terms) x += term.coefficient * point[term.dim];
    if (!operand.borders.empty()) {
      x -= operand.borders[r].before;
      if (x < 0 || x >= operand.borders[r].words) return std::nullopt;
    }
    word.push_back(x);
  }
  return word;
}

int64_t WordsIn(const Box& box) {
  int64_t words = 1;
  for (const Interval& rank : box) words = SaturatingMultiply(words, rank.size());
  return words;
}

Words WordsOf(const Box& box) {
  Words words = {{}};
  for (const Interval& rank : box) {
    Words longer;
    for (const Coordinates& word : words) {
      for (int64_t x = rank.lo; x < rank.hi; ++x) {
        Coordinates next = word;
        next.push_back(x);
        longer.insert(longer.end(), std::move(next));
      }
    }
    words = std::move(longer);
  }
  return words;
}

Box Hull(const std::optional<Box>& a, const Box& b) {
  if (!a) return b;
  Box hull = b;
  for (size_t r = 0; r < hull.size(); ++r) {
    hull[r] = {std::min((*a)[r].lo, b[r].lo), std::max((*a)[r].hi, b[r].hi)};
  }
  return hull;
}

std::optional<Box> HullOf(const Words& words) {
  std::optional<Box> hull;
  for (const Coordinates& word : words) {
    Box one;
    for (const int64_t x : word) one.push_back({x, x + 1});
    hull = Hull(hull, one);
  }
  return hull;
}

bool IsBox(const Words& words) {
  const auto hull = HullOf(words);
  return !hull || WordsIn(*hull) == static_cast<int64_t>(words.size());
}

Words Minus(const Words& a, const Words& b) {
  Words difference;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                      std::inserter(difference, difference.end()));
  return difference;
}

}  // namespace inlay::fused_walk
