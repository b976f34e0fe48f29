#include "inlay/core/element_bits.h"

#include <gtest/gtest.h>

namespace inlay {
namespace {

// Attention over a cache: q times the keys, which are those of the cache and the new ones.
Graph Attention() {
  Graph graph;
  graph.name = "attention";
  const auto given = [&](const char* name, const Shape& shape, ValueRole role) {
    graph.values.push_back({name, shape, role, {}});
    return ValueId(graph.values.size() - 1);
  };
  const ValueId x = given("x", {1, 4}, ValueRole::kInput);
  const ValueId cache = given("cache", {7, 4}, ValueRole::kInput);
  const ValueId values = given("values", {8, 4}, ValueRole::kInput);
  const ValueId wq = given("wq", {4, 4}, ValueRole::kWeight);
  const ValueId wk = given("wk", {4, 4}, ValueRole::kWeight);
  const auto add = [&](const std::string& name, Op op, const std::vector<ValueId>& inputs,
                       const std::optional<Shape>& shape = {}) {
    EXPECT_TRUE(AddNode({name + "_node", op, {}, inputs, {{name, shape}}}, &graph));
    return graph.nodes.back().outputs.front();
  };
  const ValueId q = add("q", Op::kMatmul, {x, wq});
  const ValueId k = add("k", Op::kMatmul, {x, wk});
  const ValueId same = add("k_view", Op::kView, {k}, Shape{1, 4});
  const ValueId keys = add("keys", Op::kConcat, {cache, same}, Shape{8, 4});
  const ValueId turned = add("turned", Op::kTranspose, {keys}, Shape{4, 8});
  const ValueId scores = add("scores", Op::kMatmul, {q, turned});
  const ValueId shares = add("shares", Op::kSoftmax, {scores});
  graph.outputs = {add("y", Op::kMatmul, {shares, values})};
  return graph;
}

int BitsIn(const ElementBits& bits, const std::string& name) {
  const Graph graph = Attention();
  const auto widths = BitsOfValues(graph, bits);
  EXPECT_TRUE(widths);
  for (const ValueId v : Ids(graph.values)) {
    if (graph.values[v].name == name) return (*widths)[v];
  }
  return 0;
}

TEST(ElementBits, WhatIsNotSaidHasTheUsualWidth) {
  EXPECT_EQ(BitsIn({}, "x"), kUsualBits);
  EXPECT_EQ(BitsIn({{"weights", 4}}, "x"), kUsualBits);
  EXPECT_EQ(BitsIn({{"all", 8}}, "wq"), 8);
}

TEST(ElementBits, RolesAreTellingApart) {
  const ElementBits bits = {{"weights", 4}, {"inputs", 6}, {"activations", 12}, {"all", 32}};
  EXPECT_EQ(BitsIn(bits, "wq"), 4);
  EXPECT_EQ(BitsIn(bits, "x"), 6);
  EXPECT_EQ(BitsIn(bits, "q"), 12);
}

// The second operand of a product of two values that are no weights, and what it is copied from.
TEST(ElementBits, KeysAndValuesAreFoundThroughCopies) {
  const ElementBits bits = {{"kv", 8}, {"weights", 4}};
  for (const char* name : {"turned", "keys", "cache", "k", "k_view", "values"}) {
    EXPECT_EQ(BitsIn(bits, name), 8) << name;
  }
  for (const char* name : {"q", "x", "scores", "shares", "y"}) {
    EXPECT_EQ(BitsIn(bits, name), kUsualBits) << name;
  }
  EXPECT_EQ(BitsIn(bits, "wk"), 4);
}

TEST(ElementBits, ANameGoesBeforeAGroupWhateverTheOrder) {
  EXPECT_EQ(BitsIn({{"cache", 2}, {"kv", 8}, {"all", 32}}, "cache"), 2);
  EXPECT_EQ(BitsIn({{"all", 32}, {"kv", 8}, {"k_view", 3}}, "k"), 3);  // the words are k's
  EXPECT_EQ(BitsIn({{"inputs", 6}, {"kv", 8}}, "cache"), 8);
}

TEST(ElementBits, NamesOfNothingAreFaults) {
  const auto wrong = BitsOfValues(Attention(), {{"weight", 4}, {"cach", 8}, {"nonsense", 1}});
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().size(), 3U);
  EXPECT_EQ(wrong.error()[0].where, "bits.weight");
  EXPECT_EQ(wrong.error()[0].message, "nothing of the network is called 'weight'");
  EXPECT_EQ(wrong.error()[0].hint, "did you mean 'weights'?");
  EXPECT_EQ(wrong.error()[1].hint, "did you mean 'cache'?");
  EXPECT_EQ(wrong.error()[2].hint, "name all, inputs, weights, activations, kv, or a tensor");
}

TEST(ElementBits, TextsNameWhatDiffers) {
  EXPECT_EQ(BitsText({}), "16 bits");
  EXPECT_EQ(BitsText({{"weights", 4}, {"all", 8}, {"kv", 6}}), "8 bits, weights 4, kv 6");
}

}  // namespace
}  // namespace inlay
