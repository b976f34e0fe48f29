#include "inlay/cost/fused/count.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/cost_from_counts.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/fused/contexts.h"
#include "inlay/cost/fused/finish.h"
#include "inlay/cost/fused/room.h"

namespace inlay {
namespace {

constexpr LevelId kOffchip(0);
constexpr LevelId kPad(1);

class FusedCounter {
 public:
  using Turns = FusedContexts::Turns;

  FusedCounter(const FusedProblem& problem, const Architecture& architecture, const FusedTree& tree,
               const FusedCountOptions& options)
      : problem_(problem),
        architecture_(architecture),
        leaf_architecture_(LeafArchitecture(architecture)),
        options_(options),
        outline_(problem, tree),
        contexts_(problem, outline_),
        cycles_(architecture),
        has_borders_(HasBorders(problem)),
        hold_index_(outline_.places().size(), 0) {
    counts_.nodes.resize(problem.nodes.size());
    const FusedProblem unclipped = Unclipped(problem);
    FusedContexts full(unclipped, outline_);
    for (size_t p = 0; p < outline_.places().size(); ++p) {
      const FusedHold* hold = outline_[p].tree->hold();
      if (hold == nullptr) continue;
      hold_index_[p] = counts_.holds.size();
      const auto tile = full.TileOf(p, Turns(outline_[p].loops.size(), 0));
      counts_.holds.push_back({hold->tensor, tile ? WordsOf(*tile) : 0, 0});
    }
    counts_.room_words = FusedRoomWords(problem, architecture, outline_);
  }

  // Of one run.
  tl::expected<FusedCounts, Fault> Run() {
    CountRun();
    if (!fits_) return tl::unexpected(CountOverflow());
    if (fault_) return tl::unexpected(*fault_);
    return std::move(counts_);
  }

 private:
  void CountRun() {
    run_ = &counts_.runs.emplace_back();
    run_->words.assign(architecture_.levels.size(),
                       IndexedVector<TensorId, Counts>(problem_.tensors.size()));
    run_->level_cycles.assign(architecture_.levels.size(), 0);
    Visit(0, {}, 1);
  }

  // Adds value × weight.
  void Add(int64_t value, int64_t weight, int64_t* to) {
    const auto product = CheckedMultiply(value, weight);
    const auto sum = product ? CheckedAdd(*to, *product) : std::nullopt;
    fits_ = fits_ && sum;
    if (sum) *to = *sum;
  }

  Counts& WordsAt(LevelId level, TensorId tensor) { return run_->words[level][tensor]; }

  void Visit(size_t place, const Turns& turns, int64_t weight) {
    if (!fits_ || fault_) return;
    const FusedTree& tree = *outline_[place].tree;
    if (tree.loop() != nullptr) return VisitLoop(place, turns, weight);
    if (tree.leaf() != nullptr) return VisitLeaf(place, turns, weight);
    if (tree.hold() != nullptr) Enter(place, turns, weight);
    for (const size_t child : outline_[place].children) Visit(child, turns, weight);
  }

  // Turns that may differ from those after them: the first, and one for each retaining hold that
  // the loop may affect, for what is retained depends on the turn before. Where such a hold is
  // above the loop, any turn may be the first that computes what the tile lacks: all differ.
  int64_t DifferentAtFirst(size_t loop, int64_t count) const {
    int64_t turns = 1;
    const std::vector<size_t>& above = outline_[loop].holds;
    for (size_t p = 0; p < outline_.places().size(); ++p) {
      const FusedHold* hold = outline_[p].tree->hold();
      if (hold == nullptr || !hold->retain) continue;
      const std::vector<NodeId>& readers = outline_.HoldAt(p).readers;
      const bool affected = std::any_of(readers.begin(), readers.end(),
                                        [&](NodeId n) { return outline_.IsIn(loop, n); });
      if (affected && std::find(above.begin(), above.end(), p) != above.end()) return count;
      turns += affected ? 1 : 0;
    }
    return turns;
  }

  enum class Side { kFront, kBack };

  // Whether a border makes something smaller that the loop moves and that is touched in a turn of
  // it. Of turns that follow each other, the first ones are at the front border, the last ones at
  // the back.
  bool IsAtBorder(size_t loop, const Turns& turns, Side side) {
    for (size_t n = outline_[loop].first.value(); n < outline_[loop].end.value(); ++n) {
      const NodeId node(n);
      for (const FusedOperand& operand : problem_.nodes[node].operands) {
        if (operand.borders.empty()) continue;
        // Where borders leave it nothing to do, its readers are at a border.
        const FusedDomain domain = contexts_.DomainAt(outline_[loop].children.front(), turns, node);
        if (contexts_.IsIdle(node, domain)) continue;
        for (size_t r = 0; r < operand.ranks.size(); ++r) {
          if (outline_.ShiftAlong(loop, node, operand.ranks[r]) == 0) continue;
          int64_t first = -operand.borders[r].before, last = first;
          for (const Term& term : operand.ranks[r].terms) {
            first += term.coefficient * domain[term.dim].lo;
            last += term.coefficient * (domain[term.dim].hi - 1);
          }
          if (side == Side::kFront ? first < 0 : last >= operand.borders[r].words) return true;
        }
      }
    }
    return false;
  }

  // How many turns of a loop are at the border.
  int64_t TurnsAtBorder(size_t loop, Turns turns, int64_t count, Side side) {
    if (!has_borders_) return 0;
    turns.push_back(0);
    for (int64_t i = 0; i < count; ++i) {
      turns.back() = side == Side::kFront ? i : count - 1 - i;
      if (!IsAtBorder(loop, turns, side)) return i;
    }
    return count;
  }

  void VisitLoop(size_t loop, Turns turns, int64_t weight) {
    const size_t child = outline_[loop].children.front();
    const int64_t count = contexts_.TurnsOf(loop, turns);
    int64_t first = count, end = 0;
    if (!options_.every_turn) {
      first = TurnsAtBorder(loop, turns, count, Side::kFront);
      first += DifferentAtFirst(loop, count);
      // The last turn may be short.
      end = count - std::max<int64_t>(1, TurnsAtBorder(loop, turns, count, Side::kBack));
    }
    turns.push_back(0);
    for (int64_t turn = 0; turn < count; ++turn) {
      const bool alike = turn == first && turn < end;
      const int64_t times = alike ? end - first : 1;
      const auto product = CheckedMultiply(weight, times);
      fits_ = fits_ && product;
      if (!fits_) return;
      turns.back() = turn;
      Visit(child, turns, *product);
      if (alike) turn = end - 1;
    }
  }

  // Whether sums that the loops above go through have begun before.
  bool Continues(size_t place, NodeId node, const Turns& turns) const {
    for (size_t i = 0; i < turns.size(); ++i) {
      if (turns[i] > 0 && outline_.Reduces(outline_[place].loops[i], node)) return true;
    }
    return false;
  }

  void Enter(size_t hold, const Turns& turns, int64_t weight) {
    const FusedHoldPlace& info = outline_.HoldAt(hold);
    if (info.kind == FusedHoldKind::kFused) return;  // counted where the words are made
    const auto tile = contexts_.TileOf(hold, turns);
    if (!tile) return;
    const TensorId tensor = outline_[hold].tree->hold()->tensor;
    int64_t words = WordsOf(*tile);
    if (const auto before = contexts_.TileBefore(hold, turns)) {
      const FusedBox there = Intersection(*tile, *before);
      if (!IsEmpty(there)) words -= WordsOf(there);
    }
    Add(words, weight, &counts_.holds[hold_index_[hold]].entered_words);
    const bool output = info.kind == FusedHoldKind::kOutput;
    if (!output || Continues(hold, *info.writer, turns)) Load(tensor, words, weight);
    if (output) Store(tensor, words, weight);
  }

  void Load(TensorId tensor, int64_t words, int64_t weight) {
    Add(words, weight, &WordsAt(kOffchip, tensor).reads);
    Add(words, weight, &WordsAt(kPad, tensor).fills);
    Add(cycles_.Load(words), weight, &run_->sequential_cycles);
  }
  void Store(TensorId tensor, int64_t words, int64_t weight) {
    Add(words, weight, &WordsAt(kPad, tensor).drains);
    Add(words, weight, &WordsAt(kOffchip, tensor).updates);
    Add(cycles_.Store(words), weight, &run_->sequential_cycles);
  }

  void VisitLeaf(size_t place, const Turns& turns, int64_t weight) {
    const NodeId node = outline_[place].tree->leaf()->node;
    const FusedDomain domain = contexts_.DomainAt(place, turns, node);
    if (contexts_.IsIdle(node, domain)) return;
    const Cost* cost = CostOf(place, node, domain);
    if (cost == nullptr) return;
    const std::vector<FusedOperand>& operands = problem_.nodes[node].operands;
    for (LevelId l : Ids(cost->levels)) {
      const LevelId level(l.value() + 1);
      for (TensorId t : Ids(cost->levels[l].tensors)) {
        const Counts& n = cost->levels[l].tensors[t].total;
        Counts& total = WordsAt(level, operands[t.value()].tensor);
        Add(n.reads, weight, &total.reads);
        Add(n.fills, weight, &total.fills);
        Add(n.updates, weight, &total.updates);
        Add(n.drains, weight, &total.drains);
      }
      if (level > kPad) Add(cost->levels[l].cycles, weight, &run_->level_cycles[level]);
    }
    Add(cost->cycles, weight, &run_->sequential_cycles);
    Add(cost->compute_cycles, weight, &run_->compute_cycles);
    Add(1, weight, &counts_.nodes[node].executions);
    Add(cost->operations, weight, &counts_.nodes[node].operations);
    CountOutput(place, node, turns, WordsOf(Touched(OutputOf(problem_.nodes[node]), domain)),
                weight);
    CountRowVectors(place, node, domain, weight);
  }

  // What an execution does with sums that lie in the pad, besides computing.
  void CountOutput(size_t place, NodeId node, const Turns& turns, int64_t words, int64_t weight) {
    const TensorId output = OutputOf(problem_.nodes[node]).tensor;
    if (Continues(place, node, turns)) Add(words, weight, &WordsAt(kPad, output).reads);
    const size_t hold = *outline_.HoldOf(node, output);
    if (outline_.HoldAt(hold).kind == FusedHoldKind::kFused && Finishes(place, node, turns)) {
      Add(words, weight, &counts_.holds[hold_index_[hold]].entered_words);
      if (outline_.HoldAt(hold).drains) Store(output, words, weight);
    }
    for (const FusedOperand& operand : problem_.nodes[node].operands) {
      if (operand.is_output || !Scales(place, node, operand.tensor, turns)) continue;
      Add(words, weight, &counts_.nodes[node].scalings);
      Add(words, weight, &WordsAt(kPad, output).reads);
      Add(words, weight, &WordsAt(kPad, output).updates);
      Add(cycles_.Scale(words), weight, &run_->sequential_cycles);
      Add(cycles_.ScaleCompute(words), weight, &run_->compute_cycles);
    }
  }

  // Whether this is the last that is added to the sums.
  bool Finishes(size_t place, NodeId node, const Turns& turns) {
    for (size_t i = 0; i < turns.size(); ++i) {
      const size_t loop = outline_[place].loops[i];
      if (!outline_.Reduces(loop, node)) continue;
      const Turns above(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(i));
      if (turns[i] + 1 < contexts_.TurnsOf(loop, above)) return false;
    }
    return true;
  }

  // The softmax that makes a tensor step by step, in loops that cut its rows.
  std::optional<NodeId> OnlineWriterOf(TensorId tensor) const {
    const auto writer = WriterOf(problem_, tensor);
    if (!writer || !IsOnline(*writer)) return std::nullopt;
    return writer;
  }

  bool CutsRows(size_t loop, NodeId softmax) const {
    return outline_.IsIn(loop, softmax) &&
           outline_.ShiftsOf(loop).of[softmax][*problem_.nodes[softmax].softmax] != 0;
  }

  bool IsOnline(NodeId node) const {
    const size_t leaf = outline_.LeafOf(node);
    const std::vector<size_t>& loops = outline_[leaf].loops;
    return outline_[leaf].tree->leaf()->online &&
           std::any_of(loops.begin(), loops.end(),
                       [&](size_t loop) { return CutsRows(loop, node); });
  }

  // Whether the execution of a reader is the first in its step of the rows.
  bool Scales(size_t place, NodeId reader, TensorId tensor, const Turns& turns) const {
    const auto softmax = OnlineWriterOf(tensor);
    if (!softmax) return false;
    for (size_t i = 0; i < turns.size(); ++i) {
      const size_t loop = outline_[place].loops[i];
      if (turns[i] > 0 && outline_.Reduces(loop, reader) && !CutsRows(loop, *softmax)) return false;
    }
    return true;
  }

  void CountRowVectors(size_t place, NodeId node, const FusedDomain& domain, int64_t weight) {
    if (!outline_[place].tree->leaf()->online || !IsOnline(node)) return;
    const FusedNode& softmax = problem_.nodes[node];
    int64_t rows = 1;
    for (const DimId d : DimsOf(problem_, softmax)) {
      if (d != *softmax.softmax && !IsReduced(softmax, d)) rows *= domain[d].size();
    }
    Counts& words = WordsAt(kPad, OutputOf(softmax).tensor);
    Add(2 * rows, weight, &words.reads);
    Add(2 * rows, weight, &words.updates);
  }

  // Of one execution; null after a fault.
  const Cost* CostOf(size_t place, NodeId node, const FusedDomain& domain) {
    const Problem own = FirstProblemOf(problem_, domain, node);
    std::vector<int64_t> sizes;
    for (const Dimension& dim : own.dims) sizes.push_back(dim.bound);
    const auto known = costs_.find({place, sizes});
    if (known != costs_.end()) return &known->second;
    const std::optional<Mapping>& given = outline_[place].tree->leaf()->mapping;
    const Mapping mapping = given ? *given : DefaultLeafMapping(own, leaf_architecture_);
    auto cost = Evaluate(own, leaf_architecture_, ClippedTo(own, mapping));
    if (!cost) {
      fault_ = cost.error();
      return nullptr;
    }
    return &costs_.emplace(std::pair(place, sizes), *std::move(cost)).first->second;
  }

  const FusedProblem& problem_;
  const Architecture& architecture_;
  const Architecture leaf_architecture_;
  const FusedCountOptions options_;
  const FusedOutline outline_;
  FusedContexts contexts_;
  const FusedEventCycles cycles_;
  const bool has_borders_;
  std::vector<size_t> hold_index_;  // by place
  FusedCounts counts_;
  FusedRunCounts* run_ = nullptr;
  std::map<std::pair<size_t, std::vector<int64_t>>, Cost> costs_;  // by leaf and sizes
  bool fits_ = true;
  std::optional<Fault> fault_;
};

}  // namespace

tl::expected<FusedCounts, Fault> CountFused(const FusedProblem& problem,
                                            const Architecture& architecture, const FusedTree& tree,
                                            const FusedCountOptions& options) {
  FusedCounts counts;
  for (const FusedRunTree& run : RunTreesOf(problem, tree)) {
    const FusedPart part = PartOf(problem, run.first, run.end);
    const FusedTree own = TreeInPart(part, *run.tree);
    auto counted = FusedCounter(part.problem, architecture, own, options).Run();
    if (!counted) return tl::unexpected(counted.error());
    AddCounts(part, *counted, problem.tensors.size(), &counts);
  }
  return counts;
}

void AddCounts(const FusedPart& part, const FusedCounts& counts, size_t tensors,
               FusedCounts* whole) {
  for (const FusedRunCounts& run : counts.runs) {
    FusedRunCounts& added = whole->runs.emplace_back(run);
    for (LevelId l : Ids(run.words)) {
      added.words[l].assign(tensors, Counts());
      for (TensorId t : Ids(run.words[l])) added.words[l][part.tensors[t]] = run.words[l][t];
    }
  }
  for (const FusedNodeCounts& node : counts.nodes) whole->nodes.push_back(node);
  for (FusedHoldCounts hold : counts.holds) {
    hold.tensor = part.tensors[hold.tensor];
    whole->holds.push_back(hold);
  }
  whole->room_words = std::max(whole->room_words, counts.room_words);
}

}  // namespace inlay
