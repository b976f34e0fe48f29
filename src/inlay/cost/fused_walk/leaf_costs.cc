#include "inlay/cost/fused_walk/leaf_costs.h"

#include <fmt/format.h>

#include <limits>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused_walk/memory.h"
#include "inlay/cost/walker.h"

namespace inlay::fused_walk {
namespace {

Problem ProblemIn(const FusedProblem& fused, NodeId node, const Domain& domain) {
  Problem problem = ProblemOf(fused, node);
  DimId own(0);
  for (const auto& [dim, range] : domain) {
    problem.dims[own].bound = range.size();
    ++own;
  }
  return problem;
}

}  // namespace

LeafCosts::LeafCosts(const FusedProblem& problem, const Architecture& architecture,
                     const FusedTree& tree, std::function<bool()> stop)
    : problem_(problem), architecture_(LeafArchitecture(architecture)), stop_(std::move(stop)) {
  if (!HasBorders(problem) || !Validate(problem, tree).empty()) return;
  const FusedOutline outline(problem, tree);
  const FusedDomains domains = FirstDomains(problem, outline);
  for (NodeId n : Ids(problem.nodes)) unclipped_[n] = domains[outline.LeafOf(n)][n];
}

LeafCosts::First LeafCosts::FirstOf(const FusedLeaf& leaf, const Domain& domain) const {
  First first;
  const auto unclipped = unclipped_.find(leaf.node);
  first.problem = unclipped == unclipped_.end()
                      ? ProblemIn(problem_, leaf.node, domain)
                      : FirstProblemOf(problem_, unclipped->second, leaf.node);
  first.mapping = leaf.mapping ? *leaf.mapping : DefaultLeafMapping(first.problem, architecture_);
  const Faults faults = Validate(first.problem, architecture_, first.mapping);
  if (!faults.empty()) throw Stopped{faults.front()};
  return first;
}

const Cost& LeafCosts::Of(const FusedLeaf& leaf, const Domain& domain) {
  if (!first_.contains(leaf.node)) first_[leaf.node] = FirstOf(leaf, domain);
  std::vector<int64_t> sizes;
  for (const auto& [dim, range] : domain) sizes.push_back(range.size());
  const auto key = std::pair(leaf.node, sizes);
  const auto known = costs_.find(key);
  if (known != costs_.end()) return known->second;
  return costs_[key] = Walked(leaf, domain);
}

Cost LeafCosts::Walked(const FusedLeaf& leaf, const Domain& domain) const {
  const First& first = first_.at(leaf.node);
  const Problem problem = ProblemIn(problem_, leaf.node, domain);
  for (DimId d : Ids(problem.dims)) {
    const Dimension& dim = problem.dims[d];
    if (dim.bound <= first.problem.dims[d].bound) continue;
    throw Stopped{{"tree",
                   fmt::format("'{}' computes {} iterations of {} at once, and {} the first time",
                               problem.name, dim.bound, dim.name, first.problem.dims[d].bound),
                   "the first domain must be the largest"}};
  }
  WalkOptions options;
  options.most_operations = std::numeric_limits<int64_t>::max() / 1024;  // its caller has a limit
  options.stop = stop_;
  const auto walked = Walk(problem, architecture_, ClippedTo(problem, first.mapping), options);
  if (!walked) throw Stopped{walked.error()};
  if (walked->numeric_check) return walked->cost;
  throw Stopped{
      {"tree", fmt::format("the mapping of '{}' computes something else", problem.name), ""}};
}

}  // namespace inlay::fused_walk
