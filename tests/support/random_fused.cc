#include "tests/support/random_fused.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "inlay/core/fused_outline.h"
#include "inlay/io/native/native.h"
#include "tests/support/native.h"
#include "tests/support/random_fused_graph.h"

namespace inlay::testing {
namespace {

// Builds problems by names.
class Builder {
 public:
  explicit Builder(const char* name) { problem_.name = name; }

  DimId Dim(const std::string& name, int64_t bound) {
    problem_.dims.push_back({name, bound});
    return DimId(problem_.dims.size() - 1);
  }
  int64_t Bound(DimId dim) const { return problem_.dims[dim].bound; }

  static Rank One(DimId dim, int64_t coefficient = 1) { return {{{dim, coefficient}}}; }
  static Rank Window(DimId place, int64_t stride, DimId window) {
    return {{{place, stride}, {window, 1}}};
  }

  struct Use {
    std::string tensor;
    std::vector<Rank> ranks;
    std::vector<FusedBorder> borders = {};
  };
  FusedNode& Node(const std::string& name, std::vector<Use> inputs, Use output) {
    FusedNode node;
    node.name = name;
    for (Use& use : inputs) {
      node.operands.push_back(
          {Tensor(use.tensor), std::move(use.ranks), false, std::move(use.borders)});
    }
    node.operands.push_back({Tensor(output.tensor), std::move(output.ranks), true});
    problem_.nodes.push_back(std::move(node));
    return problem_.nodes.back();
  }
  TensorId Tensor(const std::string& name) {
    if (const auto known = FindTensor(problem_, name)) return *known;
    problem_.tensors.push_back(name);
    return TensorId(problem_.tensors.size() - 1);
  }
  FusedProblem Done() && { return std::move(problem_); }
  FusedProblem& problem() { return problem_; }

 private:
  FusedProblem problem_;
};

std::string Numbered(const char* name, int64_t number) { return name + std::to_string(number); }

FusedProblem Products(Random& random) {
  Builder b("products");
  const int64_t nodes = Pick(random, 1, 3);
  const DimId m = b.Dim("m", Pick(random, 1, 6));
  std::vector<DimId> n;
  for (int64_t i = 0; i <= nodes; ++i) n.push_back(b.Dim(Numbered("n", i), Pick(random, 1, 5)));
  for (int64_t i = 0; i < nodes; ++i) {
    const auto at = static_cast<size_t>(i);
    b.Node(Numbered("E", i),
           {{Numbered("T", i), {Builder::One(m), Builder::One(n[at])}},
            {Numbered("W", i), {Builder::One(n[at]), Builder::One(n[at + 1])}}},
           {Numbered("T", i + 1), {Builder::One(m), Builder::One(n[at + 1])}});
  }
  return std::move(b).Done();
}

// Along one or two dimensions, the bounds from the last layer to the first; with borders, what is
// read beside a tensor is zero.
FusedProblem Convolutions(Random& random, bool borders = false) {
  Builder b("convolutions");
  const int64_t nodes = Pick(random, 2, 3);
  const int64_t axes = Pick(random, 1, 2);
  const bool channels = Chance(random, axes == 1 ? 0.7 : 0.3);
  std::vector<std::vector<DimId>> place(static_cast<size_t>(axes)), window(place.size());
  std::vector<std::vector<int64_t>> stride(place.size());
  std::vector<std::vector<FusedBorder>> border(place.size());
  for (size_t a = 0; a < place.size(); ++a) {
    std::vector<int64_t> bound(static_cast<size_t>(nodes)), size(bound.size());
    stride[a].resize(bound.size(), 1);
    border[a].resize(bound.size());
    bound.back() = Pick(random, 1, axes == 1 ? 7 : 4);
    for (size_t i = bound.size(); i-- > 0;) {
      size[i] = Pick(random, 1, 3);
      if (Chance(random, 0.2)) stride[a][i] = 2;
      int64_t read = stride[a][i] * (bound[i] - 1) + size[i];
      if (borders && Chance(random, 0.8)) {
        border[a][i].before = std::min(read - 1, Pick(random, 0, size[i]));
        read -= border[a][i].before;
        read = std::max<int64_t>(1, read - Pick(random, 0, size[i]));
      }
      border[a][i].words = read;
      if (i > 0) bound[i - 1] = read;
    }
    for (size_t i = 0; i < bound.size(); ++i) {
      const std::string axis = a == 0 ? "" : "y";
      place[a].push_back(b.Dim("p" + axis + std::to_string(i), bound[i]));
      window[a].push_back(b.Dim("r" + axis + std::to_string(i), size[i]));
    }
  }
  std::vector<DimId> c;
  for (int64_t i = 0; channels && i <= nodes; ++i)
    c.push_back(b.Dim(Numbered("c", i), Pick(random, 1, 3)));
  for (size_t i = 0; i < static_cast<size_t>(nodes); ++i) {
    std::vector<Rank> in, weights, out;
    std::vector<FusedBorder> around;
    if (channels) {
      in.push_back(Builder::One(c[i]));
      if (borders) around.push_back({0, b.Bound(c[i])});
      weights = {Builder::One(c[i]), Builder::One(c[i + 1])};
      out.push_back(Builder::One(c[i + 1]));
    }
    for (size_t a = 0; a < place.size(); ++a) {
      in.push_back(Builder::Window(place[a][i], stride[a][i], window[a][i]));
      weights.push_back(Builder::One(window[a][i]));
      out.push_back(Builder::One(place[a][i]));
      if (borders) around.push_back(border[a][i]);
    }
    const auto number = static_cast<int64_t>(i);
    b.Node(Numbered("E", number),
           {{Numbered("T", number), in, around}, {Numbered("W", number), weights}},
           {Numbered("T", number + 1), out});
  }
  return std::move(b).Done();
}

FusedProblem Attention(Random& random) {
  Builder b("attention");
  const Rank m = Builder::One(b.Dim("m", Pick(random, 1, 5)));
  const DimId keys = b.Dim("p", Pick(random, 1, 5));
  const Rank p = Builder::One(keys);
  const Rank e = Builder::One(b.Dim("e", Pick(random, 1, 3)));
  const Rank f = Builder::One(b.Dim("f", Pick(random, 1, 3)));
  b.Node("QK", {{"Q", {m, e}}, {"K", {p, e}}}, {"A", {m, p}});
  FusedNode& softmax = b.Node("SM", {{"A", {m, p}}}, {"B", {m, p}});
  if (Chance(random, 0.7)) softmax.softmax = keys;
  b.Node("AV", {{"B", {m, p}}, {"V", {p, f}}}, {"O", {m, f}});
  return std::move(b).Done();
}

FusedProblem Gated(Random& random) {
  Builder b("gated");
  const Rank m = Builder::One(b.Dim("m", Pick(random, 1, 5)));
  const Rank g = Builder::One(b.Dim("g", Pick(random, 1, 4)));
  const Rank c = Builder::One(b.Dim("c", Pick(random, 1, 4)));
  const Rank j = Builder::One(b.Dim("j", Pick(random, 1, 3)));
  b.Node("Gate", {{"X", {m, g}}, {"WG", {g, c}}}, {"HG", {m, c}});
  b.Node("Up", {{"X", {m, g}}, {"WU", {g, c}}}, {"HU", {m, c}});
  b.Node("Mul", {{"HG", {m, c}}, {"HU", {m, c}}}, {"H", {m, c}});
  b.Node("Down", {{"H", {m, c}}, {"WD", {c, j}}}, {"Y", {m, j}});
  if (Chance(random, 0.2)) b.problem().outputs.push_back(b.Tensor("H"));
  return std::move(b).Done();
}

// T is read by a window and, at the same places, by the sum.
FusedProblem Residual(Random& random) {
  Builder b("residual");
  const int64_t window = Pick(random, 1, 3), places = Pick(random, 1, 6);
  const DimId inner = b.Dim("q", places + window - 1), outer = b.Dim("p", places);
  const DimId r = b.Dim("r", window);
  b.Node("First", {{"X", {Builder::One(inner)}}}, {"T", {Builder::One(inner)}});
  b.Node("Conv", {{"T", {Builder::Window(outer, 1, r)}}, {"W", {Builder::One(r)}}},
         {"U", {Builder::One(outer)}});
  b.Node("Add", {{"T", {Builder::One(outer)}}, {"U", {Builder::One(outer)}}},
         {"Y", {Builder::One(outer)}});
  if (Chance(random, 0.2)) b.problem().outputs.push_back(b.Tensor("T"));
  return std::move(b).Done();
}

// Draws a tree; most are not legal.
class TreeDrawer {
 public:
  TreeDrawer(Random& random, const FusedProblem& problem) : random_(random), problem_(problem) {}

  FusedTree Draw(size_t first, size_t end, std::vector<TensorId> held,
                 std::map<size_t, int64_t> range, int loops) {
    if (loops > 0 && Chance(random_, 0.45)) return DrawLoop(first, end, held, range, loops);
    const std::vector<TensorId> open = Open(first, end, held);
    const bool leaf = end == first + 1;
    if (!open.empty() && (leaf || Chance(random_, 0.55))) {
      const TensorId tensor = open[Below(open.size())];
      FusedTree tree;
      tree.part = FusedHold{tensor, IsMadeAndRead(tensor, first, end) && Chance(random_, 0.5)};
      held.push_back(tensor);
      tree.children.push_back(Draw(first, end, held, range, loops));
      return tree;
    }
    FusedTree tree;
    if (leaf) {
      const FusedNode& node = problem_.nodes[NodeId(first)];
      tree.part = FusedLeaf{NodeId(first), node.softmax && Chance(random_, 0.7), std::nullopt};
      return tree;
    }
    const size_t cut = first + 1 + Below(end - first - 1);
    tree.children.push_back(Draw(first, cut, held, range, loops));
    const bool three = end - cut > 1 && Chance(random_, 0.4);
    const size_t second = three ? cut + 1 + Below(end - cut - 1) : end;
    tree.children.push_back(Draw(cut, second, held, range, loops));
    if (three) tree.children.push_back(Draw(second, end, held, range, loops));
    return tree;
  }

 private:
  size_t Below(size_t n) {
    return static_cast<size_t>(Pick(random_, 0, static_cast<int64_t>(n) - 1));
  }

  FusedTree DrawLoop(size_t first, size_t end, const std::vector<TensorId>& held,
                     std::map<size_t, int64_t> range, int loops) {
    const auto dims = DimsOf(problem_, problem_.nodes[NodeId(end - 1)]);
    const DimId dim = dims[Below(dims.size())];
    int64_t& size = range.emplace(dim.value(), problem_.dims[dim].bound).first->second;
    size = Pick(random_, 1, size);
    FusedTree tree;
    tree.part = FusedLoop{dim, size};
    tree.children.push_back(Draw(first, end, held, range, loops - 1));
    return tree;
  }

  bool IsMadeAndRead(TensorId tensor, size_t first, size_t end) const {
    const auto writer = WriterOf(problem_, tensor);
    if (!writer || writer->value() < first || writer->value() >= end) return false;
    const auto readers = ReadersOf(problem_, tensor);
    return std::any_of(readers.begin(), readers.end(), [end](NodeId n) { return n.value() < end; });
  }

  std::vector<TensorId> Open(size_t first, size_t end, const std::vector<TensorId>& held) const {
    std::vector<TensorId> open;
    for (TensorId t : Ids(problem_.tensors)) {
      const bool used =
          std::any_of(problem_.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                      problem_.nodes.begin() + static_cast<std::ptrdiff_t>(end),
                      [t](const FusedNode& node) { return OperandOf(node, t) != nullptr; });
      if (used && std::find(held.begin(), held.end(), t) == held.end()) open.push_back(t);
    }
    return open;
  }

  Random& random_;
  const FusedProblem& problem_;
};

Architecture RandomPad(Random& random) {
  Architecture architecture;
  architecture.name = "pad";
  const AccessEnergy energy{1, 2, 3};
  const auto level = [&](const char* name) {
    Level made;
    made.name = name;
    made.energy = energy;
    if (Chance(random, 0.3)) made.read_bandwidth = static_cast<double>(Pick(random, 1, 4));
    if (Chance(random, 0.3)) made.write_bandwidth = static_cast<double>(Pick(random, 1, 4));
    if (Chance(random, 0.3)) made.shared_bandwidth = static_cast<double>(Pick(random, 1, 4));
    return made;
  };
  architecture.levels.push_back(level("DRAM"));
  architecture.levels.push_back(level("pad"));
  if (Chance(random, 0.3)) architecture.levels.push_back(level("regs"));
  architecture.compute.energy_pj = 1;
  for (size_t l = 1; l < architecture.levels.size(); ++l) {
    if (Chance(random, 0.5)) continue;
    Fanout& fanout = architecture.levels[LevelId(l)].fanout;
    fanout.name = architecture.levels[LevelId(l)].name + "_lanes";
    fanout.x = Pick(random, 1, 4);
    fanout.y = Pick(random, 1, 3);
    fanout.multicast = Chance(random, 0.8) ? Multicast::kTile : Multicast::kNone;
    fanout.reduce = Chance(random, 0.8);
  }
  return architecture;
}

// Gives leaves mappings of their own where one of a few draws is valid on the lanes.
class LeafMapper {
 public:
  LeafMapper(Random& random, const FusedProblem& problem, const Architecture& architecture,
             FusedTree* tree)
      : random_(random), problem_(problem), architecture_(LeafArchitecture(architecture)) {
    const FusedOutline outline(problem, *tree);
    domains_ = FirstDomains(problem, outline);
    Visit(tree);
  }

 private:
  void Visit(FusedTree* tree) {
    const size_t place = place_++;
    if (auto* leaf = std::get_if<FusedLeaf>(&tree->part)) {
      const Problem own = FirstProblemOf(problem_, domains_[place][leaf->node], leaf->node);
      for (int attempt = 0; attempt < 10 && !leaf->mapping; ++attempt) {
        Mapping drawn = RandomMapping(random_, own, architecture_.levels.size(),
                                      Chance(random_, 0.5) ? Steps::kAny : Steps::kPerfect);
        if (Validate(own, architecture_, drawn).empty()) leaf->mapping = std::move(drawn);
      }
    }
    for (FusedTree& child : tree->children) Visit(&child);
  }

  Random& random_;
  const FusedProblem& problem_;
  const Architecture architecture_;
  FusedDomains domains_;
  size_t place_ = 0;
};

}  // namespace

FusedProblem RandomFusedProblem(Random& random) {
  switch (Pick(random, 0, 6)) {
    case 0:
      return Products(random);
    case 1:
      return Attention(random);
    case 2:
      return Gated(random);
    case 3:
      return Residual(random);
    default:
      return Convolutions(random);
  }
}

std::optional<FusedTree> RandomFusedTree(Random& random, const FusedProblem& problem) {
  TreeDrawer drawer(random, problem);
  for (int attempt = 0; attempt < 40; ++attempt) {
    FusedTree tree =
        drawer.Draw(0, problem.nodes.size(), {}, {}, static_cast<int>(Pick(random, 0, 4)));
    if (Validate(problem, tree).empty()) return tree;
  }
  return std::nullopt;
}

FusedProblem RandomBorders(Random& random) { return Convolutions(random, true); }

FusedTestCase RandomFusedCase(Random& random) {
  for (;;) {
    FusedProblem problem = Chance(random, 0.15)  ? RandomBorders(random)
                           : Chance(random, 0.5) ? RandomFusedGraph(random)
                                                 : RandomFusedProblem(random);
    auto tree = RandomFusedTree(random, problem);
    if (!tree) continue;
    Architecture architecture = RandomPad(random);
    if (Chance(random, 0.4)) LeafMapper(random, problem, architecture, &*tree);
    return {std::move(problem), std::move(architecture), *std::move(tree)};
  }
}

std::string Describe(const FusedTestCase& c) {
  return io::WriteNative(c.problem, c.architecture, c.tree);
}

}  // namespace inlay::testing
