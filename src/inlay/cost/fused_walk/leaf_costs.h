#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/cost.h"
#include "inlay/core/fused_box.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/cost/fused_walk/words.h"

namespace inlay::fused_walk {

// What executions of leaves cost, by the walker of single mappings. Every size is walked once.
class LeafCosts {
 public:
  // The problem is kept by reference.
  LeafCosts(const FusedProblem& problem, const Architecture& architecture, const FusedTree& tree,
            std::function<bool()> stop);

  // In the first call for a node, the domain is its first: the mapping is for that. Throws Stopped
  // if a domain is larger than the first one, or the mapping is not for it.
  const Cost& Of(const FusedLeaf& leaf, const Domain& domain);

 private:
  struct First {
    Problem problem;  // with the first domain's sizes
    Mapping mapping;
  };
  First FirstOf(const FusedLeaf& leaf, const Domain& domain) const;
  Cost Walked(const FusedLeaf& leaf, const Domain& domain) const;

  const FusedProblem& problem_;
  Architecture architecture_;  // of leaves
  std::function<bool()> stop_;
  std::map<NodeId, First> first_;
  // Where tiles at borders are smaller than others: what each node computes in others, first.
  std::map<NodeId, FusedDomain> unclipped_;
  std::map<std::pair<NodeId, std::vector<int64_t>>, Cost> costs_;
};

}  // namespace inlay::fused_walk
