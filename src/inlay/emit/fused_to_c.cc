#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "inlay/core/fused_outline.h"
#include "inlay/emit/c_nest.h"
#include "inlay/emit/c_program.h"
#include "inlay/emit/emit_c.h"

namespace inlay {
namespace emit {
namespace {

constexpr LevelId kOffchip(0);
constexpr LevelId kPad(1);

std::string Literal(const std::string& box) { return box[0] == '{' ? "(range)" + box : box; }

std::string Or(const std::string& a, const std::string& b) {
  return a.empty() ? b : b.empty() ? a : a + " || " + b;
}

// Writes a tree as loops. Names of sections are those of docs/reference/fused-semantics.md.
class FusedProgram {
 public:
  FusedProgram(const FusedProblem& problem, const Architecture& architecture, const FusedTree& tree)
      : problem_(problem),
        architecture_(architecture),
        leaf_architecture_(LeafArchitecture(architecture)),
        outline_(problem, tree),
        domains_(FirstDomains(problem, outline_)),
        whole_(problem.tensors.size()),
        plain_(problem.tensors.size()),
        hold_(outline_.places().size()),
        transfers_(outline_.places().size()),
        leaves_(problem.nodes.size()) {}

  std::string Text();

 private:
  // One turn of a loop.
  struct Turn {
    size_t loop = 0;
    std::string at;    // the variable
    std::string last;  // whether it is the last
  };
  // What a place in the tree knows, as variables and expressions.
  struct Context {
    IndexedVector<NodeId, IndexedVector<DimId, std::string>> ranges;  // what nodes compute
    IndexedVector<NodeId, std::string> idle;             // whether that is nothing; "": never
    std::map<TensorId, std::vector<std::string>> needs;  // by rank: what readers touch
    std::vector<Turn> turns;
  };
  struct Leaf {
    std::string function, begun, executions, operations, scalings;
    Problem problem;
    EvenParts parts;
    std::deque<CTensor> tensors;
    CNestInput input;
    std::optional<CNest> nest;
  };

  const std::vector<Rank>& RanksOf(TensorId tensor) const;
  bool IsInput(TensorId tensor) const { return !WriterOf(problem_, tensor); }
  bool IsFinal(TensorId tensor) const {
    return !IsInput(tensor) &&
           (ReadersOf(problem_, tensor).empty() || IsListedOutput(problem_, tensor));
  }
  bool GoesOffChip(TensorId tensor) const;
  const FusedHold& HoldAt(size_t place) const { return *outline_[place].tree->hold(); }
  std::vector<int64_t> FirstTile(size_t hold) const;
  std::vector<size_t> ReducingLoops(size_t place, NodeId node) const;
  std::optional<NodeId> OnlineWriterOf(TensorId tensor) const;
  bool CutsRows(size_t loop, NodeId softmax) const;

  std::string AddCounts(LevelId level, TensorId tensor) {
    return program_.AddCounts(level, architecture_.levels[level].name, tensor,
                              problem_.tensors[tensor]);
  }

  void MakeTensors();
  void MakeHolds();
  void PlaceHolds();
  void MakeLeaves();
  void MakeLeaf(size_t place);
  void WritePlain();

  void Visit(size_t place, const Context& context);
  void VisitLoop(size_t place, Context context);
  void Narrow(size_t loop, NodeId node, const std::string& at,
              std::map<std::string, std::string>* cuts,
              const std::map<std::pair<TensorId, size_t>, std::string>& done, Context* context);
  std::vector<std::string> Need(size_t loop, TensorId tensor, const std::vector<NodeId>& readers,
                                Context* context);
  bool CanRunOut(size_t loop, TensorId tensor, NodeId reader) const;
  void Enter(size_t place, const Context& context);
  void VisitLeaf(size_t place, const Context& context);
  void WriteScalings(size_t place, const Context& context);
  void EndPart(std::optional<size_t> split, size_t part);
  std::string Touched(TensorId tensor, const std::vector<NodeId>& nodes, size_t rank,
                      const Context& context) const;
  std::vector<std::string> Tile(size_t hold, const Context& context) const;
  std::string Idle(const std::vector<NodeId>& nodes, const Context& context) const;
  std::string Name(const std::string& name) { return local_.Unique(name); }
  CText& text() { return *text_; }

  const FusedProblem& problem_;
  const Architecture& architecture_;
  const Architecture leaf_architecture_;
  const FusedOutline outline_;
  const FusedDomains domains_;  // in the first context
  CProgram program_;
  CNames local_;
  CText tree_text_;
  CText* text_ = &program_.functions;  // what is written
  IndexedVector<TensorId, CTensor> tensors_;
  IndexedVector<TensorId, CMemory> whole_, plain_;
  std::vector<CMemory> hold_;         // by place
  std::vector<CTransfer> transfers_;  // by place, of input and output holds
  int64_t pad_words_ = 0;
  IndexedVector<NodeId, Leaf> leaves_;
};

const std::vector<Rank>& FusedProgram::RanksOf(TensorId tensor) const {
  const auto writer = WriterOf(problem_, tensor);
  const NodeId node = writer ? *writer : ReadersOf(problem_, tensor).front();
  return OperandOf(problem_.nodes[node], tensor)->ranks;
}

bool FusedProgram::GoesOffChip(TensorId tensor) const {
  for (size_t p = 0; p < outline_.places().size(); ++p) {
    if (outline_[p].tree->hold() == nullptr || HoldAt(p).tensor != tensor) continue;
    const FusedHoldPlace& info = outline_.HoldAt(p);
    if (info.kind != FusedHoldKind::kFused || info.drains) return true;
  }
  return false;
}

std::vector<size_t> FusedProgram::ReducingLoops(size_t place, NodeId node) const {
  std::vector<size_t> loops;
  for (const size_t loop : outline_[place].loops) {
    if (outline_.Reduces(loop, node)) loops.push_back(loop);
  }
  return loops;
}

bool FusedProgram::CutsRows(size_t loop, NodeId softmax) const {
  return outline_.IsIn(loop, softmax) &&
         outline_.ShiftsOf(loop).of[softmax][*problem_.nodes[softmax].softmax] != 0;
}

// The softmax that makes a tensor step by step, in loops that cut its rows.
std::optional<NodeId> FusedProgram::OnlineWriterOf(TensorId tensor) const {
  const auto writer = WriterOf(problem_, tensor);
  if (!writer) return std::nullopt;
  const size_t leaf = outline_.LeafOf(*writer);
  if (!outline_[leaf].tree->leaf()->online) return std::nullopt;
  const std::vector<size_t>& loops = outline_[leaf].loops;
  const bool cut =
      std::any_of(loops.begin(), loops.end(), [&](size_t loop) { return CutsRows(loop, *writer); });
  return cut ? writer : std::nullopt;
}

void FusedProgram::MakeTensors() {
  CNames& names = program_.names();
  for (TensorId t : Ids(problem_.tensors)) {
    tensors_.push_back(CTensorOf(problem_.tensors[t], RanksOf(t), problem_.dims, &names));
  }
  IndexedVector<DimId, int64_t> bounds;
  for (const Dimension& dim : problem_.dims) bounds.push_back(dim.bound);
  const auto make = [&](TensorId t, const std::string& level, CMemory* memory) {
    memory->tensor = &tensors_[t];
    memory->level = level;
    memory->name = names.Unique(level + "_" + problem_.tensors[t]);
    memory->whole = true;
    memory->extents.clear();
    // Readers of an input touch different parts of it.
    for (size_t r = 0; r < tensors_[t].coords.size(); ++r) memory->extents.push_back(1);
    for (const FusedNode& node : problem_.nodes) {
      const FusedOperand* operand = OperandOf(node, t);
      if (operand == nullptr) continue;
      const std::vector<int64_t> own = ExtentsOf(operand->ranks, bounds);
      for (size_t r = 0; r < own.size(); ++r) {
        memory->extents[r] = std::max(memory->extents[r], own[r]);
      }
    }
  };
  for (TensorId t : Ids(problem_.tensors)) {
    if (GoesOffChip(t)) {
      make(t, architecture_.levels[kOffchip].name, &whole_[t]);
      whole_[t].counts = AddCounts(kOffchip, t);
      DefineMemory(whole_[t], &program_.definitions, &program_.setup);
      if (IsInput(t)) program_.Fill(whole_[t], t.value());
    }
    if (!IsInput(t)) {
      make(t, "plain", &plain_[t]);
      DefineMemory(plain_[t], &program_.definitions, &program_.setup);
      if (IsFinal(t)) program_.Compare(whole_[t], plain_[t]);
    }
    (void)AddCounts(kPad, t);
  }
}

// Extents of the tile in the first context, the largest.
std::vector<int64_t> FusedProgram::FirstTile(size_t hold) const {
  const TensorId tensor = HoldAt(hold).tensor;
  const FusedHoldPlace& info = outline_.HoldAt(hold);
  std::vector<NodeId> nodes = info.readers;
  size_t place = hold;
  if (info.kind == FusedHoldKind::kOutput) {
    nodes = {*info.writer};
  } else if (info.kind == FusedHoldKind::kFused) {
    nodes = {*info.writer};
    if (!outline_[hold].loops.empty()) {  // what all readers inside the loop touch
      place = outline_[outline_[hold].loops.back()].children.front();
      nodes = outline_.ReadersIn(place, tensor);
    }
  }
  FusedBox tile;
  for (const NodeId node : nodes) {
    const FusedBox box =
        inlay::Touched(*OperandOf(problem_.nodes[node], tensor), domains_[place][node]);
    tile = tile.empty() ? box : Hull(tile, box);
  }
  std::vector<int64_t> extents;
  for (const FusedRange& range : tile) extents.push_back(std::max<int64_t>(1, range.size()));
  if (extents.empty()) extents.push_back(1);
  return extents;
}

void FusedProgram::MakeHolds() {
  for (size_t p = 0; p < outline_.places().size(); ++p) {
    if (outline_[p].tree->hold() == nullptr) continue;
    const TensorId tensor = HoldAt(p).tensor;
    const FusedHoldPlace& info = outline_.HoldAt(p);
    CMemory& memory = hold_[p];
    memory.tensor = &tensors_[tensor];
    memory.level = architecture_.levels[kPad].name;
    memory.name = program_.names().Unique(memory.level + "_" + problem_.tensors[tensor]);
    memory.extents = FirstTile(p);
    memory.counts = AddCounts(kPad, tensor);
    memory.has_tile = info.kind != FusedHoldKind::kFused || HoldAt(p).retain;
  }
  PlaceHolds();
  CText& definitions = program_.definitions;
  definitions.Comment(fmt::format("The pad: {} words", pad_words_));
  definitions.Line("static word *pad;");
  definitions.Blank();
  program_.setup.Line(fmt::format("pad = words({});", pad_words_));
  for (size_t p = 0; p < outline_.places().size(); ++p) {
    if (outline_[p].tree->hold() == nullptr) continue;
    const TensorId tensor = HoldAt(p).tensor;
    const FusedHoldPlace& info = outline_.HoldAt(p);
    DefineMemory(hold_[p], &definitions, &program_.setup);
    CTransfer& transfer = transfers_[p];
    transfer.outer = &whole_[tensor];
    transfer.inner = &hold_[p];
    if (info.kind == FusedHoldKind::kInput) {
      DefineLoad(transfer, &definitions);
    } else if (info.kind == FusedHoldKind::kOutput) {
      transfer.comes_back = !ReducingLoops(p, *info.writer).empty();
      DefineStore(transfer, &definitions);
      DefineOpen(transfer, &definitions);
    } else if (info.drains) {
      DefineDrain(transfer, &definitions);
    }
  }
}

// Addresses: holds that are alive while the same node runs lie side by side (section 6).
void FusedProgram::PlaceHolds() {
  struct Placed {
    size_t first, end;  // nodes
    int64_t offset, words;
  };
  std::vector<Placed> placed;
  for (size_t p = 0; p < outline_.places().size(); ++p) {
    if (outline_[p].tree->hold() == nullptr) continue;
    const FusedHoldPlace& info = outline_.HoldAt(p);
    Placed own{outline_[p].first.value(), outline_[p].end.value(), 0, hold_[p].WordsOfLane()};
    if (info.lifetime_split) {
      for (const size_t child : outline_[*info.lifetime_split].children) {
        if (outline_.IsIn(child, *info.writer)) own.first = outline_[child].first.value();
        if (outline_.IsIn(child, info.readers.back())) own.end = outline_[child].end.value();
      }
    }
    bool moved = true;
    while (moved) {
      moved = false;
      for (const Placed& other : placed) {
        const bool alive = own.first < other.end && other.first < own.end;
        const bool meet =
            own.offset < other.offset + other.words && other.offset < own.offset + own.words;
        if (!alive || !meet) continue;
        own.offset = other.offset + other.words;
        moved = true;
      }
    }
    hold_[p].pad_offset = own.offset;
    pad_words_ = std::max(pad_words_, own.offset + own.words);
    placed.push_back(own);
  }
}

void FusedProgram::MakeLeaves() {
  for (NodeId n : Ids(problem_.nodes)) MakeLeaf(outline_.LeafOf(n));
}

void FusedProgram::MakeLeaf(size_t place) {
  const FusedLeaf& own = *outline_[place].tree->leaf();
  const FusedNode& node = problem_.nodes[own.node];
  const std::vector<DimId> dims = DimsOf(problem_, node);
  CNames& names = program_.names();
  Leaf& leaf = leaves_[own.node];
  leaf.function = names.Unique("run_" + node.name);
  leaf.executions = names.Unique(node.name + "_executions");
  leaf.operations = names.Unique(node.name + "_operations");
  leaf.scalings = names.Unique(node.name + "_scalings");
  for (const std::string& total : {leaf.executions, leaf.operations, leaf.scalings}) {
    program_.totals.push_back(total);
  }
  leaf.problem = FirstProblemOf(problem_, domains_[place][own.node], own.node);
  leaf.parts = EvenPartsOf(
      leaf_architecture_,
      own.mapping ? *own.mapping : DefaultLeafMapping(leaf.problem, leaf_architecture_));
  CNestInput& input = leaf.input;
  input.problem = &leaf.problem;
  input.architecture = &leaf.parts.architecture;
  input.mapping = &leaf.parts.mapping;
  input.infix = node.name + "_";
  input.clipped = true;
  input.operations = leaf.operations;
  input.steps = "";
  input.marked = node.softmax || node.rows;
  if (!ReducingLoops(place, own.node).empty()) {
    leaf.begun = names.Unique(node.name + "_begun");
    input.begun = leaf.begun;
    program_.definitions.Comment("Whether the sums of " + node.name + " that are in the pad go on");
    program_.definitions.Line(fmt::format("static int {};", leaf.begun));
    program_.definitions.Blank();
  }
  CNames local = names.Local();
  std::string parameters;
  for (const Dimension& dim : leaf.problem.dims) {
    input.ranges.push_back(local.Unique(dim.name + "0"));
    parameters += (parameters.empty() ? "range " : ", range ") + input.ranges.back();
  }
  size_t ranks = 1;
  for (TensorId t : Ids(leaf.problem.tensors)) {
    const Tensor& tensor = leaf.problem.tensors[t];
    leaf.tensors.push_back(CTensorOf(tensor.name, tensor.ranks, leaf.problem.dims, &names));
    input.tensors.push_back(&leaf.tensors.back());
    input.outermost.push_back(&hold_[*outline_.HoldOf(own.node, node.operands[t.value()].tensor)]);
    ranks = std::max(ranks, leaf.tensors.back().coords.size());
  }
  input.counts = [this, &node, &leaf](LevelId level, TensorId tensor) {
    return AddCounts(LevelId(leaf.parts.origin[level].value() + 1),
                     node.operands[tensor.value()].tensor);
  };
  leaf.nest.emplace(input, &names);
  leaf.nest->Define(&program_.definitions, &program_.setup);
  if (leaf.nest->served() > 0) program_.NeedServed(leaf.nest->served(), ranks);
  text().Comment(node.name + " on the tile that the loops of the tree leave of it");
  text().Line(
      fmt::format("static void {}({})", leaf.function, parameters.empty() ? "void" : parameters));
  text().Open("");
  leaf.nest->WriteBody(&text());
  text().Close();
  text().Blank();
}

void FusedProgram::WritePlain() {
  text().Comment("The nodes one after the other, without tiles");
  text().Line("static void plain(void)");
  text().Open("");
  CNames names = program_.names().Local();
  IndexedVector<DimId, std::string> coords;
  for (const Dimension& dim : problem_.dims) coords.push_back(names.Unique(dim.name));
  for (const FusedNode& node : problem_.nodes) {
    std::string product;
    for (const FusedOperand& operand : node.operands) {
      if (operand.is_output) continue;
      const CMemory& memory =
          IsInput(operand.tensor) ? whole_[operand.tensor] : plain_[operand.tensor];
      product += (product.empty() ? "*" : " * *") + memory.At("", PointOf(operand.ranks, coords));
    }
    if (product.empty()) product = "1";
    if (node.softmax || node.rows) product = fmt::format("stand_in({})", product);
    const FusedOperand& output = OutputOf(node);
    text().Comment(node.name);
    CProgram::WritePlainLoops(
        problem_.dims, DimsOf(problem_, node), coords,
        fmt::format("*{} += {};", plain_[output.tensor].At("", PointOf(output.ranks, coords)),
                    product),
        &text());
  }
  text().Close();
  text().Blank();
}

// What nodes touch of a tensor along a rank, in their ranges.
std::string FusedProgram::Touched(TensorId tensor, const std::vector<NodeId>& nodes, size_t rank,
                                  const Context& context) const {
  std::string all;
  std::set<std::string> seen;
  for (const NodeId node : nodes) {
    const std::vector<Rank>& ranks = OperandOf(problem_.nodes[node], tensor)->ranks;
    std::string own =
        ranks.empty() ? "(range){0, 1}" : Literal(BoxOf({ranks[rank]}, context.ranges[node]));
    if (!context.idle[node].empty()) {
      own = fmt::format("({} ? (range){{0, 0}} : {})", context.idle[node], own);
    }
    if (!seen.insert(own).second) continue;
    all = all.empty() ? own : fmt::format("hull({}, {})", all, own);
  }
  return all;
}

// "" if one of the nodes is never idle.
std::string FusedProgram::Idle(const std::vector<NodeId>& nodes, const Context& context) const {
  std::vector<std::string> all;
  for (const NodeId node : nodes) {
    if (context.idle[node].empty()) return "";
    all.push_back(context.idle[node]);
  }
  return AllOf(all);
}

void FusedProgram::Visit(size_t place, const Context& context) {
  const FusedTree& tree = *outline_[place].tree;
  if (tree.loop() != nullptr) return VisitLoop(place, context);
  if (tree.leaf() != nullptr) return VisitLeaf(place, context);
  if (tree.hold() != nullptr) {
    Enter(place, context);
    return Visit(outline_[place].children.front(), context);
  }
  for (const size_t child : outline_[place].children) {
    Visit(child, context);
    EndPart(place, child);
  }
}

// What the holds of a part hold is gone when it ends; outputs leave. `split` is the part's; none:
// the part is all.
void FusedProgram::EndPart(std::optional<size_t> split, size_t part) {
  for (size_t p = part; p < outline_.places().size(); ++p) {
    const FusedPlace& place = outline_[p];
    if (p != part && *place.parent < part) break;
    if (place.tree->hold() == nullptr) continue;
    auto above = place.parent;
    while (above && !outline_[*above].tree->IsSplit()) above = outline_[*above].parent;
    if (above != split) continue;
    if (outline_.HoldAt(p).kind == FusedHoldKind::kOutput) {
      text().Line(StoreName(transfers_[p]) + "();");
    } else if (hold_[p].has_tile && split && !outline_[*split].loops.empty()) {
      text().Line(fmt::format("forget({}, {});", hold_[p].TileOf(""), hold_[p].extents.size()));
    }
  }
}

void FusedProgram::VisitLoop(size_t place, Context context) {
  const FusedLoop& loop = *outline_[place].tree->loop();
  const FusedShifts& shifts = outline_.ShiftsOf(place);
  const Dimension& dim = problem_.dims[loop.dim];
  const std::string at = Name("at_" + dim.name);
  std::vector<std::string> goes_on, last;
  std::set<std::string> seen;
  for (const NodeId sink : shifts.sinks) {
    const std::string& range = context.ranges[sink][loop.dim];
    const std::string& idle = context.idle[sink];
    if (!seen.insert(range + idle).second) continue;
    const std::string runs = idle.empty() ? "" : fmt::format("!{} && ", idle);
    goes_on.push_back(fmt::format("{}{} < length({})", runs, at, range));
    last.push_back(fmt::format("{}{} + {} < length({})", runs, at, loop.step, range));
  }
  const auto any_of = [](const std::vector<std::string>& terms) {
    return terms.size() == 1 ? terms.front() : fmt::format("({})", fmt::join(terms, ") || ("));
  };
  // Of tensors that are retained outside this loop: up to where turns before have computed them.
  std::map<std::pair<TensorId, size_t>, std::string> done;
  for (size_t n = outline_[place].first.value(); n < outline_[place].end.value(); ++n) {
    const FusedOperand& output = OutputOf(problem_.nodes[NodeId(n)]);
    const auto readers = outline_.ReadersIn(place, output.tensor);
    const auto hold = outline_.HoldOf(NodeId(n), output.tensor);
    if (readers.empty() || !hold || !HoldAt(*hold).retain || *hold > place) continue;
    const FusedOperand& read = *OperandOf(problem_.nodes[readers.front()], output.tensor);
    for (size_t r = 0; r < output.ranks.size(); ++r) {
      if (output.ranks[r].terms.empty()) continue;
      if (outline_.ShiftAlong(place, readers.front(), read.ranks[r]) == 0) continue;
      const std::string variable = Name(fmt::format("done_{}_{}", problem_.tensors[output.tensor],
                                                    tensors_[output.tensor].coords[r]));
      const DimId own = output.ranks[r].terms.front().dim;
      text().Line(fmt::format("int64_t {} = {}.lo; /* computed up to here by turns before */",
                              variable, context.ranges[NodeId(n)][own]));
      done[{output.tensor, r}] = variable;
    }
  }
  text().Comment(fmt::format("for {} in {} step {}", dim.name,
                             domains_[place][shifts.sinks.front()][loop.dim].size(), loop.step));
  text().Open(
      fmt::format("for (int64_t {0} = 0; {1}; {0} += {2})", at, any_of(goes_on), loop.step));
  context.turns.push_back({place, at, fmt::format("!({})", any_of(last))});
  std::map<std::string, std::string> cuts;
  for (size_t n = outline_[place].end.value(); n-- > outline_[place].first.value();) {
    Narrow(place, NodeId(n), at, &cuts, done, &context);
  }
  const size_t child = outline_[place].children.front();
  Visit(child, context);
  for (const auto& [what, variable] : done) {
    text().Line(fmt::format("if ({0}.end > {1}) {1} = {0}.end;",
                            context.needs.at(what.first)[what.second], variable));
  }
  text().Close();
}

// Whether a node can have nothing to do in a turn: where loops over several dimensions move a rank
// of what it makes, and words are retained.
bool FusedProgram::CanRunOut(size_t loop, TensorId tensor, NodeId reader) const {
  std::vector<size_t> loops = outline_[loop].loops;
  loops.push_back(loop);
  for (const Rank& rank : OperandOf(problem_.nodes[reader], tensor)->ranks) {
    std::set<DimId> moving;
    for (const size_t other : loops) {
      if (outline_.ShiftAlong(other, reader, rank) != 0) {
        moving.insert(outline_[other].tree->loop()->dim);
      }
    }
    if (moving.size() > 1) return true;
  }
  return false;
}

// What readers touch of a tensor in a turn of the loop, by rank (section 4: the demand).
std::vector<std::string> FusedProgram::Need(size_t loop, TensorId tensor,
                                            const std::vector<NodeId>& readers, Context* context) {
  const size_t ranks = tensors_[tensor].coords.size();
  const bool steady = std::all_of(readers.begin(), readers.end(),
                                  [&](NodeId reader) { return context->idle[reader].empty(); });
  const auto before = context->needs.find(tensor);
  std::vector<std::string> need;
  for (size_t r = 0; r < ranks; ++r) {
    const auto& rank = OperandOf(problem_.nodes[readers.front()], tensor)->ranks;
    const bool moves = !rank.empty() && outline_.ShiftAlong(loop, readers.front(), rank[r]) != 0;
    if (steady && !moves && before != context->needs.end()) {
      need.push_back(before->second[r]);
      continue;
    }
    const std::string touched = Touched(tensor, readers, r, *context);
    const bool is_name = touched.find_first_of(" ({") == std::string::npos;
    if (is_name) {
      need.push_back(touched);
      continue;
    }
    need.push_back(
        Name(fmt::format("need_{}_{}", problem_.tensors[tensor], tensors_[tensor].coords[r])));
    text().Line(fmt::format("const range {} = {};", need.back(), touched));
  }
  context->needs[tensor] = need;
  return need;
}

// What a node computes in a turn of the loop (section 4).
void FusedProgram::Narrow(size_t loop, NodeId node, const std::string& at,
                          std::map<std::string, std::string>* cuts,
                          const std::map<std::pair<TensorId, size_t>, std::string>& done,
                          Context* context) {
  const FusedNode& own = problem_.nodes[node];
  const FusedOperand& output = OutputOf(own);
  const TensorId tensor = output.tensor;
  const auto readers = outline_.ReadersIn(loop, tensor);
  IndexedVector<DimId, std::string>& ranges = context->ranges[node];
  if (readers.empty()) {
    const FusedLoop& cut = *outline_[loop].tree->loop();
    const std::string before = ranges[cut.dim];
    auto known = cuts->find(before);
    if (known == cuts->end()) {
      const std::string name = Name(own.name + "_" + problem_.dims[cut.dim].name);
      text().Line(fmt::format("const range {} = cut({}, {}, {});", name, before, at, cut.step));
      known = cuts->emplace(before, name).first;
    }
    ranges[cut.dim] = known->second;
    if (outline_.ShiftsOf(loop).sinks.size() > 1 || !context->idle[node].empty()) {
      const std::string idle = Name(own.name + "_idle");
      text().Line(
          fmt::format("const int {} = {};", idle,
                      Or(context->idle[node], fmt::format("length({}) == 0", known->second))));
      context->idle[node] = idle;
    }
    return;
  }
  const std::vector<std::string> need = Need(loop, tensor, readers, context);
  const auto hold = outline_.HoldOf(node, tensor);
  const bool retains = hold && HoldAt(*hold).retain;
  const std::vector<size_t>& above_hold = outline_[hold ? *hold : 0].loops;
  const bool outside = retains && *hold < loop;  // and so above this loop
  const bool below = retains && !outside && above_hold.back() == loop;
  std::vector<std::string> makes = need;
  bool runs_out = std::all_of(readers.begin(), readers.end(),
                              [&](NodeId reader) { return !context->idle[reader].empty(); });
  if (outside) {
    for (size_t r = 0; r < output.ranks.size(); ++r) {
      if (output.ranks[r].terms.empty()) continue;
      const std::string& before = ranges[output.ranks[r].terms.front().dim];
      const auto from = done.find({tensor, r});
      makes[r] = Name(fmt::format("{}_{}", own.name, tensors_[tensor].coords[r]));
      text().Line(fmt::format("const range {} = within({}, {}, {}.end);", makes[r], need[r],
                              from != done.end() ? from->second : before + ".lo", before));
    }
  } else if (below && outline_[*hold].loops_above_split <= outline_[loop].loops.size()) {
    // Of the tile that the hold enters next, what it has not from the turn before.
    const std::string tile = Name("need_" + problem_.tensors[tensor]);
    const std::string rest = Name("new_" + problem_.tensors[tensor]);
    text().Line(
        fmt::format("const range {}[{}] = {{{}}};", tile, need.size(), fmt::join(need, ", ")));
    text().Line(fmt::format("range {}[{}];", rest, need.size()));
    text().Line(
        fmt::format("missing({}, {}, {}, {});", hold_[*hold].TileOf(""), tile, need.size(), rest));
    for (size_t r = 0; r < makes.size(); ++r) makes[r] = fmt::format("{}[{}]", rest, r);
  }
  runs_out = runs_out || ((outside || below) && CanRunOut(loop, tensor, readers.front()));
  std::string empty;
  for (size_t r = 0; r < output.ranks.size(); ++r) {
    if (output.ranks[r].terms.empty()) continue;
    ranges[output.ranks[r].terms.front().dim] = makes[r];
    empty = Or(empty, fmt::format("length({}) == 0", makes[r]));
  }
  if (!runs_out || empty.empty()) {
    // Without a dimension there is nothing that could be short.
    if (runs_out) context->idle[node] = Idle(readers, *context);
    return;
  }
  const std::string idle = Name(own.name + "_idle");
  text().Line(fmt::format("const int {} = {};", idle, empty));
  context->idle[node] = idle;
}

// The tile of a hold, by rank.
std::vector<std::string> FusedProgram::Tile(size_t hold, const Context& context) const {
  const TensorId tensor = HoldAt(hold).tensor;
  const FusedHoldPlace& info = outline_.HoldAt(hold);
  if (info.kind == FusedHoldKind::kFused) {
    const auto need = context.needs.find(tensor);
    if (need != context.needs.end()) return need->second;
  }
  std::vector<std::string> tile;
  for (size_t r = 0; r < tensors_[tensor].coords.size(); ++r) {
    tile.push_back(Touched(
        tensor,
        info.kind == FusedHoldKind::kInput ? info.readers : std::vector<NodeId>{*info.writer}, r,
        context));
  }
  return tile;
}

void FusedProgram::Enter(size_t place, const Context& context) {
  const FusedHold& hold = HoldAt(place);
  const FusedHoldPlace& info = outline_.HoldAt(place);
  const CMemory& memory = hold_[place];
  text().Comment((hold.retain ? "retain " : "hold ") + problem_.tensors[hold.tensor]);
  if (!memory.has_tile) return;
  std::vector<NodeId> users = info.readers;
  if (info.kind == FusedHoldKind::kOutput) users = {*info.writer};
  if (info.kind == FusedHoldKind::kFused && !outline_[place].loops.empty()) {
    users = outline_.ReadersIn(outline_[place].loops.back(), hold.tensor);
  }
  const std::string idle = Idle(users, context);
  text().Open(idle.empty() ? "" : fmt::format("if (!({}))", idle));
  text().Line(fmt::format("const range to[{}] = {{{}}};", memory.extents.size(),
                          fmt::join(Tile(place, context), ", ")));
  if (info.kind == FusedHoldKind::kInput) {
    text().Line(LoadName(transfers_[place]) + "(to);");
  } else if (info.kind == FusedHoldKind::kOutput) {
    std::vector<std::string> begins;
    for (const Turn& turn : context.turns) {
      if (outline_.Reduces(turn.loop, *info.writer)) begins.push_back(turn.at + " == 0");
    }
    text().Line(fmt::format("{}({}to);", OpenName(transfers_[place]),
                            transfers_[place].comes_back ? AllOf(begins) + ", " : ""));
  } else {
    for (size_t r = 0; r < memory.extents.size(); ++r) {
      text().Line(fmt::format("{0}[{1}] = to[{1}];", memory.TileOf(""), r));
    }
  }
  text().Close();
}

// Readers of an online softmax scale their sums when the softmax has made a step.
void FusedProgram::WriteScalings(size_t place, const Context& context) {
  const NodeId node = outline_[place].tree->leaf()->node;
  const FusedOperand& output = OutputOf(problem_.nodes[node]);
  const CMemory& memory = hold_[*outline_.HoldOf(node, output.tensor)];
  for (const FusedOperand& operand : problem_.nodes[node].operands) {
    const auto softmax = operand.is_output ? std::nullopt : OnlineWriterOf(operand.tensor);
    if (!softmax) continue;
    std::vector<std::string> first;
    for (const Turn& turn : context.turns) {
      if (outline_.Reduces(turn.loop, node) && !CutsRows(turn.loop, *softmax)) {
        first.push_back(turn.at + " == 0");
      }
    }
    text().Comment(
        "Here the sums are scaled by exp(maximum before - maximum now); in this program by 1");
    text().Open(first.empty() ? "" : fmt::format("if ({})", AllOf(first)));
    text().Line(fmt::format("const range held[{}] = {{{}}};", memory.extents.size(),
                            BoxOf(output.ranks, context.ranges[node])));
    const int loops = OpenLoops(*memory.tensor, "held", &text());
    text().Line(fmt::format("*{} *= 1;", memory.At("", memory.tensor->coords)));
    text().Line(fmt::format("++{}.reads;", memory.counts));
    text().Line(fmt::format("++{}.updates;", memory.counts));
    text().Line(fmt::format("++{};", leaves_[node].scalings));
    CloseLoops(loops, &text());
    text().Close();
  }
}

void FusedProgram::VisitLeaf(size_t place, const Context& context) {
  const FusedLeaf& own = *outline_[place].tree->leaf();
  const FusedNode& node = problem_.nodes[own.node];
  const Leaf& leaf = leaves_[own.node];
  const FusedOperand& output = OutputOf(node);
  const size_t hold = *outline_.HoldOf(own.node, output.tensor);
  text().Comment(node.name + (own.online ? " online" : ""));
  const std::string& idle = context.idle[own.node];
  if (!idle.empty()) text().Open(fmt::format("if (!{})", idle));
  WriteScalings(place, context);
  std::vector<std::string> begun, finished;
  for (const Turn& turn : context.turns) {
    if (!outline_.Reduces(turn.loop, own.node)) continue;
    begun.push_back(turn.at + " > 0");
    finished.push_back(turn.last);
  }
  if (!leaf.begun.empty()) {
    text().Line(fmt::format("{} = {};", leaf.begun, fmt::join(begun, " || ")));
  }
  std::vector<std::string> ranges;
  for (const DimId d : DimsOf(problem_, node)) ranges.push_back(context.ranges[own.node][d]);
  text().Line(fmt::format("{}({});", leaf.function, fmt::join(ranges, ", ")));
  text().Line(fmt::format("++{};", leaf.executions));
  if (outline_.HoldAt(hold).kind == FusedHoldKind::kFused && outline_.HoldAt(hold).drains) {
    text().Open(finished.empty() ? "" : fmt::format("if ({})", AllOf(finished)));
    text().Line(fmt::format("const range to[{}] = {{{}}};", hold_[hold].extents.size(),
                            BoxOf(output.ranks, context.ranges[own.node])));
    text().Line(DrainName(transfers_[hold]) + "(to);");
    text().Close();
  }
  if (own.online && OnlineWriterOf(output.tensor)) {
    std::string rows;
    for (const DimId d : DimsOf(problem_, node)) {
      if (d == *node.softmax || IsReduced(node, d)) continue;
      rows += fmt::format(" * (uint64_t)length({})", context.ranges[own.node][d]);
    }
    text().Comment("The maximum and the sum of each row are read and updated.");
    text().Line(fmt::format("{}.reads += 2{};", hold_[hold].counts, rows));
    text().Line(fmt::format("{}.updates += 2{};", hold_[hold].counts, rows));
  }
  if (!idle.empty()) text().Close();
}

std::string FusedProgram::Text() {
  for (const char* function : {"plain", "fused"}) (void)program_.names().Unique(function);
  MakeTensors();
  MakeHolds();
  MakeLeaves();
  WritePlain();
  local_ = program_.names().Local();
  Context whole;
  whole.idle.resize(problem_.nodes.size());
  text_ = &tree_text_;
  text().Comment("The tree");
  text().Line("static void fused(void)");
  text().Open("");
  IndexedVector<DimId, std::string> ranges;
  for (const Dimension& dim : problem_.dims) {
    ranges.push_back(Name("all_" + dim.name));
    text().Line(fmt::format("const range {} = {{0, {}}};", ranges.back(), dim.bound));
  }
  whole.ranges.assign(problem_.nodes.size(), ranges);
  Visit(0, whole);
  EndPart(std::nullopt, 0);
  text().Close();
  text().Blank();
  program_.functions.Append(WithoutUnused(tree_text_.text()));
  program_.calls = {"plain();", "fused();"};

  std::vector<std::string> head = {problem_.name + " on " + architecture_.name +
                                       ": the loops of a fused mapping, with every copy of a tile",
                                   "Compiles with: cc -std=c99 -O2 FILE. Prints ok, and the words "
                                   "that each level moves for each tensor."};
  CText reports;
  for (const Leaf& leaf : leaves_) {
    reports.Line(
        fmt::format("printf(\"%s: executions %\" PRIu64 \" operations %\" PRIu64 \" scalings %\" "
                    "PRIu64 \"\\n\", {},",
                    CString(leaf.problem.name)));
    reports.Line(
        fmt::format("       {}, {}, {});", leaf.executions, leaf.operations, leaf.scalings));
  }
  return program_.Text(head, reports);
}

}  // namespace
}  // namespace emit

std::optional<Fault> CannotEmit(const FusedProblem& problem) {
  if (!HasBorders(problem)) return std::nullopt;
  return Fault{"nodes", "windows that read borders of zeros ('pads') are not written as C",
               "write the borders as words of the tensor: make it larger by them"};
}

std::string EmitC(const FusedProblem& problem, const Architecture& architecture,
                  const FusedTree& tree) {
  return emit::FusedProgram(problem, architecture, tree).Text();
}

}  // namespace inlay
