#include "tests/support/fused_listing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/core/fused_box.h"
#include "inlay/core/fused_outline.h"

namespace inlay::testing {
namespace {

// One step on the way from the root to a place. Of a split: into which of its children.
struct Item {
  enum class Kind : uint8_t { kLoop, kHold, kSplit } kind = Kind::kLoop;
  size_t id = 0;     // of the dimension or the tensor
  int64_t step = 0;  // of a loop
  bool retain = false;
  size_t first = 0, end = 0;  // nodes inside
  auto operator<=>(const Item&) const = default;
};
using Path = std::vector<Item>;

// A part of a tree, shared by the trees that have it.
struct Piece {
  FusedTree tree;  // without children
  std::vector<std::shared_ptr<const Piece>> children;
};
using PiecePtr = std::shared_ptr<const Piece>;

FusedTree TreeOf(const Piece& piece) {
  FusedTree tree = piece.tree;
  for (const PiecePtr& child : piece.children) tree.children.push_back(TreeOf(*child));
  return tree;
}

FusedTree PartOf(const Item& item) {
  FusedTree tree;
  if (item.kind == Item::Kind::kLoop) tree.part = FusedLoop{DimId(item.id), item.step};
  if (item.kind == Item::Kind::kHold) tree.part = FusedHold{TensorId(item.id), item.retain};
  return tree;
}

struct Step {
  int64_t room = 0, words = 0;
  PiecePtr piece;
};
using Front = std::vector<Step>;  // by room, fewer words each

Front FrontOf(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::pair(a.room, a.words) < std::pair(b.room, b.words);
  });
  Front front;
  for (Step& step : steps) {
    if (front.empty() || step.words < front.back().words) front.push_back(std::move(step));
  }
  return front;
}

// What the nodes compute at one moment.
struct Context {
  std::vector<int64_t> turns;  // of the loops above
  std::vector<bool> last;      // whether they are the last ones
  std::vector<FusedDomain> domains;
};

// What a node finds when its own part of a tree begins: how often a domain of these sizes, and
// whether sums that loops above go through have begun before.
struct LeafClass {
  std::vector<int64_t> sizes;
  bool continued = false;
  auto operator<=>(const LeafClass&) const = default;
};
using LeafClasses = std::map<LeafClass, int64_t>;

class Facts {
 public:
  explicit Facts(const FusedProblem& of) : problem(of) {}

  const FusedNode& Node(size_t n) const { return problem.nodes[NodeId(n)]; }

  std::vector<size_t> Readers(size_t tensor, size_t first, size_t end) const {
    std::vector<size_t> readers;
    for (size_t n = first; n < end; ++n) {
      const FusedOperand* operand = OperandOf(Node(n), TensorId(tensor));
      if (operand != nullptr && !operand->is_output) readers.push_back(n);
    }
    return readers;
  }
  bool Writes(size_t node, size_t tensor) const {
    return OutputOf(Node(node)).tensor == TensorId(tensor);
  }
  std::optional<size_t> Writer(size_t tensor, size_t first, size_t end) const {
    for (size_t n = first; n < end; ++n) {
      if (Writes(n, tensor)) return n;
    }
    return std::nullopt;
  }
  bool IsSink(size_t node, size_t first, size_t end) const {
    return Readers(OutputOf(Node(node)).tensor.value(), first, end).empty();
  }
  bool HasDim(size_t node, size_t dim) const {
    const auto dims = DimsOf(problem, Node(node));
    return std::find(dims.begin(), dims.end(), DimId(dim)) != dims.end();
  }
  std::vector<size_t> Used(size_t first, size_t end) const {
    std::vector<size_t> used;
    for (size_t t = 0; t < problem.tensors.size(); ++t) {
      if (Writer(t, first, end) || !Readers(t, first, end).empty()) used.push_back(t);
    }
    return used;
  }
  bool HasWindows() const {
    for (const FusedNode& node : problem.nodes) {
      for (const FusedOperand& operand : node.operands) {
        for (const Rank& rank : operand.ranks) {
          if (rank.terms.size() > 1 ||
              (rank.terms.size() == 1 && rank.terms.front().coefficient != 1)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  // Section 3: how far one turn of the loop moves each dimension of each node of its range.
  std::vector<std::vector<int64_t>> Shifts(const Item& loop) const {
    std::vector<std::vector<int64_t>> shifts(problem.nodes.size(),
                                             std::vector<int64_t>(problem.dims.size(), 0));
    for (size_t n = loop.end; n-- > loop.first;) {
      const FusedOperand& output = OutputOf(Node(n));
      const auto readers = Readers(output.tensor.value(), loop.first, loop.end);
      if (readers.empty()) {
        shifts[n][loop.id] = 1;
        continue;
      }
      const FusedOperand& read = *OperandOf(Node(readers.front()), output.tensor);
      for (size_t r = 0; r < output.ranks.size(); ++r) {
        if (output.ranks[r].terms.empty()) continue;
        int64_t shift = 0;
        for (const Term& term : read.ranks[r].terms) {
          shift += term.coefficient * shifts[readers.front()][term.dim.value()];
        }
        shifts[n][output.ranks[r].terms.front().dim.value()] = shift;
      }
    }
    return shifts;
  }
  bool Shifts(const Item& loop, size_t node, DimId dim) const {
    return Shifts(loop)[node][dim.value()] != 0;
  }
  // The loop goes through a reduction of the node.
  bool Reduces(const Item& loop, size_t node) const {
    return IsSink(node, loop.first, loop.end) && HasDim(node, loop.id) &&
           IsReduced(Node(node), DimId(loop.id));
  }
  // Of a softmax: a loop of the path cuts its rows, which only step by step can bear.
  bool RowsAreCut(const Path& path, size_t node) const {
    const auto row = Node(node).softmax;
    return row && std::any_of(path.begin(), path.end(), [&](const Item& item) {
             return item.kind == Item::Kind::kLoop && item.first <= node && node < item.end &&
                    Shifts(item, node, *row);
           });
  }

  const FusedProblem& problem;
};

// Section 4: goes through the loops of a path in the order of time.
class Simulation {
 public:
  Simulation(const Facts& facts, const Path& path) : facts_(facts) {
    size_t stay = 0;
    for (const Item& item : path) {
      if (item.kind == Item::Kind::kSplit) stay = loops_.size();
      if (item.kind == Item::Kind::kLoop) loops_.push_back(item);
      if (item.kind == Item::Kind::kHold && item.retain) {
        retained_.push_back({item.id, loops_.size(), stay, {}, {}, {}, {}});
      }
    }
    for (Retained& r : retained_) r.computed.resize(loops_.size() + 1);
    Context root;
    root.domains.assign(facts.problem.nodes.size(), WholeDomain(facts.problem));
    for (Retained& r : retained_) {
      if (r.depth > 0) continue;
      const auto writer = facts.Writer(r.tensor, 0, facts.problem.nodes.size());
      r.lacking = Touched(OutputOf(facts.Node(*writer)), root.domains[*writer]);
    }
    Visit(root);
  }

  std::vector<Context> Take() && { return std::move(contexts_); }

 private:
  using Words = std::set<std::vector<int64_t>>;
  struct Retained {
    size_t tensor, depth, stay;  // loops above the hold, and above the innermost split above it
    std::optional<FusedBox> before;
    std::vector<int64_t> before_turns;
    FusedBox lacking;
    std::vector<Words> computed;  // by depth
  };

  void Visit(const Context& context) {
    const size_t depth = context.turns.size();
    if (depth == loops_.size()) {
      contexts_.push_back(context);
      return;
    }
    const Item& loop = loops_[depth];
    int64_t count = 0;
    for (size_t n = loop.first; n < loop.end; ++n) {
      if (!facts_.IsSink(n, loop.first, loop.end)) continue;
      const FusedRange& range = context.domains[n][DimId(loop.id)];
      count = std::max(count, (range.size() + loop.step - 1) / loop.step);
    }
    for (int64_t turn = 0; turn < count; ++turn) {
      Context inside = Turn(context, loop, turn);
      inside.last.push_back(turn + 1 == count);
      Visit(inside);
    }
  }

  Context Turn(const Context& above, const Item& loop, int64_t turn) {
    Context context = above;
    context.turns.push_back(turn);
    for (size_t n = loop.end; n-- > loop.first;) {
      const FusedOperand& output = OutputOf(facts_.Node(n));
      const auto readers = facts_.Readers(output.tensor.value(), loop.first, loop.end);
      if (readers.empty()) {
        FusedRange& range = context.domains[n][DimId(loop.id)];
        const int64_t lo = range.lo + turn * loop.step;
        range = {lo, std::min(lo + loop.step, range.hi)};
        continue;
      }
      FusedBox demand;
      for (const size_t reader : readers) {
        if (IsEmpty(facts_.problem, facts_.Node(reader), context.domains[reader])) continue;
        const FusedBox box =
            Touched(*OperandOf(facts_.Node(reader), output.tensor), context.domains[reader]);
        demand = demand.empty() ? box : Hull(demand, box);
      }
      if (demand.empty()) demand.assign(output.ranks.size(), FusedRange{0, 0});
      for (const DimId d : DimsOf(facts_.problem, facts_.Node(n))) {
        if (IsReduced(facts_.Node(n), d)) {
          context.domains[n][d] = {0, facts_.problem.dims[d].bound};
        }
      }
      SetOutputRanges(output, ToCompute(output.tensor.value(), demand, context.turns),
                      &context.domains[n]);
    }
    return context;
  }

  // N_T of the context.
  FusedBox ToCompute(size_t tensor, const FusedBox& demand, const std::vector<int64_t>& turns) {
    for (Retained& r : retained_) {
      if (r.tensor != tensor || r.depth > turns.size() || IsEmpty(demand)) continue;
      if (r.depth == turns.size()) Enter(demand, turns, &r);
      const FusedBox lacking = Intersection(demand, r.lacking);
      if (IsEmpty(lacking)) return lacking;
      return NotYet(lacking, &r.computed[turns.size()]);
    }
    return demand;
  }

  static void Enter(const FusedBox& tile, const std::vector<int64_t>& turns, Retained* r) {
    const bool same_stay =
        r->before && std::equal(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(r->stay),
                                r->before_turns.begin());
    r->lacking = tile;
    if (same_stay) {
      const FusedBox old = Intersection(tile, *r->before);
      FusedBox rest;
      if (!IsEmpty(old) && Subtract(tile, old, &rest)) r->lacking = rest;
    }
    r->before = tile;
    r->before_turns = turns;
    for (Words& words : r->computed) words.clear();
  }

  // The words of the box that are not among `computed`, as a box, which rule 7 makes it; they are
  // computed now.
  static FusedBox NotYet(const FusedBox& box, Words* computed) {
    FusedBox rest;
    int64_t count = 0;
    std::vector<int64_t> word;
    for (const FusedRange& range : box) word.push_back(range.lo);
    for (;;) {
      if (computed->insert(word).second) {
        ++count;
        FusedBox one;
        for (const int64_t w : word) one.push_back({w, w + 1});
        rest = rest.empty() ? one : Hull(rest, one);
      }
      size_t r = 0;
      while (r < box.size() && ++word[r] == box[r].hi) word[r] = box[r].lo, ++r;
      if (r == box.size()) break;
    }
    if (rest.empty()) return FusedBox(box.size(), FusedRange{0, 0});
    INLAY_CHECK(WordsOf(rest) == count);
    return rest;
  }

  const Facts& facts_;
  std::vector<Item> loops_;
  std::vector<Retained> retained_;
  std::vector<Context> contexts_;
};

// The parts of trees that have one node, which begin anew in every context.
class LeafLister {
 public:
  LeafLister(const Facts& facts, const FusedListingOptions& options, size_t node,
             std::vector<int64_t> first, LeafClasses classes)
      : facts_(facts),
        options_(options),
        node_(facts.Node(node)),
        dims_(DimsOf(facts.problem, node_)),
        first_(std::move(first)),
        classes_(std::move(classes)) {
    leaf_ = std::make_shared<Piece>();
    leaf_->tree.part = FusedLeaf{NodeId(node), false, std::nullopt};
  }

  void SetOnline() { leaf_->tree.part = FusedLeaf{Leaf().node, true, std::nullopt}; }

  // With these operands held above.
  Front List(unsigned held) { return Zone({}, held); }

 private:
  using Loops = std::vector<std::pair<size_t, int64_t>>;  // dims_[i], step

  const FusedLeaf& Leaf() const { return *leaf_->tree.leaf(); }

  const Front& Zone(const Loops& loops, unsigned held) {
    const auto known = zones_.find({loops, held});
    if (known != zones_.end()) return known->second;
    const unsigned all = (1U << node_.operands.size()) - 1;
    std::vector<Step> steps;
    for (unsigned now = 0; now <= all; ++now) {
      if ((now & held) != 0) continue;
      Step chain;
      for (size_t o = 0; o < node_.operands.size(); ++o) {
        if ((now >> o & 1) == 0) continue;
        const auto [room, words] = Hold(loops, o);
        chain.room += room;
        chain.words += words;
      }
      if (chain.room > options_.most_room) continue;
      if ((now | held) == all) {
        chain.piece = Wrap(now, leaf_);
        steps.push_back(chain);
      } else {
        AddLoops(loops, now | held, now, chain, &steps);
      }
    }
    return zones_.emplace(std::pair(loops, held), FrontOf(std::move(steps))).first->second;
  }

  void AddLoops(const Loops& loops, unsigned held, unsigned now, const Step& chain,
                std::vector<Step>* steps) {
    const auto rows = node_.softmax ? node_.softmax : node_.rows;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (dims_[d] == rows) continue;
      int64_t range = first_[d];
      for (const auto& [dim, step] : loops) range = dim == d ? step : range;
      for (int64_t step = 1; step < range; ++step) {
        if (options_.tiles == FusedTiles::kPerfect && range % step != 0) continue;
        Loops inside = loops;
        inside.emplace_back(d, step);
        for (const Step& below : Zone(inside, held)) {
          if (chain.room + below.room > options_.most_room) break;
          auto loop = std::make_shared<Piece>();
          loop->tree.part = FusedLoop{dims_[d], step};
          loop->children.push_back(below.piece);
          steps->push_back({chain.room + below.room, chain.words + below.words, Wrap(now, loop)});
        }
      }
    }
  }

  PiecePtr Wrap(unsigned now, PiecePtr piece) const {
    for (size_t o = 0; o < node_.operands.size(); ++o) {
      if ((now >> o & 1) == 0) continue;
      auto hold = std::make_shared<Piece>();
      hold->tree.part = FusedHold{node_.operands[o].tensor, false};
      hold->children.push_back(std::move(piece));
      piece = std::move(hold);
    }
    return piece;
  }

  // Room and words.
  std::pair<int64_t, int64_t> Hold(const Loops& loops, size_t operand) {
    const auto known = holds_.find({loops, operand});
    if (known != holds_.end()) return known->second;
    const FusedOperand& use = node_.operands[operand];
    FusedDomain domain = WholeDomain(facts_.problem);
    for (size_t d = 0; d < dims_.size(); ++d) domain[dims_[d]] = {0, first_[d]};
    for (const auto& [dim, step] : loops) domain[dims_[dim]] = {0, step};
    const int64_t room = WordsOf(Touched(use, domain));
    int64_t words = 0;
    for (const auto& [what, times] : classes_) {
      for (size_t d = 0; d < dims_.size(); ++d) domain[dims_[d]] = {0, what.sizes[d]};
      std::optional<FusedBox> before;
      words += times * Enter(loops, 0, use, what.continued, domain, &before);
    }
    return holds_.emplace(std::pair(loops, operand), std::pair(room, words)).first->second;
  }

  int64_t Enter(const Loops& loops, size_t depth, const FusedOperand& use, bool continued,
                const FusedDomain& domain, std::optional<FusedBox>* before) const {
    if (depth == loops.size()) {
      const FusedBox tile = Touched(use, domain);
      int64_t words = WordsOf(tile);
      if (*before) {
        const FusedBox there = Intersection(tile, **before);
        if (!IsEmpty(there)) words -= WordsOf(there);
      }
      *before = tile;
      return use.is_output && continued ? 2 * words : words;
    }
    const DimId dim = dims_[loops[depth].first];
    const int64_t step = loops[depth].second;
    int64_t words = 0;
    FusedDomain inside = domain;
    for (int64_t lo = domain[dim].lo; lo < domain[dim].hi; lo += step) {
      inside[dim] = {lo, std::min(lo + step, domain[dim].hi)};
      const bool later = lo > domain[dim].lo && IsReduced(node_, dim);
      words += Enter(loops, depth + 1, use, continued || later, inside, before);
    }
    return words;
  }

  const Facts& facts_;
  const FusedListingOptions& options_;
  const FusedNode& node_;
  const std::vector<DimId> dims_;
  const std::vector<int64_t> first_;  // sizes in the first context, by dims_
  const LeafClasses classes_;
  std::shared_ptr<Piece> leaf_;
  std::map<std::pair<Loops, unsigned>, Front> zones_;
  std::map<std::pair<Loops, size_t>, std::pair<int64_t, int64_t>> holds_;
};

class Lister {
 public:
  Lister(const FusedProblem& problem, const FusedListingOptions& options)
      : facts_(problem),
        options_(options),
        windows_(facts_.HasWindows()),
        softmax_(std::any_of(problem.nodes.begin(), problem.nodes.end(),
                             [](const FusedNode& node) { return node.softmax.has_value(); })) {}

  std::vector<FusedListingStep> Run() {
    std::vector<FusedListingStep> listed;
    const size_t nodes = facts_.problem.nodes.size();
    const Path root;
    const Front front = options_.unfused && nodes > 1 ? Unfused() : Part(root, 0, nodes, 0);
    for (const Step& step : front) {
      listed.push_back({step.room, step.words, TreeOf(*step.piece)});
    }
    return listed;
  }

 private:
  using Mask = uint64_t;  // of tensors

  Front Unfused() {
    Front front;
    for (size_t n = 0; n < facts_.problem.nodes.size(); ++n) {
      const Path path = {{.kind = Item::Kind::kSplit, .first = n, .end = n + 1}};
      front = n == 0 ? Part(path, n, n + 1, 0) : Beside(front, Part(path, n, n + 1, 0));
      if (n == 0) front = Alone(front, 0);
    }
    return front;
  }

  // Fronts of the first children of a split have splits as pieces, not all of whose children may be
  // there yet.
  Front Alone(const Front& part, int64_t extra_room) const {
    std::vector<Step> steps;
    for (const Step& step : part) {
      if (step.room + extra_room > options_.most_room) break;
      auto list = std::make_shared<Piece>();
      list->children.push_back(step.piece);
      steps.push_back({step.room + extra_room, step.words, list});
    }
    return FrontOf(std::move(steps));
  }
  static Front Beside(const Front& first, const Front& next) {
    std::vector<Step> steps;
    for (const Step& a : first) {
      for (const Step& b : next) {
        auto list = std::make_shared<Piece>(*a.piece);
        list->children.push_back(b.piece);
        steps.push_back({std::max(a.room, b.room), a.words + b.words, list});
      }
    }
    return FrontOf(std::move(steps));
  }

  // All parts at this place, with the tensors of `held` held above.
  const Front& Part(const Path& path, size_t first, size_t end, Mask held) {
    for (size_t t = 0; t < facts_.problem.tensors.size(); ++t) {
      if (!facts_.Writer(t, first, end) && facts_.Readers(t, first, end).empty()) {
        held &= ~(Mask{1} << t);
      }
    }
    const Path places = WithoutHolds(path);
    // A fused hold may drain what its writer here finishes.
    Mask drains = 0;
    for (const Item& item : path) {
      if (item.kind == Item::Kind::kHold && facts_.Writer(item.id, first, end) && Drains(item)) {
        drains |= Mask{1} << item.id;
      }
    }
    auto key = std::tuple(places, first, end, held, drains);
    const auto known = parts_.find(key);
    if (known != parts_.end()) return known->second;
    Front front;
    const bool known_legal = !path.empty() && path.back().kind == Item::Kind::kSplit && !softmax_;
    if (known_legal || IsLegal(path, first, end)) {
      front = end == first + 1 ? Leaf(path, first, held, drains) : Zone(path, first, end, held);
    }
    return parts_.emplace(std::move(key), std::move(front)).first->second;
  }

  // Nothing but loops, splits and retaining holds changes what nodes compute.
  static Path WithoutHolds(const Path& path) {
    Path places;
    for (const Item& item : path) {
      if (item.kind != Item::Kind::kHold || item.retain) places.push_back(item);
    }
    return places;
  }

  bool Drains(const Item& hold) const {
    if (!facts_.Writer(hold.id, hold.first, hold.end)) return false;
    const auto inside = facts_.Readers(hold.id, hold.first, hold.end);
    const auto all = facts_.Readers(hold.id, 0, facts_.problem.nodes.size());
    return !inside.empty() &&
           (inside.size() < all.size() || IsListedOutput(facts_.problem, TensorId(hold.id)));
  }

  const std::vector<Context>& ContextsOf(const Path& path) {
    const Path places = WithoutHolds(path);
    const auto known = contexts_.find(places);
    if (known != contexts_.end()) return known->second;
    return contexts_.emplace(places, Simulation(facts_, places).Take()).first->second;
  }

  Front Leaf(const Path& path, size_t node, Mask held, Mask drains) {
    const std::vector<DimId> dims = DimsOf(facts_.problem, facts_.Node(node));
    LeafClasses classes;
    std::vector<int64_t> first;
    int64_t drained = 0;
    for (const Context& context : ContextsOf(path)) {
      if (IsEmpty(facts_.problem, facts_.Node(node), context.domains[node])) continue;
      LeafClass what;
      for (const DimId d : dims) what.sizes.push_back(context.domains[node][d].size());
      what.continued = Continues(path, context, node);
      if (first.empty()) first = what.sizes;
      ++classes[what];
      if (drains != 0 && Finishes(path, context, node)) {
        drained += WordsOf(Touched(OutputOf(facts_.Node(node)), context.domains[node]));
      }
    }
    unsigned operands = 0;
    for (size_t o = 0; o < facts_.Node(node).operands.size(); ++o) {
      if ((held >> facts_.Node(node).operands[o].tensor.value() & 1) != 0) operands |= 1U << o;
    }
    const bool online = facts_.RowsAreCut(path, node);
    auto key = std::tuple(node, online, operands, first, classes);
    auto known = leaves_.find(key);
    if (known == leaves_.end()) {
      LeafLister lister(facts_, options_, node, first, classes);
      if (online) lister.SetOnline();
      known = leaves_.emplace(std::move(key), lister.List(operands)).first;
    }
    Front front = known->second;
    for (Step& step : front) step.words += drained;
    return front;
  }

  // Whether sums of the node that loops of the path go through have begun before.
  bool Continues(const Path& path, const Context& context, size_t node) const {
    size_t loop = 0;
    for (const Item& item : path) {
      if (item.kind != Item::Kind::kLoop) continue;
      if (context.turns[loop++] > 0 && facts_.Reduces(item, node)) return true;
    }
    return false;
  }

  // Whether nothing more is added to what the node makes here.
  bool Finishes(const Path& path, const Context& context, size_t node) const {
    size_t loop = 0;
    for (const Item& item : path) {
      if (item.kind != Item::Kind::kLoop) continue;
      if (!context.last[loop++] && facts_.Reduces(item, node)) return false;
    }
    return true;
  }

  // Goes through the chains of holds that can be here.
  Front Zone(const Path& path, size_t first, size_t end, Mask held) {
    std::vector<size_t> open;
    for (const size_t t : facts_.Used(first, end)) {
      if ((held >> t & 1) == 0) open.push_back(t);
    }
    std::vector<Step> steps;
    std::vector<int> how(open.size(), 0);  // 0: not here, 1: hold, 2: retain
    for (;;) {
      Chain(path, first, end, held, open, how, &steps);
      size_t i = 0;
      while (i < how.size() && ++how[i] == (CanRetain(open[i], first, end) ? 3 : 2)) how[i++] = 0;
      if (i == how.size()) break;
    }
    return FrontOf(std::move(steps));
  }

  bool CanRetain(size_t tensor, size_t first, size_t end) const {
    return windows_ && facts_.Writer(tensor, first, end) &&
           !facts_.Readers(tensor, first, end).empty();
  }

  void Chain(const Path& above, size_t first, size_t end, Mask held,
             const std::vector<size_t>& open, const std::vector<int>& how,
             std::vector<Step>* steps) {
    Path path = above;
    // Retaining holds first, for they change what nodes compute at every place of the chain.
    for (const int kind : {2, 1}) {
      for (size_t i = 0; i < open.size(); ++i) {
        if (how[i] != kind) continue;
        path.push_back({.kind = Item::Kind::kHold,
                        .id = open[i],
                        .retain = kind == 2,
                        .first = first,
                        .end = end});
        held |= Mask{1} << open[i];
      }
    }
    const bool matters =
        std::any_of(path.begin() + static_cast<std::ptrdiff_t>(above.size()), path.end(),
                    [&](const Item& hold) {
                      return hold.retain || facts_.Readers(hold.id, first, end).size() > 1;
                    });
    if (matters && !IsLegal(path, first, end)) return;
    Step chain;
    std::vector<std::pair<Item, int64_t>> lifetimes;  // holds that a split below counts, with tiles
    for (size_t i = above.size(); i < path.size(); ++i) {
      const auto [room, words] = Hold(path, path[i]);
      const bool fused =
          facts_.Writer(path[i].id, first, end) && !facts_.Readers(path[i].id, first, end).empty();
      chain.words += words;
      if (fused && !path[i].retain) {
        lifetimes.emplace_back(path[i], room);
      } else {
        chain.room += room;
      }
    }
    if (chain.room > options_.most_room) return;
    const std::vector<Item> holds(path.begin() + static_cast<std::ptrdiff_t>(above.size()),
                                  path.end());
    for (const Step& split : Split(path, first, end, held, lifetimes)) {
      Add(chain, split, holds, steps);
    }
    for (const auto& [hold, tile] : lifetimes) chain.room += tile;
    if (chain.room > options_.most_room) return;
    for (const Item& loop : Loops(path, first, end, held)) {
      Path inside = path;
      inside.push_back(loop);
      const int64_t vectors = VectorRoom(path, loop);
      for (Step below : Part(inside, first, end, held)) {
        below.room += vectors;
        auto piece = std::make_shared<Piece>();
        piece->tree = PartOf(loop);
        piece->children.push_back(below.piece);
        below.piece = piece;
        Add(chain, below, holds, steps);
      }
    }
  }

  void Add(const Step& chain, const Step& below, const std::vector<Item>& holds,
           std::vector<Step>* steps) const {
    Step step{chain.room + below.room, chain.words + below.words, below.piece};
    if (step.room > options_.most_room) return;
    for (size_t i = holds.size(); i-- > 0;) {
      auto piece = std::make_shared<Piece>();
      piece->tree = PartOf(holds[i]);
      piece->children.push_back(step.piece);
      step.piece = std::move(piece);
    }
    steps->push_back(std::move(step));
  }

  // The loops that can be here.
  std::vector<Item> Loops(const Path& path, size_t first, size_t end, Mask held) {
    std::vector<Item> loops;
    int count = 0;
    for (const Item& item : path) count += item.kind == Item::Kind::kLoop ? 1 : 0;
    const auto used = facts_.Used(first, end);
    const bool all =
        std::all_of(used.begin(), used.end(), [held](size_t t) { return (held >> t & 1) != 0; });
    if (count == options_.shared_loops || all) return loops;
    const size_t sink = end - 1;
    for (const DimId d : DimsOf(facts_.problem, facts_.Node(sink))) {
      if (!options_.share_kernel_loops &&
          IsSharedKernelLoop(facts_.problem, d, NodeId(first), NodeId(end))) {
        continue;
      }
      const int64_t range = ContextsOf(path).front().domains[sink][d].size();
      for (int64_t step = 1; step < range; ++step) {
        if (options_.tiles == FusedTiles::kPerfect && range % step != 0) continue;
        loops.push_back(
            {.kind = Item::Kind::kLoop, .id = d.value(), .step = step, .first = first, .end = end});
      }
    }
    return loops;
  }

  // Row vectors of softmaxes whose rows this loop is the first to cut.
  int64_t VectorRoom(const Path& path, const Item& loop) {
    int64_t room = 0;
    for (size_t n = loop.first; n < loop.end; ++n) {
      const FusedNode& node = facts_.Node(n);
      if (!node.softmax || facts_.RowsAreCut(path, n) || !facts_.Shifts(loop, n, *node.softmax)) {
        continue;
      }
      int64_t rows = 1;
      for (const DimId d : DimsOf(facts_.problem, node)) {
        if (d == *node.softmax || IsReduced(node, d)) continue;
        rows *= ContextsOf(path).front().domains[n][d].size();
      }
      room += 2 * rows;
    }
    return room;
  }

  // Room of the tile and off-chip words of a hold at the end of the path.
  std::pair<int64_t, int64_t> Hold(const Path& path, const Item& hold) {
    const size_t loops = static_cast<size_t>(std::count_if(
        path.begin(), path.end(), [](const Item& i) { return i.kind == Item::Kind::kLoop; }));
    size_t stay = 0, seen = 0, outside_first = 0, outside_end = facts_.problem.nodes.size();
    for (const Item& item : path) {
      if (item.kind == Item::Kind::kSplit) stay = seen;
      if (item.kind != Item::Kind::kLoop) continue;
      ++seen;
      outside_first = item.first;
      outside_end = item.end;
    }
    const auto writer = facts_.Writer(hold.id, hold.first, hold.end);
    const auto readers = facts_.Readers(hold.id, hold.first, hold.end);
    const bool fused = writer && !readers.empty();
    std::optional<int64_t> room;
    int64_t words = 0;
    std::optional<FusedBox> before;
    std::vector<int64_t> before_turns;
    for (const Context& context : ContextsOf(path)) {
      FusedBox tile;
      const auto touch = [&](size_t node) {
        if (IsEmpty(facts_.problem, facts_.Node(node), context.domains[node])) return;
        const FusedBox box =
            Touched(*OperandOf(facts_.Node(node), TensorId(hold.id)), context.domains[node]);
        tile = tile.empty() ? box : Hull(tile, box);
      };
      if (fused && loops == 0) {
        touch(*writer);
      } else if (fused) {
        for (const size_t n : facts_.Readers(hold.id, outside_first, outside_end)) touch(n);
      } else if (writer) {
        touch(*writer);
      } else {
        for (const size_t n : readers) touch(n);
      }
      if (tile.empty() || IsEmpty(tile)) continue;
      int64_t n = WordsOf(tile);
      if (!room) room = n;
      if (fused) break;
      const bool same_stay =
          before && std::equal(context.turns.begin(),
                               context.turns.begin() + static_cast<std::ptrdiff_t>(stay),
                               before_turns.begin());
      if (same_stay) {
        const FusedBox there = Intersection(tile, *before);
        if (!IsEmpty(there)) n -= WordsOf(there);
      }
      before = tile;
      before_turns = context.turns;
      words += writer && Continues(path, context, *writer) ? 2 * n : n;
    }
    return {room.value_or(0), words};
  }

  // All ways to go on in two or more parts, one after the other.
  Front Split(const Path& path, size_t first, size_t end, Mask held,
              const std::vector<std::pair<Item, int64_t>>& lifetimes) {
    // By node: parts that end there.
    std::map<size_t, std::vector<Step>> until;
    for (size_t from = first; from < end; ++from) {
      const Front before = from == first ? Front() : FrontOf(until[from]);
      if (from != first && before.empty()) continue;
      for (size_t to = from + 1; to <= end; ++to) {
        if (from == first && to == end) continue;
        int64_t extra = 0;
        for (const auto& [hold, tile] : lifetimes) {
          const size_t writer = *facts_.Writer(hold.id, first, end);
          const size_t last = facts_.Readers(hold.id, first, end).back();
          if (writer < to && from <= last) extra += tile;
        }
        if (extra > options_.most_room) continue;
        Path inside = path;
        inside.push_back({.kind = Item::Kind::kSplit, .first = from, .end = to});
        const Front part = Raised(Part(inside, from, to, held), extra);
        const Front joined = from == first ? Alone(part, 0) : Beside(before, part);
        auto& at = until[to];
        at.insert(at.end(), joined.begin(), joined.end());
      }
    }
    return FrontOf(until[end]);
  }

  Front Raised(Front front, int64_t extra) const {
    while (!front.empty() && front.back().room + extra > options_.most_room) front.pop_back();
    for (Step& step : front) step.room += extra;
    return front;
  }

  // Rules 2 to 9, which speak of all loops and holds: of the way down to this place, in the
  // simplest tree that has it. Not asked for behind holds that no rule speaks of, which have one
  // reader or none and do not retain, and where only softmaxes could be parted from their readers.
  bool IsLegal(const Path& path, size_t first, size_t end) const {
    for (size_t n = first; n < end; ++n) {
      if (options_.softmax == SoftmaxForm::kRow && facts_.RowsAreCut(path, n)) return false;
    }
    return path.empty() ||
           Validate(facts_.problem, Simplest(path, 0, 0, facts_.problem.nodes.size(), {})).empty();
  }

  FusedTree Simplest(const Path& path, size_t at, size_t first, size_t end,
                     std::set<size_t> held) const {
    if (at == path.size()) {
      return Finished({path.begin(), path.end()}, first, end, std::move(held));
    }
    const Item& item = path[at];
    if (item.kind == Item::Kind::kSplit) {
      const Path above(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(at));
      FusedTree split;
      if (first < item.first) split.children.push_back(Finished(above, first, item.first, held));
      split.children.push_back(Simplest(path, at + 1, item.first, item.end, held));
      if (item.end < end) split.children.push_back(Finished(above, item.end, end, held));
      return split;
    }
    if (item.kind == Item::Kind::kHold) held.insert(item.id);
    FusedTree tree = PartOf(item);
    tree.children.push_back(Simplest(path, at + 1, first, end, std::move(held)));
    return tree;
  }

  // Every node holds what is open; what a softmax makes is held for all its readers.
  FusedTree Finished(const Path& above, size_t first, size_t end, std::set<size_t> held) const {
    for (size_t n = first; n < end; ++n) {
      const size_t made = OutputOf(facts_.Node(n)).tensor.value();
      const size_t all = facts_.Readers(made, 0, facts_.problem.nodes.size()).size();
      if (!facts_.RowsAreCut(above, n) || held.contains(made) || all == 0 ||
          facts_.Readers(made, first, end).size() < all) {
        continue;
      }
      held.insert(made);
      FusedTree tree;
      tree.part = FusedHold{TensorId(made), false};
      tree.children.push_back(Finished(above, first, end, std::move(held)));
      return tree;
    }
    FusedTree split;
    for (size_t n = first; n < end; ++n) split.children.push_back(FinishedLeaf(above, n, held));
    return end == first + 1 ? split.children.front() : split;
  }

  FusedTree FinishedLeaf(const Path& above, size_t node, const std::set<size_t>& held) const {
    FusedTree tree;
    tree.part = FusedLeaf{NodeId(node), facts_.RowsAreCut(above, node), std::nullopt};
    for (const FusedOperand& operand : facts_.Node(node).operands) {
      if (held.contains(operand.tensor.value())) continue;
      FusedTree hold;
      hold.part = FusedHold{operand.tensor, false};
      hold.children.push_back(std::move(tree));
      tree = std::move(hold);
    }
    return tree;
  }

  const Facts facts_;
  const FusedListingOptions options_;
  const bool windows_;  // ranks of several dimensions, or strides: without, retaining is in vain
  const bool softmax_;
  std::map<std::tuple<Path, size_t, size_t, Mask, Mask>, Front> parts_;
  std::map<Path, std::vector<Context>> contexts_;
  std::map<std::tuple<size_t, bool, unsigned, std::vector<int64_t>, LeafClasses>, Front> leaves_;
};

// Every part of a tree, whether it is legal or not.
class Trees {
 public:
  Trees(const FusedProblem& problem, const FusedListingOptions& options)
      : facts_(problem), options_(options) {}

  void Run(const std::function<void(const FusedTree&)>& visit) const {
    for (const FusedTree& tree : All(0, facts_.problem.nodes.size(), {}, {}, 0)) {
      if (Validate(facts_.problem, tree).empty() &&
          IsInFusedSpace(facts_.problem, options_, tree)) {
        visit(tree);
      }
    }
  }

 private:
  // Steps: of the loops above, by dimension.
  using Steps = std::map<DimId, int64_t>;

  std::vector<FusedTree> All(size_t first, size_t end, std::vector<size_t> held, const Steps& steps,
                             size_t next_hold) const {
    std::vector<FusedTree> all;
    bool open = false;
    for (const size_t t : facts_.Used(first, end)) {
      if (std::find(held.begin(), held.end(), t) != held.end()) continue;
      open = true;
      if (t < next_hold) continue;
      std::vector<size_t> inside = held;
      inside.push_back(t);
      for (const bool retain : {false, true}) {
        if (retain && (!facts_.Writer(t, first, end) || facts_.Readers(t, first, end).empty())) {
          continue;
        }
        for (FusedTree& child : All(first, end, inside, steps, t + 1)) {
          Under(FusedHold{TensorId(t), retain}, std::move(child), &all);
        }
      }
    }
    if (end == first + 1 && !open) {
      FusedTree leaf;
      for (const bool online : {false, true}) {
        leaf.part = FusedLeaf{NodeId(first), online, std::nullopt};
        if (!online || facts_.Node(first).softmax) all.push_back(leaf);
      }
    }
    for (size_t cut = first + 1; cut < end; ++cut) {
      for (const FusedTree& a : All(first, cut, held, steps, 0)) {
        for (const FusedTree& b : All(cut, end, held, steps, 0)) {
          FusedTree split;
          split.children = {a, b};
          all.push_back(split);
          if (!b.IsSplit()) continue;
          split.children = b.children;  // in three parts or more
          split.children.insert(split.children.begin(), a);
          all.push_back(std::move(split));
        }
      }
    }
    if (!open) return all;
    for (const DimId d : DimsOf(facts_.problem, facts_.Node(end - 1))) {
      const auto above = steps.find(d);
      const int64_t range = above == steps.end() ? facts_.problem.dims[d].bound : above->second;
      for (int64_t step = 1; step < range; ++step) {
        Steps inside = steps;
        inside[d] = step;
        for (FusedTree& child : All(first, end, held, inside, 0)) {
          Under(FusedLoop{d, step}, std::move(child), &all);
        }
      }
    }
    return all;
  }

  template <typename Part>
  static void Under(const Part& part, FusedTree child, std::vector<FusedTree>* all) {
    FusedTree tree;
    tree.part = part;
    tree.children.push_back(std::move(child));
    all->push_back(std::move(tree));
  }

  const Facts facts_;
  const FusedListingOptions options_;
};

}  // namespace

void ForEachFusedTree(const FusedProblem& problem, const FusedListingOptions& options,
                      const std::function<void(const FusedTree&)>& visit) {
  Trees(problem, options).Run(visit);
}

std::vector<FusedListingStep> ListFused(const FusedProblem& problem,
                                        const FusedListingOptions& options) {
  return Lister(problem, options).Run();
}

bool IsInFusedSpace(const FusedProblem& problem, const FusedListingOptions& options,
                    const FusedTree& tree) {
  const FusedOutline outline(problem, tree);
  const auto domains = FirstDomains(problem, outline);
  if (options.unfused) {
    if (problem.nodes.size() > 1 && !tree.IsSplit()) return false;
    for (const FusedTree& child : tree.children) {
      if (child.IsSplit()) return false;
    }
  }
  for (size_t p = 0; p < outline.places().size(); ++p) {
    const FusedPlace& place = outline[p];
    const bool shared = place.end.value() > place.first.value() + 1;
    if (options.unfused && p > 0 && shared) return false;
    if (const FusedLeaf* leaf = place.tree->leaf()) {
      if (leaf->online && options.softmax == SoftmaxForm::kRow) return false;
      const auto above = std::count_if(place.loops.begin(), place.loops.end(), [&](size_t l) {
        return outline[l].end.value() > outline[l].first.value() + 1;
      });
      if (above > options.shared_loops) return false;
    }
    const FusedLoop* loop = place.tree->loop();
    if (loop == nullptr) continue;
    const NodeId sink(place.end.value() - 1);
    if (options.tiles == FusedTiles::kPerfect &&
        domains[p][sink][loop->dim].size() % loop->step != 0) {
      return false;
    }
    if (shared && !options.share_kernel_loops &&
        IsSharedKernelLoop(problem, loop->dim, place.first, place.end)) {
      return false;
    }
  }
  return true;
}

bool IsSharedKernelLoop(const FusedProblem& problem, DimId dim, NodeId first, NodeId end) {
  for (size_t n = first.value(); n < end.value(); ++n) {
    const FusedNode& node = problem.nodes[NodeId(n)];
    if (!IsReduced(node, dim)) continue;
    for (const FusedOperand& operand : node.operands) {
      const auto writer = WriterOf(problem, operand.tensor);
      if (operand.is_output || !writer || *writer < first) continue;
      for (const Rank& rank : operand.ranks) {
        if (rank.terms.size() > 1 &&
            std::any_of(rank.terms.begin(), rank.terms.end(),
                        [dim](const Term& term) { return term.dim == dim; })) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace inlay::testing
