#include "tests/support/random_chain.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace inlay::testing {
namespace {

// What the nodes are drawn as first: weights stand before what nodes write.
class ChainGrower {
 public:
  ChainGrower(Random& random, int64_t most_nodes) : random_(random) {
    graph_.name = "chain";
    const int64_t channels = Pick(random, 1, 4), size = Pick(random, 4, 8);
    image_ = Chance(random, 0.7);
    const Shape shape = image_ ? Shape{1, channels, size, size} : Shape{size, 2 * channels};
    AddValue("in", shape, ValueRole::kInput);
    const int64_t nodes = Pick(random, 2, most_nodes);
    Shape at = shape;
    for (int64_t i = 0; i < nodes; ++i) DrawWeight(i, &at);
    last_ = ValueId(0);
    for (int64_t i = 0; i < nodes; ++i) Add(i);
  }

  Graph Take() {
    graph_.outputs.push_back(last_);
    if (Chance(random_, 0.2) && made_.size() > 1) {
      const auto which = static_cast<size_t>(Pick(random_, 0, Int(made_.size()) - 2));
      if (!graph_.values[made_[which]].alias_of) graph_.outputs.push_back(made_[which]);
    }
    return std::move(graph_);
  }

 private:
  static int64_t Int(size_t size) { return static_cast<int64_t>(size); }
  ValueId AddValue(const std::string& name, Shape shape, ValueRole role) {
    graph_.values.push_back({name, std::move(shape), role, {}});
    return ValueId(graph_.values.size() - 1);
  }

  enum class Kind { kWeights, kPlain, kTwo, kRows, kView, kMoves };
  struct Drawn {
    Kind kind = Kind::kPlain;
    ValueId weights;
    int64_t kernel = 1, stride = 1, pad = 0;
  };

  void DrawWeight(int64_t i, Shape* at) {
    constexpr Kind kKinds[] = {Kind::kWeights, Kind::kWeights, Kind::kWeights, Kind::kPlain,
                               Kind::kTwo,     Kind::kRows,    Kind::kView,    Kind::kMoves};
    Drawn node;
    node.kind = kKinds[Pick(random_, 0, Chance(random_, 0.3) ? 7 : 4)];
    if (node.kind == Kind::kWeights && image_) {
      node.kernel = Chance(random_, 0.5) && (*at)[2] >= 4 ? 3 : 1;
      node.stride = Chance(random_, 0.2) && (*at)[2] >= 4 ? 2 : 1;
      node.pad = node.kernel == 3 && Chance(random_, 0.6) ? 1 : 0;
      const int64_t out = Pick(random_, 1, 5);
      node.weights = AddValue(fmt::format("w{}", i), {out, (*at)[1], node.kernel, node.kernel},
                              ValueRole::kWeight);
      const int64_t size = ((*at)[2] + 2 * node.pad - node.kernel) / node.stride + 1;
      *at = {1, out, size, size};
    } else if (node.kind == Kind::kWeights) {
      const int64_t out = Pick(random_, 1, 8);
      node.weights = AddValue(fmt::format("w{}", i), {(*at)[1], out}, ValueRole::kWeight);
      *at = {(*at)[0], out};
    }
    drawn_.push_back(node);
  }

  void Add(int64_t i) {
    const Drawn& drawn = drawn_[static_cast<size_t>(i)];
    NodeSpec spec;
    spec.name = fmt::format("n{}", i);
    spec.inputs = {last_};
    spec.outputs = {{fmt::format("t{}", i), {}}};
    const Shape shape = graph_.values[last_].shape;
    switch (drawn.kind) {
      case Kind::kWeights:
        spec.inputs.push_back(drawn.weights);
        spec.op = image_ ? Op::kConv : Op::kMatmul;
        if (!image_) break;
        spec.attributes.stride = {drawn.stride, drawn.stride};
        spec.attributes.pads_before = spec.attributes.pads_after = {drawn.pad, drawn.pad};
        break;
      case Kind::kTwo:
        spec.op = Op::kElementwise;
        for (const ValueId other : made_) {
          if (graph_.values[other].shape != shape || other == last_) continue;
          spec.inputs.push_back(other);
          break;
        }
        break;
      case Kind::kRows:
        spec.op = image_ ? Op::kElementwise : Chance(random_, 0.5) ? Op::kSoftmax : Op::kNorm;
        break;
      case Kind::kMoves:
        spec.op = Op::kOther;
        spec.outputs[0].shape = shape;
        break;
      case Kind::kView:
        spec.op = Op::kView;
        spec.outputs[0].shape = shape;
        break;
      case Kind::kPlain:
        spec.op = Op::kElementwise;
    }
    if (!AddNode(std::move(spec), &graph_)) throw std::logic_error("a node does not fit");
    last_ = ValueId(graph_.values.size() - 1);
    made_.push_back(last_);
  }

  Random& random_;
  bool image_ = false;
  Graph graph_;
  std::vector<Drawn> drawn_;
  std::vector<ValueId> made_;
  ValueId last_;
};

}  // namespace

Graph RandomChain(Random& random, int64_t most_nodes) {
  return ChainGrower(random, most_nodes).Take();
}

Machine RandomPeakMachine(Random& random) {
  Machine machine;
  machine.name = "random";
  machine.units.push_back({"core", 1e9, {}});
  const int64_t pads = Chance(random, 0.3) ? 2 : 1;
  for (int64_t p = 0; p < pads; ++p) {
    Scratchpad pad;
    pad.name = fmt::format("pad{}", p);
    pad.bytes = Pick(random, 2, 24) * 16;
    pad.alignment_bytes = Chance(random, 0.5) ? 8 : 1;
    if (Chance(random, 0.5)) pad.bytes_per_second = 1e9 * static_cast<double>(Pick(random, 1, 4));
    pad.pj_per_byte = static_cast<double>(Pick(random, 0, 3));
    pad.reached_by = {UnitId(0)};
    machine.pads.push_back(std::move(pad));
  }
  if (pads == 2 && Chance(random, 0.5)) machine.dma.moves = {{PadId(0), PadId(1)}};
  machine.offchip = {1e9 * static_cast<double>(Pick(random, 1, 3)) / 10, 20};
  return machine;
}

}  // namespace inlay::testing
