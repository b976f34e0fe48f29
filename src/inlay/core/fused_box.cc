#include "inlay/core/fused_box.h"

namespace inlay {

bool IsEmpty(const FusedBox& box) {
  return std::any_of(box.begin(), box.end(), [](const FusedRange& range) { return range.empty(); });
}

int64_t WordsOf(const FusedBox& box) {
  int64_t words = 1;
  for (const FusedRange& range : box) words *= range.size();
  return words;
}

FusedBox Intersection(const FusedBox& a, const FusedBox& b) {
  FusedBox both;
  for (size_t r = 0; r < a.size(); ++r) {
    both.push_back({std::max(a[r].lo, b[r].lo), std::min(a[r].hi, b[r].hi)});
  }
  return both;
}

FusedBox Hull(const FusedBox& a, const FusedBox& b) {
  if (IsEmpty(a)) return b;
  if (IsEmpty(b)) return a;
  FusedBox hull;
  for (size_t r = 0; r < a.size(); ++r) {
    hull.push_back({std::min(a[r].lo, b[r].lo), std::max(a[r].hi, b[r].hi)});
  }
  return hull;
}

bool Subtract(const FusedBox& a, const FusedBox& b, FusedBox* rest) {
  *rest = a;
  if (IsEmpty(a) || IsEmpty(b)) return true;
  size_t differing = a.size();
  for (size_t r = 0; r < a.size(); ++r) {
    if (a[r] == b[r]) continue;
    if (differing != a.size()) return false;  // b lacks something along two ranks: an L
    differing = r;
  }
  if (differing == a.size()) {
    rest->front().hi = rest->front().lo;
    return true;
  }
  const FusedRange& inside = b[differing];
  FusedRange& left = (*rest)[differing];
  if (inside.lo == left.lo) {
    left.lo = inside.hi;
  } else if (inside.hi == left.hi) {
    left.hi = inside.lo;
  } else {
    return false;  // in two pieces
  }
  return true;
}

bool IsEmpty(const FusedProblem& problem, const FusedNode& node, const FusedDomain& domain) {
  for (const DimId d : DimsOf(problem, node)) {
    if (domain[d].empty()) return true;
  }
  return false;
}

FusedDomain WholeDomain(const FusedProblem& problem) {
  FusedDomain domain;
  for (const Dimension& dim : problem.dims) domain.push_back({0, dim.bound});
  return domain;
}

FusedBox Touched(const FusedOperand& operand, const FusedDomain& domain) {
  FusedBox box;
  for (size_t r = 0; r < operand.ranks.size(); ++r) {
    FusedRange range{0, 1};
    bool empty = false;
    for (const Term& term : operand.ranks[r].terms) {
      const FusedRange& along = domain[term.dim];
      empty = empty || along.empty();
      range.lo += term.coefficient * along.lo;
      range.hi += term.coefficient * (along.hi - 1);
    }
    if (empty) range.hi = range.lo;
    if (!operand.borders.empty()) {
      const FusedBorder& border = operand.borders[r];
      range.lo -= border.before;
      range.hi -= border.before;
      if (!border.unclipped) {
        range.lo = std::max<int64_t>(range.lo, 0);
        range.hi = std::max(range.lo, std::min(range.hi, border.words));
      } else if (range.size() > border.words) {
        range.hi = range.lo + border.words;
      }
    }
    box.push_back(range);
  }
  return box;
}

void LimitToTensor(const std::vector<std::optional<int64_t>>& extents, FusedBox* box) {
  for (size_t r = 0; r < box->size(); ++r) {
    if (extents[r] && (*box)[r].size() > *extents[r]) (*box)[r].hi = (*box)[r].lo + *extents[r];
  }
}

void SetOutputRanges(const FusedOperand& output, const FusedBox& box, FusedDomain* domain) {
  const bool empty = IsEmpty(box);  // perhaps along a rank without a dimension
  for (size_t r = 0; r < output.ranks.size(); ++r) {
    for (const Term& term : output.ranks[r].terms) {
      (*domain)[term.dim] = empty ? FusedRange() : box[r];
    }
  }
}

}  // namespace inlay
