#include "inlay/fuse/line_buffers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_box.h"
#include "inlay/core/fused_outline.h"
#include "inlay/cost/fused/room.h"
#include "inlay/fuse/needed_work.h"
#include "inlay/fuse/solution.h"
#include "inlay/fuse/tile_choices.h"

namespace inlay {
namespace {

int64_t WordsOfTile(const FusedProblem& problem, const FusedOperand& operand) {
  return WordsOf(Touched(operand, WholeDomain(problem)));
}

// Whether the node goes through a window along the dimension: besides the place that it is at.
bool IsWindow(const FusedNode& node, const Rank& rank, DimId dim) {
  return rank.terms.size() > 1 && IsReduced(node, dim);
}

void PutAround(FusedTree* tree, std::variant<FusedLoop, FusedHold, FusedSplit, FusedLeaf> part) {
  FusedTree around;
  around.part = std::move(part);
  around.children.push_back(std::move(*tree));
  *tree = std::move(around);
}

// Consecutive nodes below all common loops, with a loop of their own where they are several.
struct Part {
  NodeId first, end;
  std::optional<FusedLoop> loop;
};

// How a tree is made; all nodes are under the loops.
struct Form {
  std::vector<FusedLoop> loops;  // outer to inner
  size_t keep_below = 0;  // intermediates that windows read are held below so many of the loops
  bool retain = false;
  bool stream_inputs = false, stream_outputs = false;  // instead of held below all loops
  std::vector<bool> above;                             // by tensor: held above all loops
  std::vector<Part> parts;                             // none: every node by itself
  int64_t least = 0;                                   // off-chip words, or more
};

// Counting a tree can take a tenth of a second: trees of one range that are counted at most.
constexpr int kMostCounted = 12;
constexpr int kMostCountedOfParts = 2;

class LineBufferSearch {
 public:
  LineBufferSearch(const FusedProblem& problem, const Architecture& architecture,
                   const FuseOptions& options, int64_t room, std::vector<TensorId> whole,
                   const Deadline& deadline)
      : problem_(problem),
        architecture_(architecture),
        options_(options),
        room_(room),
        whole_(std::move(whole)),
        deadline_(deadline),
        least_(CompulsoryWords(problem)) {
    for (TensorId t : Ids(problem.tensors)) {
      const auto writer = WriterOf(problem, t);
      const auto readers = ReadersOf(problem, t);
      if (writer && !readers.empty()) fused_.push_back(t);
      if (!writer && !readers.empty() && !IsWhole(t)) {
        weights_.emplace_back(WordsOfTile(problem, *OperandOf(problem.nodes[readers.front()], t)),
                              t);
      }
    }
    std::sort(weights_.rbegin(), weights_.rend());
    for (const FusedNode& node : problem.nodes) {
      for (const FusedOperand& operand : node.operands) {
        for (const Rank& rank : operand.ranks) has_windows_ = has_windows_ || rank.terms.size() > 1;
      }
    }
    // Loops over a window are shared by no nodes: docs/reference/fusion.md, section 1.
    std::set<DimId> windows;
    for (const FusedOperand& operand : problem.nodes.back().operands) {
      for (const Rank& rank : operand.ranks) {
        for (const auto& term : rank.terms) {
          if (IsWindow(problem.nodes.back(), rank, term.dim)) windows.insert(term.dim);
        }
      }
    }
    for (const DimId d : DimsOf(problem, problem.nodes.back())) {
      if (problem.dims[d].bound > 1 && !windows.contains(d)) dims_.push_back(d);
    }
  }

  std::optional<FusedSolution> Run() {
    ListForms({});
    const size_t most = problem_.nodes.size() > 1
                            ? static_cast<size_t>(std::max(0, options_.shared_loops))
                            : dims_.size();
    for (const DimId outer : dims_) {
      if (most >= 1) ListSteps({outer}, 32);
      for (const DimId inner : dims_) {
        if (most >= 2 && inner != outer) ListSteps({outer, inner}, 8);
      }
    }
    // By the words that each moves at least, the fewest first.
    std::stable_sort(forms_.begin(), forms_.end(), [](const Form& a, const Form& b) {
      return std::pair(a.least, !a.retain) < std::pair(b.least, !b.retain);
    });
    for (const Form& form : forms_) {
      if (deadline_.Passed() || (best_ && form.least >= best_->cost.offchip_words)) break;
      if (best_ && counted_ >= kMostCounted) break;
      TryTree(TreeOf(form));
    }
    return std::move(best_);
  }

  // Trees of parts, which pass on what is retained below one loop; in a part, a loop over what its
  // last node sums up, and all that is made inside it computed again.
  std::optional<FusedSolution> RunParts() {
    std::vector<std::vector<Part>> partitions;
    ListPartitions({}, &partitions);
    const int outer_loops = options_.shared_loops - 1;
    for (const std::vector<Part>& parts : partitions) {
      if (outer_loops >= 0) ListLargest({}, parts);
      for (const DimId d : dims_) {
        if (outer_loops >= 1 && !IsReduced(problem_.nodes.back(), d)) ListLargest(d, parts);
      }
    }
    std::stable_sort(forms_.begin(), forms_.end(),
                     [](const Form& a, const Form& b) { return a.least < b.least; });
    for (Form& form : forms_) {
      if (deadline_.Passed() || counted_ >= kMostCountedOfParts) break;
      if (best_ && form.least >= best_->cost.offchip_words) break;
      for (Part& part : form.parts) {
        if (!part.loop) continue;
        for (const int64_t step : sizes_.Of(problem_.dims[part.loop->dim].bound)) {
          part.loop->step = step;
          if (step == 1 || Fits(TreeOf(form))) break;
        }
      }
      TryTree(TreeOf(form));
    }
    return std::move(best_);
  }

 private:
  void ListPartitions(std::vector<Part> parts, std::vector<std::vector<Part>>* all) const {
    const size_t first = parts.empty() ? 0 : parts.back().end.value();
    const size_t count = problem_.nodes.size();
    if (first == count) {
      const bool loops = std::any_of(parts.begin(), parts.end(),
                                     [](const Part& part) { return part.loop.has_value(); });
      if (loops) all->push_back(std::move(parts));
      return;
    }
    for (size_t end = first + 1; end <= count; ++end) {
      Part part{NodeId(first), NodeId(end), std::nullopt};
      if (end > first + 1) {
        const auto dim = SummedBy(part);
        if (!dim) continue;
        part.loop = FusedLoop{*dim, 1};
      }
      parts.push_back(part);
      ListPartitions(parts, all);
      parts.pop_back();
    }
  }

  // The longest dimension that the last node of a part sums over, no window, that every node of it
  // has.
  std::optional<DimId> SummedBy(const Part& part) const {
    const FusedNode& last = problem_.nodes[NodeId(part.end.value() - 1)];
    std::optional<DimId> longest;
    for (const DimId d : DimsOf(problem_, last)) {
      if (!IsReduced(last, d) || problem_.dims[d].bound < 2) continue;
      if (longest && problem_.dims[d].bound <= problem_.dims[*longest].bound) continue;
      if (ReachesAll(part, d)) longest = d;
    }
    return longest;
  }

  bool ReachesAll(const Part& part, DimId dim) const {
    std::map<NodeId, DimId> cut = {{NodeId(part.end.value() - 1), dim}};
    for (size_t n = part.end.value() - 1; n-- > part.first.value();) {
      const FusedOperand& output = OutputOf(problem_.nodes[NodeId(n)]);
      for (const NodeId reader : ReadersOf(problem_, output.tensor)) {
        const auto at = cut.find(reader);
        if (at == cut.end()) continue;
        const FusedOperand& read = *OperandOf(problem_.nodes[reader], output.tensor);
        for (size_t r = 0; r < read.ranks.size(); ++r) {
          const bool has =
              read.ranks[r].terms.size() == 1 && read.ranks[r].terms.front().dim == at->second;
          if (has && !output.ranks[r].terms.empty()) {
            cut.emplace(NodeId(n), output.ranks[r].terms.front().dim);
          }
        }
      }
      if (!cut.contains(NodeId(n))) return false;
    }
    return true;
  }

  // With the largest step of the common loop that fits, for it computes the least again; for every
  // number of tensors held above it.
  void ListLargest(std::optional<DimId> dim, const std::vector<Part>& parts) {
    std::vector<int64_t> steps = {1};
    if (dim)
      steps.assign(sizes_.Of(problem_.dims[*dim].bound).rbegin(),
                   sizes_.Of(problem_.dims[*dim].bound).rend());
    std::vector<Form> found;
    std::swap(found, forms_);
    for (size_t less = 0; !deadline_.Passed(); ++less) {
      const auto form_of = [&](int64_t step) -> std::optional<Form> {
        Form form;
        if (dim) form.loops = {{*dim, step}};
        form.keep_below = form.loops.size();
        form.retain = true;
        form.parts = parts;
        forms_.clear();
        ListHolds(form);
        if (less >= forms_.size()) return std::nullopt;
        return std::move(forms_[less]);
      };
      const auto smallest = form_of(steps.front());
      if (!smallest) break;
      if (!Fits(TreeOf(*smallest))) continue;
      const auto fits = [&](int64_t step) { return Fits(TreeOf(*form_of(step))); };
      const auto end = std::partition_point(steps.begin() + 1, steps.end(), fits);
      found.push_back(*form_of(*(end - 1)));
    }
    forms_ = std::move(found);
  }

  bool Fits(const FusedTree& tree) const {
    return Validate(problem_, tree).empty() &&
           FusedRoomWords(problem_, architecture_, FusedOutline(problem_, tree)) <= room_;
  }

  // The part in which an intermediate is made and read, if it is in one.
  static const Part* PartOf(const FusedProblem& problem, const Form& form, TensorId t) {
    const auto writer = WriterOf(problem, t);
    for (const Part& part : form.parts) {
      const auto is_in = [&part](NodeId n) { return n >= part.first && n < part.end; };
      const auto readers = ReadersOf(problem, t);
      if (writer && is_in(*writer) && std::all_of(readers.begin(), readers.end(), is_in)) {
        return &part;
      }
    }
    return nullptr;
  }

  FusedTree PartTree(const Form& form, const Part& part) const {
    if (!part.loop) return Branch(form, part.first);
    FusedTree tree;
    for (NodeId n = part.first; n < part.end; ++n) tree.children.push_back(Branch(form, n));
    for (const TensorId t : fused_) {
      if (PartOf(problem_, form, t) == &part) PutAround(&tree, FusedHold{t, false});
    }
    PutAround(&tree, *part.loop);
    return tree;
  }

  // Small steps first: they take the least room.
  std::vector<int64_t> StepsOf(DimId dim, size_t most) {
    const std::vector<int64_t>& all = sizes_.Of(problem_.dims[dim].bound);
    std::vector<int64_t> steps(all.rbegin(), all.rend());
    if (steps.size() <= most) return steps;
    std::vector<int64_t> some;
    for (size_t i = 0; i < most; ++i) some.push_back(steps[i * steps.size() / most]);
    return some;
  }

  void ListSteps(const std::vector<DimId>& dims, size_t most) {
    for (const int64_t first : StepsOf(dims.front(), most)) {
      if (dims.size() == 1) {
        ListForms({{dims.front(), first}});
        continue;
      }
      for (const int64_t second : StepsOf(dims.back(), most)) {
        ListForms({{dims.front(), first}, {dims.back(), second}});
      }
    }
  }

  void ListForms(const std::vector<FusedLoop>& loops) {
    Form form;
    form.loops = loops;
    for (size_t below = std::min<size_t>(1, loops.size()); below <= loops.size(); ++below) {
      for (const bool retain : {true, false}) {
        if (!retain && below < loops.size()) continue;
        if (fused_.empty() && (!retain || below > 1)) continue;
        form.keep_below = below;
        form.retain = retain;
        for (const bool inputs : {true, false}) {
          for (const bool outputs : {true, false}) {
            form.stream_inputs = inputs;
            form.stream_outputs = outputs;
            ListHolds(form);
          }
        }
      }
    }
  }

  // All tensors that the loops do not move above them; then without the largest of them, and so on.
  void ListHolds(Form form) {
    int64_t turns = 1;
    for (const FusedLoop& loop : form.loops) {
      turns = SaturatingMultiply(turns, CeilDiv(problem_.dims[loop.dim].bound, loop.step));
    }
    form.above.assign(problem_.tensors.size(), false);
    for (const TensorId t : whole_) form.above[t.value()] = true;
    // Partial sums stay in the pad.
    for (const FusedLoop& loop : form.loops) {
      if (IsReduced(problem_.nodes.back(), loop.dim)) {
        form.above[OutputOf(problem_.nodes.back()).tensor.value()] = true;
      }
    }
    std::vector<std::pair<int64_t, TensorId>> still;
    for (const auto& [words, tensor] : weights_) {
      if (!IsMoved(form, tensor)) still.emplace_back(words, tensor);
    }
    for (const auto& [words, tensor] : still) form.above[tensor.value()] = true;
    form.least = SaturatingAdd(least_, WordsAgain(form));
    for (const auto& [words, tensor] : still) {
      forms_.push_back(form);
      form.above[tensor.value()] = false;
      form.least = SaturatingAdd(form.least, SaturatingMultiply(turns - 1, words));
    }
    forms_.push_back(form);
  }

  // What inputs that some loops move enter again in the turns of others.
  int64_t WordsAgain(const Form& form) const {
    int64_t again = 0;
    for (const auto& [words, tensor] : weights_) {
      Form one;
      int64_t turns = 1;
      bool moved = form.stream_inputs;
      if (!IsMoved(form, tensor)) continue;
      for (size_t i = form.loops.size(); i-- > 0;) {
        one.loops = {form.loops[i]};
        const int64_t own = CeilDiv(problem_.dims[form.loops[i].dim].bound, form.loops[i].step);
        if (IsMoved(one, tensor)) {
          moved = true;
        } else if (moved) {
          turns = SaturatingMultiply(turns, own);
        }
      }
      again = SaturatingAdd(again, SaturatingMultiply(turns - 1, words));
    }
    return again;
  }

  // Whether a loop moves an input: a dimension of a node that uses it and is cut has to be its.
  bool IsMoved(const Form& form, TensorId tensor) const {
    for (const NodeId reader : ReadersOf(problem_, tensor)) {
      for (const DimId d : DimsOfTensor(reader, tensor)) {
        const auto place = SinkDimsOf(reader);
        for (const FusedLoop& loop : form.loops) {
          const auto at = place.find(d);
          if (at != place.end() && at->second == loop.dim) return true;
        }
      }
    }
    return false;
  }

  std::vector<DimId> DimsOfTensor(NodeId node, TensorId tensor) const {
    std::vector<DimId> dims;
    for (const Rank& rank : OperandOf(problem_.nodes[node], tensor)->ranks) {
      for (const auto& term : rank.terms) dims.push_back(term.dim);
    }
    return dims;
  }

  // Of a node's dimensions: which dimension of the last node moves it.
  std::map<DimId, DimId> SinkDimsOf(NodeId node) const {
    std::map<DimId, DimId> of;
    const FusedNode& n = problem_.nodes[node];
    const FusedOperand& output = OutputOf(n);
    const auto readers = ReadersOf(problem_, output.tensor);
    if (readers.empty()) {
      for (const DimId d : DimsOf(problem_, n)) of[d] = d;
      return of;
    }
    const auto further = SinkDimsOf(readers.front());
    const FusedOperand& read = *OperandOf(problem_.nodes[readers.front()], output.tensor);
    for (size_t r = 0; r < output.ranks.size(); ++r) {
      if (output.ranks[r].terms.empty()) continue;
      for (const auto& term : read.ranks[r].terms) {
        const auto at = further.find(term.dim);
        const bool window = IsWindow(problem_.nodes[readers.front()], read.ranks[r], term.dim);
        if (at != further.end() && !window) {
          of[output.ranks[r].terms.front().dim] = at->second;
          break;
        }
      }
    }
    return of;
  }

  bool IsWhole(TensorId t) const {
    return std::find(whole_.begin(), whole_.end(), t) != whole_.end();
  }

  bool IsFusedTensor(TensorId t) const {
    return std::find(fused_.begin(), fused_.end(), t) != fused_.end();
  }

  // Whether a reader takes windows of it, so that two of them may have words in common.
  bool IsReadSlid(TensorId t) const {
    const auto readers = ReadersOf(problem_, t);
    // Readers of which some wait for halos of others go different ways.
    if (has_windows_ && readers.size() > 1) return true;
    for (const NodeId reader : readers) {
      for (const Rank& rank : OperandOf(problem_.nodes[reader], t)->ranks) {
        if (rank.terms.size() > 1) return true;
      }
    }
    return false;
  }

  // Held below all loops, for every node that uses it.
  bool IsShared(const Form& form, TensorId t) const {
    if (IsFusedTensor(t) || form.above[t.value()]) return false;
    if (WriterOf(problem_, t)) return !form.stream_outputs;
    const auto readers = ReadersOf(problem_, t);
    if (readers.size() > 1) return true;
    return !readers.empty() && !form.stream_inputs && IsMoved(form, t);
  }

  // What one part makes for another may slide even if its readers have no window: theirs do.
  bool IsRetained(const Form& form, TensorId t) const {
    return form.retain && (IsReadSlid(t) || !form.parts.empty());
  }

  FusedTree TreeOf(const Form& form) const {
    FusedTree tree;
    std::vector<FusedTree> leaves;
    for (const Part& part : form.parts) leaves.push_back(PartTree(form, part));
    for (const NodeId n : Ids(problem_.nodes)) {
      if (form.parts.empty()) leaves.push_back(Branch(form, n));
    }
    if (leaves.size() == 1) {
      tree = std::move(leaves.front());
    } else {
      tree.children = std::move(leaves);
    }
    for (size_t below = form.loops.size() + 1; below-- > 0;) {
      for (TensorId t : Ids(problem_.tensors)) {
        const bool used = !ReadersOf(problem_, t).empty() || WriterOf(problem_, t);
        if (!used) continue;
        const size_t depth = IsReadSlid(t) || !form.retain ? form.keep_below : form.loops.size();
        const bool inside = IsFusedTensor(t) && PartOf(problem_, form, t) != nullptr;
        const bool here = (IsFusedTensor(t) && !inside && below == depth) ||
                          (below == form.loops.size() && IsShared(form, t)) ||
                          (below == 0 && form.above[t.value()]);
        if (here) PutAround(&tree, FusedHold{t, IsFusedTensor(t) && IsRetained(form, t)});
      }
      if (below > 0) PutAround(&tree, form.loops[below - 1]);
    }
    return tree;
  }

  // A node with what is held for it alone: word by word where no window is in the way, first what
  // has the dimensions that all of it have.
  FusedTree Branch(const Form& form, NodeId node) const {
    const FusedNode& n = problem_.nodes[node];
    std::vector<const FusedOperand*> own;
    std::set<DimId> windows;
    for (const FusedOperand& operand : n.operands) {
      for (const Rank& rank : operand.ranks) {
        for (const auto& term : rank.terms) {
          if (rank.terms.size() > 1) windows.insert(term.dim);
        }
      }
      if (!IsFusedTensor(operand.tensor) && !form.above[operand.tensor.value()] &&
          !IsShared(form, operand.tensor)) {
        own.push_back(&operand);
      }
    }
    // What moves with the loops first, then what stays the same.
    std::stable_sort(own.begin(), own.end(), [&](const auto* a, const auto* b) {
      const auto moved = [&](const FusedOperand* o) {
        return o->is_output || IsMoved(form, o->tensor);
      };
      return moved(a) && !moved(b);
    });
    const auto has = [](const FusedOperand& operand, DimId d) {
      return std::any_of(operand.ranks.begin(), operand.ranks.end(), [d](const Rank& rank) {
        return std::any_of(rank.terms.begin(), rank.terms.end(),
                           [d](const auto& term) { return term.dim == d; });
      });
    };
    std::vector<std::variant<FusedLoop, FusedHold, FusedSplit, FusedLeaf>> parts;
    std::set<DimId> done;
    for (size_t i = 0; i < own.size(); ++i) {
      for (const DimId d : DimsOf(problem_, n)) {
        bool in_all = problem_.dims[d].bound > 1 && !windows.contains(d) && !done.contains(d);
        for (size_t j = i; j < own.size(); ++j) in_all = in_all && has(*own[j], d);
        for (const FusedLoop& loop : form.loops) {
          // Cut to one by the loops above.
          const auto moves = SinkDimsOf(node);
          const auto at = moves.find(d);
          in_all = in_all && !(loop.step == 1 && at != moves.end() && at->second == loop.dim);
        }
        if (n.softmax == d || n.rows == d) in_all = false;
        if (!in_all) continue;
        done.insert(d);
        parts.emplace_back(FusedLoop{d, 1});
      }
      parts.emplace_back(FusedHold{own[i]->tensor, false});
    }
    FusedTree tree;
    tree.part = FusedLeaf{node, false, std::nullopt};
    for (size_t i = parts.size(); i-- > 0;) PutAround(&tree, parts[i]);
    return tree;
  }

  // Takes a tree that is legal, fits and is the best so far.
  void TryTree(FusedTree tree) {
    if (!Validate(problem_, tree).empty()) return;
    const FusedOutline outline(problem_, tree);
    if (FusedRoomWords(problem_, architecture_, outline) > room_) return;
    if (!CheckFusedCapacity(problem_, architecture_, outline).empty()) return;
    ++counted_;
    auto solution = SolutionOf(problem_, architecture_, std::move(tree));
    if (!solution) return;
    const auto value = [](const FusedSolution& s) {
      return std::pair(s.cost.offchip_words, s.cost.operations);
    };
    if (!best_ || value(*solution) < value(*best_)) best_ = std::move(solution);
  }

  const FusedProblem& problem_;
  const Architecture& architecture_;
  const FuseOptions& options_;
  const int64_t room_;
  const std::vector<TensorId> whole_;
  const Deadline& deadline_;
  const int64_t least_;
  TileChoices sizes_{options_.tiles};
  bool has_windows_ = false;
  std::vector<TensorId> fused_;
  std::vector<std::pair<int64_t, TensorId>> weights_;  // inputs, the largest first
  std::vector<DimId> dims_;
  std::vector<Form> forms_;
  int counted_ = 0;
  std::optional<FusedSolution> best_;
};

}  // namespace

std::optional<FusedSolution> BestLineBuffer(const FusedProblem& problem,
                                            const Architecture& architecture,
                                            const FuseOptions& options, int64_t room_words,
                                            const std::vector<TensorId>& whole,
                                            const Deadline& deadline) {
  return LineBufferSearch(problem, architecture, options, room_words, whole, deadline).Run();
}

std::optional<FusedSolution> BestOfParts(const FusedProblem& problem,
                                         const Architecture& architecture,
                                         const FuseOptions& options, int64_t room_words,
                                         const Deadline& deadline) {
  return LineBufferSearch(problem, architecture, options, room_words, {}, deadline).RunParts();
}

}  // namespace inlay
