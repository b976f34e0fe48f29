#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/architecture.h"
#include "inlay/fuse/fuse.h"
#include "inlay/fuse/product_graph.h"
#include "inlay/fuse/product_search.h"

namespace inlay {

// Trees of a graph of products with few off-chip words, and bounds on these words, in F(k).
class ProductTrees {
 public:
  // All outlive this.
  ProductTrees(const FusedProblem& problem, const Architecture& architecture,
               const FuseOptions& options, const ProductGraph& graph, const Deadline& deadline,
               std::optional<int64_t> most_states = std::nullopt);

  // Of nodes `first` to before `end`, as a problem by itself, in a pad of so many words. None:
  // there is no tree, or the deadline has passed.
  std::optional<FusedTree> Tree(size_t first, size_t end, int64_t room_words);
  // No tree of F(k) has fewer words. kNone: there is no tree.
  int64_t Bound(size_t first, size_t end, int64_t room_words);
  // No fused mapping of these nodes in this order has fewer words: the sum of what each node needs
  // by itself if what it passes on costs nothing.
  int64_t AnyFusionBound(int64_t room_words);

  bool Stopped() const;
  int64_t states() const;

 private:
  enum Kind : uint8_t { kTrees, kBounds, kTreesOfK, kBoundsOfK };
  ProductSearch& Search(Kind kind);
  int64_t BitsOf(int64_t room_words) const;
  int64_t WordsBut(const TensorMask& counted, size_t node) const;  // of the node's other tensors

  const ProductGraph& graph_;
  const Deadline& deadline_;
  ProductRules rules_;
  int shared_loops_;
  std::vector<std::optional<ProductSearch>> searches_;
  bool stopped_ = false;
};

// The most loops around two nodes or more that are above one leaf.
int SharedLoops(const FusedTree& tree);

}  // namespace inlay
