// Elements of results against the definitions of the operators, on maps from indices to elements.
#include "inlay/io/onnx/elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "inlay/base/rng.h"

namespace inlay::io::onnx {
namespace {

using ::testing::ElementsAre;
using Tensor = std::map<Shape, double>;

KnownValue Numbered(const Shape& shape, double first = 0) {
  Elements elements{true, std::vector<double>(static_cast<size_t>(*WordsOf(shape)))};
  std::iota(elements.values.begin(), elements.values.end(), first);
  return {shape, std::move(elements), true};
}
KnownValue Whole(const std::vector<int64_t>& values) {
  return {Shape{static_cast<int64_t>(values.size())},
          Elements{true, {values.begin(), values.end()}}, true};
}
KnownValue Scalar(double value) { return {Shape{}, Elements{true, {value}}, true}; }

Attribute Integers(const char* name, std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = name;
  attribute.integers = std::move(values);
  return attribute;
}
Attribute Integer(const char* name, int64_t value) {
  Attribute attribute;
  attribute.name = name;
  attribute.integer = value;
  return attribute;
}

std::vector<KnownValue> Outputs(const char* type, const std::vector<KnownValue>& inputs,
                                std::vector<Attribute> attributes = {}, size_t outputs = 1) {
  ModelNode node{"n", "", type, {}, {}, std::move(attributes)};
  for (size_t i = 0; i < inputs.size(); ++i) node.inputs.push_back("i" + std::to_string(i));
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back("o" + std::to_string(i));
  std::vector<const KnownValue*> pointers;
  for (const KnownValue& input : inputs) pointers.push_back(&input);
  Call call(node, 17, pointers);
  FindRule(node)->rule(&call);
  EXPECT_FALSE(call.fault()) << type << ": " << call.fault().value_or("");
  return call.TakeOutputs();
}

// By index; empty where the elements are not known.
Tensor TensorOf(const KnownValue& known) {
  Tensor tensor;
  if (!known.shape || !known.elements) return tensor;
  Shape index(known.shape->size(), 0);
  for (size_t i = 0; i < known.elements->values.size(); ++i) {
    size_t rest = i;
    for (size_t d = index.size(); d > 0; --d) {
      const auto extent = static_cast<size_t>((*known.shape)[d - 1]);
      index[d - 1] = static_cast<int64_t>(rest % extent);
      rest /= extent;
    }
    tensor[index] = known.elements->values[i];
  }
  return tensor;
}

Shape RandomShape(Rng& rng) {
  Shape shape(1 + UniformBelow(rng, 3));
  for (int64_t& extent : shape) extent = 1 + static_cast<int64_t>(UniformBelow(rng, 4));
  return shape;
}

TEST(Elements, AreTransposed) {
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    const KnownValue x = Numbered(RandomShape(rng));
    std::vector<int64_t> perm(x.shape->size());
    std::iota(perm.begin(), perm.end(), 0);
    for (size_t d = perm.size(); d > 1; --d) std::swap(perm[d - 1], perm[UniformBelow(rng, d)]);
    Tensor expected;
    for (const auto& [index, value] : TensorOf(x)) {
      Shape moved;
      for (const int64_t axis : perm) moved.push_back(index[static_cast<size_t>(axis)]);
      expected[moved] = value;
    }
    EXPECT_EQ(TensorOf(Outputs("Transpose", {x}, {Integers("perm", perm)})[0]), expected);
  }
}

TEST(Elements, AreSlicedAndJoinedAgain) {
  Rng rng(2);
  for (int i = 0; i < 50; ++i) {
    const KnownValue x = Numbered(RandomShape(rng));
    const auto axis = static_cast<int64_t>(UniformBelow(rng, x.shape->size()));
    const int64_t extent = (*x.shape)[static_cast<size_t>(axis)];
    const auto cut = static_cast<int64_t>(UniformBelow(rng, static_cast<uint64_t>(extent) + 1));
    const auto part = [&](int64_t from, int64_t to) {
      return Outputs("Slice", {x, Whole({from}), Whole({to}), Whole({axis}), Whole({1})})[0];
    };
    Tensor expected;
    for (const auto& [index, value] : TensorOf(x)) {
      if (index[static_cast<size_t>(axis)] < cut) expected[index] = value;
    }
    EXPECT_EQ(TensorOf(part(0, cut)), expected);
    const auto joined =
        Outputs("Concat", {part(0, cut), part(cut, extent)}, {Integer("axis", axis)})[0];
    EXPECT_EQ(TensorOf(joined), TensorOf(x));
    const auto parts =
        Outputs("Split", {x, Whole({cut, extent - cut})}, {Integer("axis", axis)}, 2);
    EXPECT_EQ(TensorOf(parts[0]), expected);
    EXPECT_EQ(TensorOf(parts[1]), TensorOf(part(cut, extent)));
  }
}

TEST(Elements, AreReversedBySlicesOfNegativeSteps) {
  const auto y = Outputs(
      "Slice", {Numbered({3, 2}), Whole({-1}), Whole({INT64_MIN + 1}), Whole({0}), Whole({-1})})[0];
  EXPECT_THAT(y.elements->values, ElementsAre(4, 5, 2, 3, 0, 1));
}

TEST(Elements, AreGathered) {
  Rng rng(3);
  for (int i = 0; i < 50; ++i) {
    const KnownValue x = Numbered(RandomShape(rng));
    const size_t axis = UniformBelow(rng, x.shape->size());
    const auto extent = static_cast<uint64_t>((*x.shape)[axis]);
    KnownValue which = Numbered({2, 2});
    for (double& index : which.elements->values)
      index = static_cast<double>(UniformBelow(rng, extent));
    const Tensor from = TensorOf(x);
    Tensor expected;
    for (const auto& [place, index] : TensorOf(which)) {
      for (const auto& [source, value] : from) {
        if (static_cast<double>(source[axis]) != index) continue;
        Shape at = source;
        at[axis] = place[0];
        at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis) + 1, place[1]);
        expected[at] = value;
      }
    }
    const auto y = Outputs("Gather", {x, which}, {Integer("axis", static_cast<int64_t>(axis))})[0];
    EXPECT_EQ(TensorOf(y), expected);
  }
  const auto one = Outputs("Gather", {Numbered({2, 3}), Scalar(-1)}, {Integer("axis", 1)})[0];
  EXPECT_THAT(one.elements->values, ElementsAre(2, 5));
}

TEST(Elements, ArePaddedStretchedAndRepeated) {
  const KnownValue x = Numbered({2, 2}, 1);
  EXPECT_THAT(Outputs("Pad", {x, Whole({1, 0, 0, 1})})[0].elements->values,
              ElementsAre(0, 0, 0, 1, 2, 0, 3, 4, 0));
  EXPECT_THAT(Outputs("Pad", {x, Whole({0, -1, 0, 1}), Scalar(7)})[0].elements->values,
              ElementsAre(2, 7, 4, 7));
  EXPECT_THAT(Outputs("Expand", {Numbered({2, 1}), Whole({2, 2, 3})})[0].elements->values,
              ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1));
  EXPECT_THAT(Outputs("Tile", {x, Whole({1, 2})})[0].elements->values,
              ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
}

// A border that repeats the input is not the number that the operator would else write.
TEST(Elements, OfOtherBordersAreNotKnown) {
  Attribute mode;
  mode.name = "mode";
  mode.text = "reflect";
  const auto y = Outputs("Pad", {Numbered({3}), Whole({1, 1})}, {mode})[0];
  EXPECT_EQ(y.shape, (Shape{5}));
  EXPECT_FALSE(y.elements);
}

TEST(Elements, AreReducedAlongAnyDimension) {
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const KnownValue x = Numbered(RandomShape(rng), 1);
    const size_t axis = UniformBelow(rng, x.shape->size());
    std::map<Shape, std::vector<double>> groups;
    for (const auto& [at, value] : TensorOf(x)) {
      Shape index = at;
      index[axis] = 0;
      groups[index].push_back(value);
    }
    Tensor sums, products, most;
    for (const auto& [index, values] : groups) {
      sums[index] = std::accumulate(values.begin(), values.end(), 0.0);
      products[index] = std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
      most[index] = *std::max_element(values.begin(), values.end());
    }
    const std::vector<int64_t> axes = {static_cast<int64_t>(axis)};
    EXPECT_EQ(TensorOf(Outputs("ReduceSum", {x, Whole(axes)})[0]), sums);
    EXPECT_EQ(TensorOf(Outputs("ReduceProd", {x}, {Integers("axes", axes)})[0]), products);
    EXPECT_EQ(TensorOf(Outputs("ReduceMax", {x}, {Integers("axes", axes)})[0]), most);
  }
  // The number of elements of a scalar, from its shape.
  const KnownValue none{Shape{0}, Elements{true, {}}, true};
  EXPECT_THAT(Outputs("ReduceProd", {none})[0].elements->values, ElementsAre(1));
}

TEST(Elements, AreScatteredAndFound) {
  const KnownValue rows{Shape{2, 1}, Elements{true, {2, -3}}, true};
  EXPECT_THAT(
      Outputs("ScatterND", {Numbered({3, 2}), rows, Numbered({2, 2}, 10)})[0].elements->values,
      ElementsAre(12, 13, 2, 3, 10, 11));
  const KnownValue mask{Shape{2, 2}, Elements{true, {0, 1, 1, 1}}, true};
  const auto found = Outputs("NonZero", {mask})[0];
  EXPECT_EQ(found.shape, (Shape{2, 3}));
  EXPECT_THAT(found.elements->values, ElementsAre(0, 1, 1, 1, 0, 1));
}

TEST(Elements, OfLargeTensorsAreNotKept) {
  const auto y = Outputs("Expand", {Scalar(1), Whole({kMostElements + 1})})[0];
  EXPECT_EQ(y.shape, (Shape{kMostElements + 1}));
  EXPECT_FALSE(y.elements);
}

}  // namespace
}  // namespace inlay::io::onnx
