#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/core/fused_problem.h"

namespace inlay {

// Iterations of a dimension, or words along a rank: [lo, hi).
struct FusedRange {
  int64_t lo = 0;
  int64_t hi = 0;
  int64_t size() const { return std::max<int64_t>(0, hi - lo); }
  bool empty() const { return hi <= lo; }
  bool operator==(const FusedRange&) const = default;
};

// Words of a tensor: a range per rank; empty if one of the ranges is. A tensor has at least one
// rank here: one without is as good as one whose only rank has no terms.
using FusedBox = std::vector<FusedRange>;
// What a node computes: a range per dimension of the problem; of those that it has not, whole.
using FusedDomain = IndexedVector<DimId, FusedRange>;

bool IsEmpty(const FusedBox& box);
int64_t WordsOf(const FusedBox& box);
FusedBox Intersection(const FusedBox& a, const FusedBox& b);
// The smallest box that holds both; of an empty one and another, the other.
FusedBox Hull(const FusedBox& a, const FusedBox& b);
// a without b where that is one box; b is inside a. false: it is not one box. The rest may be
// empty.
bool Subtract(const FusedBox& a, const FusedBox& b, FusedBox* rest);

// Whether the node has nothing to do.
bool IsEmpty(const FusedProblem& problem, const FusedNode& node, const FusedDomain& domain);
FusedDomain WholeDomain(const FusedProblem& problem);
// The words that a node touches, without borders; a box with an empty range if the domain is empty
// in it, or all is border along a rank.
FusedBox Touched(const FusedOperand& operand, const FusedDomain& domain);
// Of boxes of a problem that is Unclipped: no more words along a rank than the tensor has.
void LimitToTensor(const std::vector<std::optional<int64_t>>& extents, FusedBox* box);
// Makes the domain compute this box of the output: its ranges of the output's dimensions.
void SetOutputRanges(const FusedOperand& output, const FusedBox& box, FusedDomain* domain);

}  // namespace inlay
