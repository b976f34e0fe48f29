#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/fused_problem.h"

namespace inlay::testing {

// A fused problem from short texts, which are right: dimensions {"p1", 8}, nodes
// "E1: T0[2*p1 + r1] W0[r1] -> T1[p1]".
FusedProblem FusedOf(std::initializer_list<std::pair<const char*, int64_t>> dims,
                     std::initializer_list<const char*> nodes);
FusedProblem FusedOfTexts(const std::vector<std::pair<std::string, int64_t>>& dims,
                          const std::vector<std::string>& nodes);

// The items of a tree as files have them: holds first, then one or several parts. Made by the
// functions below, by names.
struct FusedItem {
  FusedItem(const char* node) : name(node) {}  // NOLINT: a leaf is its node's name
  FusedItem() = default;

  enum class Kind { kLeaf, kOnline, kHold, kRetain, kFor, kBranch } kind = Kind::kLeaf;
  std::string name;
  int64_t step = 1;
  std::vector<FusedItem> inside;
};
FusedItem Online(const char* node);
FusedItem Hold(const char* tensor);
FusedItem Retain(const char* tensor);
FusedItem For(const char* dim, int64_t step, std::vector<FusedItem> inside);
FusedItem Branch(std::vector<FusedItem> inside);
FusedTree TreeOf(const FusedProblem& problem, const std::vector<FusedItem>& items);

// Off-chip memory and a pad without a limit of any kind, 1 pJ for everything.
Architecture PadMachine();

}  // namespace inlay::testing
