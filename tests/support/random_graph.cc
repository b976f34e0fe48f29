#include "tests/support/random_graph.h"

#include <fmt/format.h>

#include <random>
#include <stdexcept>
#include <utility>

namespace inlay::testing {
namespace {

class GraphGrower {
 public:
  GraphGrower(uint64_t seed, int nodes) : random_(seed), wanted_(nodes) {
    graph_.name = fmt::format("random {}", seed);
    for (int i = 0; i < 2; ++i) {
      graph_.values.push_back(
          {fmt::format("in {}", i), {1, 4, Below(6) + 3, Below(6) + 3}, ValueRole::kInput, {}});
    }
    // Weights stand before what nodes write: every size that a node may ask for.
    for (int64_t k : {4, 8}) {
      for (int64_t kernel : {1, 3}) AddWeight({k, 4, kernel, kernel});
    }
    AddWeight({4, 1, 3, 3});
    first_written_ = graph_.values.size();
  }

  Graph Grow() {
    for (int i = 0; i < wanted_; ++i) AddAny(i);
    const size_t last = graph_.values.size() - 1;
    graph_.outputs.push_back(ValueId(last));
    if (last > first_written_) graph_.outputs.push_back(ValueId(last - 1));
    return std::move(graph_);
  }

 private:
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }
  void AddWeight(Shape shape) {
    graph_.values.push_back(
        {fmt::format("w {}", graph_.values.size()), std::move(shape), ValueRole::kWeight, {}});
  }

  // An input or something written.
  ValueId AnyValue() {
    const auto written = static_cast<int64_t>(graph_.values.size() - first_written_);
    const int64_t pick = Below(written + 2);
    return pick < 2 ? ValueId(static_cast<size_t>(pick))
                    : ValueId(first_written_ + static_cast<size_t>(pick - 2));
  }

  void AddAny(int i) {
    NodeSpec spec;
    spec.name = fmt::format("n{}", i);
    const ValueId x = AnyValue();
    const Shape& shape = graph_.values[x].shape;
    spec.inputs = {x};
    spec.outputs = {{fmt::format("v{}", i), {}}};
    const bool image = shape.size() == 4 && shape[1] == 4 && shape[2] >= 3 && shape[3] >= 3;
    switch (Below(7)) {
      case 0:
      case 1:
        if (image) {
          AddConv(&spec);
          break;
        }
        [[fallthrough]];
      case 2:
        spec.op = Op::kElementwise;
        if (Below(2) == 0) spec.inputs.push_back(x);
        break;
      case 3:
        spec.op = Op::kView;
        spec.outputs[0].shape = Shape{1, WordsOf(graph_, x)};
        break;
      case 4:
        spec.op = Op::kSplit;
        spec.outputs[0].shape = shape;
        spec.outputs.push_back({fmt::format("v{}b", i), Shape{Below(3), 2}});
        break;
      case 5:
        spec.op = Op::kEinsum;
        spec.inputs = {x, x};
        spec.attributes.equation = shape.size() == 4 ? "abcd,abce->ade" : "ab,cb->ac";
        if (WordsOf(graph_, x) > 0 && WordsOf(graph_, x) < 10'000 &&
            (shape.size() == 4 || shape.size() == 2)) {
          break;
        }
        spec.attributes = {};
        [[fallthrough]];
      default:
        spec.op = Op::kGather;
        spec.outputs[0].shape = Shape{1, 4, Below(5) + 3, 5};
    }
    if (!AddNode(std::move(spec), &graph_)) throw std::logic_error("a random node does not fit");
  }

  void AddConv(NodeSpec* spec) {
    spec->op = Op::kConv;
    const auto weight = static_cast<size_t>(Below(5));
    spec->inputs.push_back(ValueId(2 + weight));
    if (weight == 4) spec->attributes.groups = 4;
    if (Below(2) == 0) spec->attributes.stride = {Below(2) + 1, 2};
    if (Below(2) == 0) spec->attributes.pads_before = {Below(2), 1};
    if (Below(2) == 0) spec->attributes.pads_after = {1, Below(3)};
  }

  std::mt19937_64 random_;
  int wanted_;
  Graph graph_;
  size_t first_written_ = 0;
};

}  // namespace

Graph RandomGraph(uint64_t seed, int nodes) { return GraphGrower(seed, nodes).Grow(); }

}  // namespace inlay::testing
