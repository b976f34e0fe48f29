#include "inlay/cost/fused_walker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/fused_walk/contexts.h"
#include "inlay/cost/fused_walk/counter.h"
#include "inlay/cost/fused_walk/leaf_costs.h"
#include "inlay/cost/fused_walk/memory.h"
#include "inlay/cost/fused_walk/pad.h"
#include "inlay/cost/fused_walk/places.h"

namespace inlay {
namespace fused_walk {
namespace {

constexpr int64_t kMostWordsPerOperation = 16;  // listed in all, at the limit of operations

class FusedWalker {
 public:
  FusedWalker(const FusedProblem& problem, const Architecture& architecture, const FusedTree& tree,
              const FusedWalkOptions& options);
  FusedWalk Run();

 private:
  // A softmax that is computed step by step, and the loops that take the steps.
  struct Online {
    NodeId node;
    TensorId output;
    std::vector<size_t> loops;  // outer to inner; at least one
  };

  void FindOnline();
  void Walk(size_t place, const Context& context);
  void WalkLoop(size_t place, const Context& context);
  void WalkHold(size_t place, const Context& context);
  void WalkSplit(size_t place, const Context& context);
  void Execute(size_t place, const Context& context);

  void CheckRows(const FusedLeaf& leaf, const Domain& domain) const;
  void NoteRoom(size_t place);
  int64_t RowsOf(NodeId node, DimId dim, const Domain& domain) const;
  void Compute(size_t place, const FusedNode& node, const Domain& domain);
  void UpdateSoftmaxes(size_t place, const FusedLeaf& leaf, const Context& context);
  bool IsFirstStepOfOthers(size_t place, const Online& online, const Context& context) const;
  void Spend(int64_t words);

  const FusedProblem& problem_;
  const FusedWalkOptions& options_;
  FusedCounts counts_;
  Places places_;
  std::vector<int64_t> vector_words_;  // by place; that online softmaxes have above a loop
  OffChip offchip_;
  Counter counter_;
  Pad pad_;
  Contexts contexts_;
  LeafCosts leaf_costs_;
  std::vector<Online> online_;
  int64_t words_left_;
  int64_t polls_ = 0;
};

FusedWalker::FusedWalker(const FusedProblem& problem, const Architecture& architecture,
                         const FusedTree& tree, const FusedWalkOptions& options)
    : problem_(problem),
      options_(options),
      places_(problem, tree),
      vector_words_(places_.size(), 0),
      offchip_(problem),
      counter_(problem, architecture, &counts_),
      pad_(problem, places_, &offchip_, &counter_),
      contexts_(problem, places_, pad_.holds(), [this](int64_t words) { Spend(words); }),
      leaf_costs_(problem, architecture, tree, options.stop),
      words_left_(SaturatingMultiply(options.most_operations, kMostWordsPerOperation)) {
  counts_.nodes.resize(problem.nodes.size());
  FindOnline();
}

void FusedWalker::FindOnline() {
  for (NodeId n : Ids(problem_.nodes)) {
    const FusedNode& node = problem_.nodes[n];
    const auto leaf = places_.LeafOf(n);
    if (!leaf || !node.softmax || !places_[*leaf].tree->leaf()->online) continue;
    Online online{n, OutputOf(node).tensor, {}};
    for (const size_t loop : places_.LoopsAbove(*leaf)) {
      if (places_.ShiftsOf(loop)[n][*node.softmax] != 0) online.loops.push_back(loop);
    }
    if (!online.loops.empty()) online_.push_back(online);
  }
}

FusedWalk FusedWalker::Run() {
  if (!places_[0].tree->IsSplit()) counter_.StartRun();
  Walk(0, contexts_.Whole());
  pad_.EndPart(0);
  for (size_t p = 0; p < places_.size(); ++p) {
    const FusedHold* hold = places_[p].tree->hold();
    if (hold == nullptr) continue;
    const Held& held = pad_.holds()[p];
    counts_.holds.push_back({hold->tensor, held.largest_tile_words, held.entered_words});
  }
  FusedWalk walk;
  walk.numeric_check = offchip_.Check();
  walk.counts = std::move(counts_);
  return walk;
}

// The limit is on words and iterations that are listed.
void FusedWalker::Spend(int64_t words) {
  if (words > words_left_) {
    throw Stopped{{"tree", "too large to walk: the tree moves or computes too many words",
                   "use 'inlay eval', which needs no walking"}};
  }
  words_left_ -= words;
  if ((++polls_ & 0xff) == 0 && options_.stop && options_.stop()) {
    throw Stopped{{"", "interrupted", ""}};
  }
}

void FusedWalker::Walk(size_t place, const Context& context) {
  const FusedTree& tree = *places_[place].tree;
  if (tree.loop() != nullptr) {
    WalkLoop(place, context);
  } else if (tree.hold() != nullptr) {
    WalkHold(place, context);
  } else if (tree.leaf() != nullptr) {
    Execute(place, context);
  } else {
    WalkSplit(place, context);
  }
}

void FusedWalker::WalkLoop(size_t place, const Context& context) {
  vector_words_[place] = 0;
  for (const Online& online : online_) {
    if (online.loops.front() != place) continue;
    const DimId dim = *problem_.nodes[online.node].softmax;
    vector_words_[place] += 2 * RowsOf(online.node, dim, context.domains[online.node]);
  }
  const int64_t turns = contexts_.TurnsOf(place, context);
  for (int64_t i = 0; i < turns; ++i) {
    Spend(1);
    Walk(places_[place].children[0], contexts_.Inside(place, i, context));
  }
}

void FusedWalker::WalkHold(size_t place, const Context& context) {
  const auto tile = contexts_.TileOf(place, context);
  if (tile) {
    Spend(WordsIn(*tile));
    pad_.Enter(place, *tile);
  }
  Walk(places_[place].children[0], context);
}

void FusedWalker::WalkSplit(size_t place, const Context& context) {
  for (const size_t child : places_[place].children) {
    if (place == 0) counter_.StartRun();
    pad_.DivideRoom(place, child);
    Walk(child, context);
    pad_.EndPart(child);
  }
}

void FusedWalker::Execute(size_t place, const Context& context) {
  const FusedLeaf& leaf = *places_[place].tree->leaf();
  const FusedNode& node = problem_.nodes[leaf.node];
  const Domain& domain = context.domains[leaf.node];
  if (IsEmpty(domain)) return;
  const int64_t iterations = Iterations(domain);
  Spend(iterations);
  CheckRows(leaf, domain);
  NoteRoom(place);
  counter_.Execute(leaf.node, iterations, leaf_costs_.Of(leaf, domain));
  const Words made = WordsOf(*Touched(OutputOf(node), domain));
  pad_.BeginSums(place, made);
  Compute(place, node, domain);
  pad_.FinishSums(place, made);
  UpdateSoftmaxes(place, leaf, context);
}

void FusedWalker::CheckRows(const FusedLeaf& leaf, const Domain& domain) const {
  const FusedNode& node = problem_.nodes[leaf.node];
  const auto dim = leaf.online ? node.rows : node.softmax ? node.softmax : node.rows;
  if (!dim || domain.at(*dim) == Interval{0, problem_.dims[*dim].bound}) return;
  throw Stopped{
      {"tree",
       fmt::format("'{}' needs whole rows, but a tile has {} of {} words along {}", node.name,
                   domain.at(*dim).size(), problem_.dims[*dim].bound, problem_.dims[*dim].name),
       "no loop above it may cut its rows"}};
}

// Of a softmax: its outputs in a domain, but for the dimension along rows.
int64_t FusedWalker::RowsOf(NodeId node, DimId dim, const Domain& domain) const {
  if (IsEmpty(domain)) return 0;
  Domain rows;
  for (const auto& [d, range] : domain) {
    if (d != dim && !IsReduced(problem_.nodes[node], d)) rows[d] = range;
  }
  return Iterations(rows);
}

void FusedWalker::Compute(size_t place, const FusedNode& node, const Domain& domain) {
  const FusedOperand& output = OutputOf(node);
  for (const Point& point : PointsOf(domain, problem_.dims.size())) {
    uint64_t product = 1;
    for (const FusedOperand& operand : node.operands) {
      if (operand.is_output) continue;
      const auto at = WordAt(operand, point);
      if (!at) {
        product = 0;
        continue;
      }
      const Word& word = pad_.At(place, operand.tensor, *at);
      if (!offchip_.IsFinished(operand.tensor, word)) {
        throw Stopped{{"tree",
                       fmt::format("'{}' reads {}, which was added to {} times of {}", node.name,
                                   NameOf(problem_, operand.tensor, *at), word.steps,
                                   *offchip_.StepsOf(operand.tensor)),
                       "partial sums are not read"}};
      }
      product *= word.value;
    }
    Word& sum = pad_.At(place, output.tensor, *WordAt(output, point));
    ++sum.steps;
    sum.value += AddendOf(node, product);
  }
}

// The room that a tree takes is the most that its pad holds at any time.
void FusedWalker::NoteRoom(size_t place) {
  int64_t words = pad_.RoomAbove(place);
  for (const size_t p : places_[place].above) words = SaturatingAdd(words, vector_words_[p]);
  counts_.room_words = std::max(counts_.room_words, words);
}

void FusedWalker::UpdateSoftmaxes(size_t place, const FusedLeaf& leaf, const Context& context) {
  const FusedNode& node = problem_.nodes[leaf.node];
  const Domain& domain = context.domains[leaf.node];
  for (const Online& online : online_) {
    if (online.node == leaf.node) {
      counter_.UpdateRows(online.output, RowsOf(leaf.node, *node.softmax, domain));
    }
    const FusedOperand* read = OperandOf(node, online.output);
    if (read == nullptr || read->is_output) continue;
    if (!IsFirstStepOfOthers(place, online, context)) continue;
    counter_.Scale(leaf.node, WordsIn(*Touched(OutputOf(node), domain)));
  }
}

// Whether a reader of an online softmax goes on with its sums for the first time since the softmax
// made a step: loops over other dimensions that it reduces are at their first turn.
bool FusedWalker::IsFirstStepOfOthers(size_t place, const Online& online,
                                      const Context& context) const {
  const NodeId reader = places_[place].tree->leaf()->node;
  return std::all_of(context.turns.begin(), context.turns.end(), [&](const Context::Turn& turn) {
    const bool takes_steps =
        std::find(online.loops.begin(), online.loops.end(), turn.loop) != online.loops.end();
    return turn.index == 0 || takes_steps || !places_.ShiftsReduced(turn.loop, reader);
  });
}

}  // namespace
}  // namespace fused_walk

tl::expected<FusedWalk, Fault> WalkFused(const FusedProblem& problem,
                                         const Architecture& architecture, const FusedTree& tree,
                                         const FusedWalkOptions& options) {
  if (Operations(problem) > options.most_operations) {
    return tl::unexpected(Fault{"dims",
                                fmt::format("too large to walk: {} operations, the limit is {}",
                                            Operations(problem), options.most_operations),
                                "use 'inlay eval', which needs no walking"});
  }
  try {
    return fused_walk::FusedWalker(problem, architecture, tree, options).Run();
  } catch (const fused_walk::Stopped& stopped) {
    return tl::unexpected(stopped.fault);
  }
}

}  // namespace inlay
