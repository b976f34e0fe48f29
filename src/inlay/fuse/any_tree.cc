#include "inlay/fuse/any_tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused/room.h"
#include "inlay/fuse/solution.h"
#include "inlay/fuse/tile_choices.h"

namespace inlay {
namespace {

FusedTree EvenTree(const FusedProblem& problem, const std::vector<int64_t>& steps) {
  const FusedNode& node = problem.nodes[NodeId(0)];
  const std::vector<DimId> dims = DimsOf(problem, node);
  FusedTree tree;
  tree.part = FusedLeaf{NodeId(0), false, std::nullopt};
  const auto put_around = [&tree](auto part) {
    FusedTree around;
    around.part = part;
    around.children.push_back(std::move(tree));
    tree = std::move(around);
  };
  for (const FusedOperand& operand : node.operands) put_around(FusedHold{operand.tensor, false});
  for (const bool reduced : {true, false}) {
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto rows = node.softmax ? node.softmax : node.rows;
      const bool whole = steps[i] >= problem.dims[dims[i]].bound || rows == dims[i];
      if (whole || IsReduced(node, dims[i]) != reduced) continue;
      put_around(FusedLoop{dims[i], steps[i]});
    }
  }
  return tree;
}

}  // namespace

// Cuts the longest tile, to a half or less, until the node fits.
std::optional<FusedSolution> AnyTreeOf(const FusedProblem& problem,
                                       const Architecture& architecture, FusedTiles tiles) {
  TileChoices sizes(tiles);
  const std::vector<DimId> dims = DimsOf(problem, problem.nodes[NodeId(0)]);
  std::vector<int64_t> steps;
  steps.reserve(dims.size());
  for (const DimId d : dims) steps.push_back(problem.dims[d].bound);
  for (;;) {
    FusedTree tree = EvenTree(problem, steps);
    if (CheckFusedCapacity(problem, architecture, FusedOutline(problem, tree)).empty()) {
      return SolutionOf(problem, architecture, std::move(tree));
    }
    const auto longest = std::max_element(steps.begin(), steps.end());
    if (longest == steps.end() || *longest <= 1) return std::nullopt;
    const int64_t half = (*longest + 1) / 2;
    const auto index = static_cast<size_t>(longest - steps.begin());
    for (const int64_t size : sizes.Of(problem.dims[dims[index]].bound)) {
      *longest = size;
      if (size <= half) break;
    }
  }
}

}  // namespace inlay
