#include "inlay/fuse/range_search.h"

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_box.h"
#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused/room.h"
#include "inlay/fuse/any_tree.h"
#include "inlay/fuse/line_buffers.h"
#include "inlay/fuse/needed_work.h"
#include "inlay/fuse/product_trees.h"
#include "inlay/fuse/solution.h"

namespace inlay {
namespace {

// Of a search of one range of products; some seconds.
constexpr int64_t kMostStates = 200'000;

// Without the holds of these tensors, which are at the root.
FusedTree Without(FusedTree tree, const std::vector<TensorId>& tensors) {
  if (tree.hold() == nullptr) return tree;
  FusedTree child = Without(std::move(tree.children.front()), tensors);
  if (std::find(tensors.begin(), tensors.end(), tree.hold()->tensor) != tensors.end()) {
    return child;
  }
  tree.children.front() = std::move(child);
  return tree;
}

bool IsBetter(const std::optional<FusedSolution>& a, const std::optional<FusedSolution>& b) {
  if (!a || !b) return a.has_value();
  return std::pair(a->cost.offchip_words, a->cost.operations) <
         std::pair(b->cost.offchip_words, b->cost.operations);
}

void TakeBetter(std::optional<FusedSolution> other, std::optional<FusedSolution>* best) {
  if (IsBetter(other, *best)) *best = std::move(other);
}

}  // namespace

RangeSearch::RangeSearch(const Architecture& architecture, const FuseOptions& options,
                         const Deadline& deadline)
    : architecture_(architecture), options_(options), deadline_(deadline) {}

std::optional<FusedSolution> RangeSearch::Best(const FusedPart& part, int64_t room_words) {
  const Key key = KeyOf(part.problem, room_words);
  auto known = trees_.find(key);
  if (known == trees_.end()) {
    auto tree = Search(part.problem, room_words);
    if (deadline_.Passed()) {
      if (!tree) return std::nullopt;
      return SolutionOf(part.problem, architecture_, *std::move(tree));
    }
    known = trees_.emplace(key, std::move(tree)).first;
  }
  if (!known->second) return std::nullopt;
  return SolutionOf(part.problem, architecture_, *known->second);
}

int64_t RangeSearch::Bound(const FusedPart& part, int64_t room_words, bool tight) {
  const int64_t compulsory = CompulsoryWords(part.problem);
  if (!tight || deadline_.Passed()) return compulsory;
  const auto graph = ProductGraph::Of(part.problem, options_.softmax);
  if (!graph) return compulsory;
  FuseOptions options = options_;
  options.front.reset();
  ProductTrees trees(part.problem, architecture_, options, *graph, deadline_, kMostStates);
  const int64_t bound = trees.Bound(0, part.problem.nodes.size(), room_words);
  if (trees.Stopped() || bound == ProductSearch::kNone) return compulsory;
  return std::max(compulsory, bound);
}

// All that a search looks at: names are only in it where the architecture tells tensors apart.
RangeSearch::Key RangeSearch::KeyOf(const FusedProblem& problem, int64_t room_words) const {
  Key key = {room_words, static_cast<int64_t>(problem.nodes.size())};
  for (const Dimension& dim : problem.dims) key.push_back(dim.bound);
  for (TensorId t : Ids(problem.tensors)) {
    key.push_back(IsListedOutput(problem, t) ? 1 : 0);
    for (const Level& level : architecture_.levels) {
      key.push_back(WordBitsOf(level, problem.tensors[t]));
    }
  }
  const auto id_of = [](std::optional<DimId> dim) {
    return dim ? static_cast<int64_t>(dim->value()) : -1;
  };
  for (const FusedNode& node : problem.nodes) {
    key.insert(key.end(), {-2, id_of(node.softmax), id_of(node.rows)});
    for (const FusedOperand& operand : node.operands) {
      key.insert(key.end(),
                 {-3, static_cast<int64_t>(operand.tensor.value()), operand.is_output ? 1 : 0});
      for (const Rank& rank : operand.ranks) {
        key.push_back(-4);
        for (const Term& term : rank.terms) {
          key.insert(key.end(), {static_cast<int64_t>(term.dim.value()), term.coefficient});
        }
      }
      for (const FusedBorder& border : operand.borders) {
        key.insert(key.end(), {-5, border.before, border.words});
      }
    }
  }
  return key;
}

std::optional<FusedTree> RangeSearch::Search(const FusedProblem& problem,
                                             int64_t room_words) const {
  std::optional<FusedSolution> best;
  if (const auto graph = ProductGraph::Of(problem, options_.softmax)) {
    FuseOptions options = options_;
    options.front.reset();
    ProductTrees trees(problem, architecture_, options, *graph, deadline_, kMostStates);
    if (auto tree = trees.Tree(0, problem.nodes.size(), room_words)) {
      best = Checked(problem, room_words, *std::move(tree));
    }
    // Where there are too many trees to look at all of them.
    if (!best && trees.Stopped() && !deadline_.Passed()) best = SearchForms(problem, room_words);
  } else {
    best = SearchForms(problem, room_words);
  }
  // A tree that is found at once, even when the time is up.
  const bool open = !best || best->cost.offchip_words > CompulsoryWords(problem);
  if (problem.nodes.size() == 1 && open) {
    auto any = AnyTreeOf(problem, architecture_, options_.tiles);
    if (any) TakeBetter(Checked(problem, room_words, std::move(any->tree)), &best);
  }
  if (!best) return std::nullopt;
  return std::move(best->tree);
}

std::optional<FusedSolution> RangeSearch::SearchForms(const FusedProblem& problem,
                                                      int64_t room_words) const {
  auto best = BestLineBuffer(problem, architecture_, options_, room_words, {}, deadline_);
  const int64_t least = CompulsoryWords(problem);
  const auto is_open = [&] {
    return !deadline_.Passed() && (!best || best->cost.offchip_words > least);
  };
  for (size_t middle = 1; middle < problem.nodes.size() && is_open(); ++middle) {
    TakeBetter(Joined(problem, NodeId(middle), room_words), &best);
  }
  if (is_open()) {
    TakeBetter(BestOfParts(problem, architecture_, options_, room_words, deadline_), &best);
  }
  return best;
}

// Two parts, one after the other, with all that the first makes for the second kept in the pad.
std::optional<FusedSolution> RangeSearch::Joined(const FusedProblem& problem, NodeId middle,
                                                 int64_t room_words) const {
  const NodeId end(problem.nodes.size());
  std::vector<TensorId> whole;
  int64_t words = 0;
  for (NodeId n(0); n < middle; ++n) {
    const FusedOperand& made = OutputOf(problem.nodes[n]);
    const auto readers = ReadersOf(problem, made.tensor);
    if (std::none_of(readers.begin(), readers.end(), [&](NodeId r) { return r >= middle; })) {
      continue;
    }
    whole.push_back(made.tensor);
    words = SaturatingAdd(words, WordsOf(Touched(made, WholeDomain(problem))));
  }
  if (whole.empty() || words >= room_words) return std::nullopt;
  FusedTree tree;
  for (const auto& [from, to] : {std::pair(NodeId(0), middle), std::pair(middle, end)}) {
    auto part = BestLineBuffer(RangeProblem(problem, from, to), architecture_, options_, room_words,
                               whole, deadline_);
    if (!part) return std::nullopt;
    tree.children.push_back(
        WithNodesMoved(Without(std::move(part->tree), whole), static_cast<int64_t>(from.value())));
  }
  for (const TensorId t : whole) {
    FusedTree around;
    around.part = FusedHold{t, false};
    around.children.push_back(std::move(tree));
    tree = std::move(around);
  }
  return Checked(problem, room_words, std::move(tree));
}

// None where the tree is not legal, or does not fit.
std::optional<FusedSolution> RangeSearch::Checked(const FusedProblem& problem, int64_t room_words,
                                                  FusedTree tree) const {
  if (!Validate(problem, tree).empty()) return std::nullopt;
  const FusedOutline outline(problem, tree);
  if (!CheckFusedCapacity(problem, architecture_, outline).empty() ||
      FusedRoomWords(problem, architecture_, outline) > room_words) {
    return std::nullopt;
  }
  return SolutionOf(problem, architecture_, std::move(tree));
}

}  // namespace inlay
