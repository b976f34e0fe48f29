#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/core/fused_part.h"

namespace inlay {
namespace {

std::string Where(size_t place) { return fmt::format("tree[{}]", place); }

// Rule 1 and what the parts of a tree have as children, without which there is no outline.
class FusedFormCheck {
 public:
  FusedFormCheck(const FusedProblem& problem, Faults* faults)
      : problem_(problem), faults_(faults) {}

  void Run(const FusedTree& tree) {
    Visit(tree);
    if (next_ < problem_.nodes.size()) {
      faults_->push_back({"tree", fmt::format("node '{}' has no leaf", NameOf(next_)),
                          "every node has one leaf, in the order of the nodes"});
    }
  }

 private:
  const std::string& NameOf(size_t node) const { return problem_.nodes[NodeId(node)].name; }

  void Visit(const FusedTree& tree) {
    const std::string where = Where(place_++);
    if (const FusedLeaf* leaf = tree.leaf()) {
      if (leaf->node.value() == next_) {
        ++next_;
      } else if (leaf->node.value() < next_) {
        faults_->push_back({where,
                            fmt::format("a second leaf of '{}', or one that is too late",
                                        NameOf(leaf->node.value())),
                            "leaves come once each, in the order of the nodes"});
      } else {
        faults_->push_back({where,
                            fmt::format("the leaf of '{}' is missing before that of '{}'",
                                        NameOf(next_), NameOf(leaf->node.value())),
                            "leaves come once each, in the order of the nodes"});
        next_ = leaf->node.value() + 1;
      }
    }
    const size_t least = tree.leaf() != nullptr ? 0 : tree.IsSplit() ? 2 : 1;
    const size_t most = tree.IsSplit() ? tree.children.size() : least;
    if (tree.children.size() < least || tree.children.size() > most) {
      faults_->push_back({where, "this part of the tree has a wrong number of parts inside", ""});
    }
    for (const FusedTree& child : tree.children) Visit(child);
  }

  const FusedProblem& problem_;
  Faults* faults_;
  size_t place_ = 0, next_ = 0;
};

// Rules 2 to 9.
class FusedRulesCheck {
 public:
  // `first_place` is the number of the tree's root in the tree that it is a part of.
  FusedRulesCheck(const FusedProblem& problem, const FusedTree& tree, size_t first_place)
      : problem_(problem), outline_(problem, tree), first_place_(first_place) {}

  Faults Run() && {
    Check();
    return std::move(faults_);
  }

 private:
  void Check() {
    for (size_t p = 0; p < outline_.places().size(); ++p) {
      if (outline_[p].tree->loop() != nullptr) CheckSinks(p);
      if (outline_[p].tree->hold() != nullptr) CheckUse(p);
      if (outline_[p].tree->leaf() != nullptr) CheckOperands(p);
    }
    if (!faults_.empty()) return;  // shifts mean nothing without these
    for (size_t p = 0; p < outline_.places().size(); ++p) {
      if (outline_[p].tree->loop() != nullptr) CheckReach(p);
      if (outline_[p].tree->hold() != nullptr) CheckHold(p);
    }
    for (TensorId t : Ids(problem_.tensors)) CheckLoopsAbove(t);
    if (!faults_.empty()) return;
    CheckSteps();
    for (NodeId n : Ids(problem_.nodes)) CheckRows(n);
  }

  void Add(size_t place, std::string message, std::string hint = "") {
    faults_.push_back({Where(first_place_ + place), std::move(message), std::move(hint)});
  }
  const std::string& Name(NodeId node) const { return problem_.nodes[node].name; }
  const std::string& Name(TensorId tensor) const { return problem_.tensors[tensor]; }
  const std::string& DimOf(size_t loop) const {
    return problem_.dims[outline_[loop].tree->loop()->dim].name;
  }
  bool HasDim(NodeId node, DimId dim) const {
    const auto dims = DimsOf(problem_, problem_.nodes[node]);
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  }

  // Rule 2, first sentence.
  void CheckSinks(size_t p) {
    for (const NodeId sink : outline_.ShiftsOf(p).sinks) {
      if (HasDim(sink, outline_[p].tree->loop()->dim)) continue;
      Add(p, fmt::format("node '{}' has no dimension '{}'", Name(sink), DimOf(p)),
          "a loop is over a dimension of the last nodes inside it, whose outputs no node inside "
          "reads");
    }
  }

  // Rule 6, its second sentence.
  void CheckUse(size_t p) {
    const FusedHoldPlace& hold = outline_.HoldAt(p);
    if (hold.writer || !hold.readers.empty()) return;
    Add(p,
        fmt::format("no node below reads or writes '{}'", Name(outline_[p].tree->hold()->tensor)),
        "hold a tensor above the nodes that use it");
  }

  // Rule 6, its first sentence.
  void CheckOperands(size_t p) {
    const NodeId node = outline_[p].tree->leaf()->node;
    for (const FusedOperand& operand : problem_.nodes[node].operands) {
      std::vector<size_t> holds;
      for (const size_t h : outline_[p].holds) {
        if (outline_[h].tree->hold()->tensor == operand.tensor) holds.push_back(h);
      }
      if (holds.empty()) {
        Add(p,
            fmt::format("'{}' needs '{}', which is not held above it", Name(node),
                        Name(operand.tensor)),
            fmt::format("add 'hold {}' where its tile shall enter the pad", Name(operand.tensor)));
      } else if (holds.size() > 1) {
        Add(holds[1], fmt::format("'{}' is held already above", Name(operand.tensor)),
            "a tensor is held once on the way to a node");
      }
    }
  }

  // Rule 3 and the first sentence of rule 4.
  void CheckReach(size_t p) {
    const FusedPlace& place = outline_[p];
    const FusedShifts& shifts = outline_.ShiftsOf(p);
    for (size_t n = place.first.value(); n < place.end.value(); ++n) {
      const auto& of_node = shifts.of[NodeId(n)];
      if (std::all_of(of_node.begin(), of_node.end(), [](int64_t shift) { return shift == 0; })) {
        Add(p,
            fmt::format("the loop over '{}' changes nothing for '{}' inside it, which would "
                        "compute the same again",
                        DimOf(p), Name(NodeId(n))),
            "move the node out of the loop");
      }
      const TensorId output = OutputOf(problem_.nodes[NodeId(n)]).tensor;
      CheckAlike(p, output, outline_.ReadersIn(p, output));
    }
  }

  // The readers see the tensor move alike.
  void CheckAlike(size_t loop, TensorId tensor, const std::vector<NodeId>& readers) {
    for (const NodeId reader : readers) {
      const FusedOperand& a = *OperandOf(problem_.nodes[readers.front()], tensor);
      const FusedOperand& b = *OperandOf(problem_.nodes[reader], tensor);
      for (size_t r = 0; r < a.ranks.size(); ++r) {
        if (outline_.ShiftAlong(loop, readers.front(), a.ranks[r]) ==
            outline_.ShiftAlong(loop, reader, b.ranks[r])) {
          continue;
        }
        Add(loop,
            fmt::format("the loop over '{}' moves '{}' differently for '{}' and '{}'", DimOf(loop),
                        Name(tensor), Name(readers.front()), Name(reader)),
            "let the nodes have loops of their own");
        return;
      }
    }
  }

  // Rule 7 and the second sentence of rule 4.
  void CheckHold(size_t p) {
    const FusedHold& hold = *outline_[p].tree->hold();
    const FusedHoldPlace& info = outline_.HoldAt(p);
    for (size_t l = 0; l < outline_.places().size(); ++l) {
      const bool above =
          outline_[l].first <= outline_[p].first && outline_[p].end <= outline_[l].end;
      const bool below =
          outline_[p].first <= outline_[l].first && outline_[l].end <= outline_[p].end;
      if (outline_[l].tree->loop() == nullptr || !(above || below)) continue;
      std::vector<NodeId> readers;
      for (const NodeId reader : info.readers) {
        if (outline_.IsIn(l, reader)) readers.push_back(reader);
      }
      CheckAlike(l, hold.tensor, readers);
    }
    if (!hold.retain) return;
    if (info.kind != FusedHoldKind::kFused) {
      return Add(
          p,
          fmt::format("'retain {0}', but not both the writer and a reader of '{0}' are inside",
                      Name(hold.tensor)),
          fmt::format("write 'hold {}'", Name(hold.tensor)));
    }
    CheckOneDimension(p, hold.tensor, *info.writer);
  }

  void CheckOneDimension(size_t hold, TensorId tensor, NodeId writer) {
    std::map<size_t, size_t> first_loop;  // by rank
    for (const size_t loop : outline_[outline_.LeafOf(writer)].loops) {
      const std::vector<NodeId> readers = outline_.ReadersIn(loop, tensor);
      if (loop < hold || readers.empty()) continue;
      const FusedOperand& operand = *OperandOf(problem_.nodes[readers.front()], tensor);
      for (size_t r = 0; r < operand.ranks.size(); ++r) {
        if (outline_.ShiftAlong(loop, readers.front(), operand.ranks[r]) == 0) continue;
        const size_t other = first_loop.emplace(r, loop).first->second;
        if (outline_[other].tree->loop()->dim == outline_[loop].tree->loop()->dim) continue;
        Add(loop,
            fmt::format("the loops over '{}' and '{}' both move '{}' along its rank {} below "
                        "'retain {}'",
                        DimOf(other), DimOf(loop), Name(tensor), r + 1, Name(tensor)),
            "retain it inside one of them");
      }
    }
  }

  // Rule 5.
  void CheckLoopsAbove(TensorId t) {
    const auto writer = WriterOf(problem_, t);
    const std::vector<NodeId> all = ReadersOf(problem_, t);
    if (!writer || all.empty()) return;
    std::optional<std::vector<NodeId>> first;
    for (const size_t loop : outline_[outline_.LeafOf(*writer)].loops) {
      std::vector<NodeId> readers = outline_.ReadersIn(loop, t);
      if (readers.empty()) continue;
      if (!first) {
        first = readers;
        const bool elsewhere = readers.size() < all.size() || IsListedOutput(problem_, t);
        if (elsewhere) CheckTouchAll(loop, t, *writer, readers);
      } else if (readers != *first) {
        Add(loop,
            fmt::format("'{}' is read inside this loop and by '{}', which is outside it but "
                        "inside a loop further out",
                        Name(t), Name(LeftOut(*first, readers))),
            "put both readers into the inner loop, or none");
      }
    }
  }

  static NodeId LeftOut(const std::vector<NodeId>& all, const std::vector<NodeId>& some) {
    for (const NodeId node : all) {
      if (std::find(some.begin(), some.end(), node) == some.end()) return node;
    }
    return all.front();
  }

  void CheckTouchAll(size_t loop, TensorId t, NodeId writer, const std::vector<NodeId>& readers) {
    const FusedDomain whole = WholeDomain(problem_);
    FusedBox touched = Touched(*OperandOf(problem_.nodes[readers.front()], t), whole);
    for (const NodeId reader : readers) {
      touched = Hull(touched, Touched(*OperandOf(problem_.nodes[reader], t), whole));
    }
    if (touched == Touched(OutputOf(problem_.nodes[writer]), whole)) return;
    Add(loop,
        fmt::format("the readers of '{}' inside this loop do not touch all of it, and it is "
                    "needed outside as well",
                    Name(t)),
        "take the writer out of the loop");
  }

  // The rest of rule 2.
  void CheckSteps() {
    const auto domains = FirstDomains(problem_, outline_);
    for (size_t p = 0; p < outline_.places().size(); ++p) {
      const FusedLoop* loop = outline_[p].tree->loop();
      if (loop == nullptr) continue;
      const std::vector<NodeId>& sinks = outline_.ShiftsOf(p).sinks;
      const int64_t range = domains[p][sinks.front()][loop->dim].size();
      if (loop->step < 1 || loop->step > range) {
        Add(p, fmt::format("the step of '{}' is {}, and its range {}", DimOf(p), loop->step, range),
            "steps are whole numbers from 1 to the range");
      }
      for (const NodeId sink : sinks) {
        if (sinks.size() > 1) CheckSameRange(p, sinks.front(), sink, domains[p]);
      }
      if (loop->step < range) CheckGaps(p);
    }
  }

  // Rules 5 and 7: no gaps between the words that successive turns compute.
  void CheckGaps(size_t p) {
    for (size_t n = outline_[p].first.value(); n < outline_[p].end.value(); ++n) {
      const FusedOperand& output = OutputOf(problem_.nodes[NodeId(n)]);
      const auto readers = outline_.ReadersIn(p, output.tensor);
      if (readers.empty()) continue;
      const bool elsewhere = IsListedOutput(problem_, output.tensor) ||
                             ReadersOf(problem_, output.tensor).size() > readers.size();
      const size_t hold = *outline_.HoldOf(NodeId(n), output.tensor);
      const bool retained = hold < p && outline_[hold].tree->hold()->retain;
      if (!elsewhere && !retained) continue;
      const auto& read = OperandOf(problem_.nodes[readers.front()], output.tensor)->ranks;
      for (size_t r = 0; r < read.size(); ++r) {
        if (!LeavesGaps(p, NodeId(n), readers.front(), r)) continue;
        Add(p,
            fmt::format("the loop over '{}' skips words of '{}', which {}", DimOf(p),
                        Name(output.tensor),
                        elsewhere ? "is needed outside as well" : "is retained outside it"),
            elsewhere ? fmt::format("take '{}' out of the loop", Name(NodeId(n)))
                      : "move the 'retain' into the loop");
        break;
      }
    }
  }

  // Along a rank of what the writer makes. Turns of loops above that move the rank as well, and
  // are short, demand less.
  bool LeavesGaps(size_t p, NodeId writer, NodeId reader, size_t rank) {
    constexpr size_t kMostLoops = 10;
    const FusedOperand& output = OutputOf(problem_.nodes[writer]);
    const Rank& read = OperandOf(problem_.nodes[reader], output.tensor)->ranks[rank];
    const FusedLoop& loop = *outline_[p].tree->loop();
    const int64_t shift = outline_.ShiftAlong(p, reader, read) * loop.step;
    if (shift == 0) return false;
    std::vector<size_t> moving;
    for (const size_t above : outline_[p].loops) {
      if (outline_.ShiftAlong(above, reader, read) != 0) moving.push_back(above);
    }
    moving.resize(std::min(moving.size(), kMostLoops));
    for (size_t choice = 0; choice < size_t{1} << moving.size(); ++choice) {
      std::set<size_t> last;
      for (size_t i = 0; i < moving.size(); ++i) {
        if ((choice >> i & 1) != 0) last.insert(moving[i]);
      }
      const FusedDomains domains = LaterDomains(problem_, outline_, last);
      const NodeId sink = outline_.ShiftsOf(p).sinks.front();
      if (domains[p][sink][loop.dim].size() <= loop.step) continue;
      const FusedDomain& inside = domains[outline_[p].children.front()][writer];
      if (shift > Touched(output, inside)[rank].size()) return true;
    }
    return false;
  }

  void CheckSameRange(size_t p, NodeId first, NodeId sink,
                      const IndexedVector<NodeId, FusedDomain>& domains) {
    const DimId dim = outline_[p].tree->loop()->dim;
    bool same = domains[first][dim] == domains[sink][dim];
    for (const size_t loop : outline_[p].loops) {
      same =
          same && outline_.ShiftsOf(loop).of[first][dim] == outline_.ShiftsOf(loop).of[sink][dim];
    }
    const auto hold = outline_.HoldOf(sink, OutputOf(problem_.nodes[sink]).tensor);
    const bool retained = hold && *hold < p && outline_[*hold].tree->hold()->retain;
    if (same && (!retained || IsReduced(problem_.nodes[sink], dim))) return;
    Add(p,
        fmt::format("'{}' can have another range of '{}' than '{}' inside this loop", Name(sink),
                    problem_.dims[dim].name, Name(first)),
        "let the nodes have loops of their own");
  }

  // Rules 8 and 9.
  void CheckRows(NodeId n) {
    const FusedNode& node = problem_.nodes[n];
    const size_t leaf = outline_.LeafOf(n);
    const bool online = outline_[leaf].tree->leaf()->online;
    if (online && !node.softmax) {
      return Add(leaf, fmt::format("'{}' is no softmax", node.name),
                 "only a node with 'softmax: DIM' can be computed 'online'");
    }
    const auto rows = node.softmax ? node.softmax : node.rows;
    if (!rows) return;
    std::vector<size_t> loops;
    for (const size_t loop : outline_[leaf].loops) {
      if (outline_.ShiftsOf(loop).of[n][*rows] != 0) loops.push_back(loop);
    }
    if (online) return CheckOnline(n, loops);
    if (loops.empty()) return;
    Add(loops.front(),
        fmt::format("the loop over '{}' cuts the rows of '{}' along '{}'", DimOf(loops.front()),
                    node.name, problem_.dims[*rows].name),
        node.softmax
            ? fmt::format("write '{} online' for its leaf, or move it out of the loop", node.name)
            : "the node needs whole rows: move it out of the loop");
  }

  void CheckOnline(NodeId n, const std::vector<size_t>& loops) {
    const FusedNode& node = problem_.nodes[n];
    const FusedOperand& output = OutputOf(node);
    const size_t leaf = outline_.LeafOf(n);
    const auto hold = outline_.HoldOf(n, output.tensor);
    if (outline_.HoldAt(*hold).kind != FusedHoldKind::kFused || outline_.HoldAt(*hold).drains) {
      return Add(leaf,
                 fmt::format("'{}' is online, but its output '{}' does not stay in the pad",
                             node.name, Name(output.tensor)),
                 "hold the output above the leaf and all its readers");
    }
    size_t rank = 0;
    while (output.ranks[rank].terms.empty() ||
           output.ranks[rank].terms.front().dim != *node.softmax) {
      ++rank;
    }
    for (const NodeId reader : ReadersOf(problem_, output.tensor)) {
      const std::vector<Term>& terms =
          OperandOf(problem_.nodes[reader], output.tensor)->ranks[rank].terms;
      if (terms.size() != 1 || terms.front().coefficient != 1 ||
          !IsReduced(problem_.nodes[reader], terms.front().dim)) {
        Add(leaf,
            fmt::format("'{}' is online, but '{}' does not sum over its rows", node.name,
                        Name(reader)),
            "an online softmax is followed by a product that sums over the rows");
      }
      for (const size_t loop : loops) {
        if (outline_.IsIn(loop, reader)) continue;
        Add(loop,
            fmt::format("the loop over '{}' cuts the rows of '{}', but does not have its reader "
                        "'{}' inside",
                        DimOf(loop), node.name, Name(reader)),
            "put the reader into the loop");
      }
    }
  }

  const FusedProblem& problem_;
  const FusedOutline outline_;
  const size_t first_place_;
  Faults faults_;
};

size_t PlacesOf(const FusedTree& tree) {
  size_t places = 1;
  for (const FusedTree& child : tree.children) places += PlacesOf(child);
  return places;
}

}  // namespace

Faults Validate(const FusedProblem& problem, const FusedTree& tree) {
  Faults faults;
  FusedFormCheck(problem, &faults).Run(tree);
  if (!faults.empty()) return faults;
  // Runs have nothing to do with each other.
  size_t place = tree.IsSplit() ? 1 : 0;
  for (const FusedRunTree& run : RunTreesOf(problem, tree)) {
    const FusedProblem range = RangeProblem(problem, run.first, run.end);
    const FusedTree moved = WithNodesMoved(*run.tree, -static_cast<int64_t>(run.first.value()));
    const Faults found = FusedRulesCheck(range, moved, place).Run();
    faults.insert(faults.end(), found.begin(), found.end());
    place += PlacesOf(*run.tree);
  }
  return faults;
}

}  // namespace inlay
