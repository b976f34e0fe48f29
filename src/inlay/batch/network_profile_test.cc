#include "inlay/batch/network_profile.h"

#include <gtest/gtest.h>

#include <string>

#include "inlay/core/network_totals.h"
#include "inlay/io/load.h"

namespace inlay::batch {
namespace {

// Values in order, then nodes by hand.
struct Builder {
  Graph graph;
  ValueId Value(const std::string& name, Shape shape, ValueRole role) {
    graph.values.push_back({name, std::move(shape), role, {}});
    return ValueId(graph.values.size() - 1);
  }
  ValueId Node(const std::string& name, Op op, std::vector<ValueId> inputs,
               std::optional<Shape> shape = {}) {
    NodeSpec spec{name, op, {}, std::move(inputs), {{name, std::move(shape)}}};
    EXPECT_TRUE(AddNode(std::move(spec), &graph));
    return ValueId(graph.values.size() - 1);
  }
};

NetworkProfile Profile(const Graph& graph) {
  const auto profile = ProfileOf(graph, 8);
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return profile.value_or(NetworkProfile{});
}

TEST(ProfileTest, ResidualKeepsTheShortcut) {
  Builder b;
  const ValueId x = b.Value("x", {4, 16}, ValueRole::kInput);
  const ValueId w0 = b.Value("w0", {16, 8}, ValueRole::kWeight);
  const ValueId w1 = b.Value("w1", {8, 8}, ValueRole::kWeight);
  const ValueId scale = b.Value("scale", {8}, ValueRole::kWeight);
  const ValueId y0 = b.Node("first", Op::kGemm, {x, w0});
  const ValueId r0 = b.Node("relu", Op::kElementwise, {y0});
  const ValueId y1 = b.Node("second", Op::kGemm, {r0, w1});
  const ValueId n1 = b.Node("norm", Op::kNorm, {y1, scale});
  const ValueId y2 = b.Node("third", Op::kGemm, {n1, w1});
  const ValueId sum = b.Node("sum", Op::kElementwise, {y2, r0});
  b.graph.outputs = {sum};
  const NetworkProfile profile = Profile(b.graph);
  ASSERT_EQ(profile.layers.size(), 3U);
  const LayerProfile &first = profile.layers[0], &second = profile.layers[1],
                     &third = profile.layers[2];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.live_bytes, 64);    // the input
  EXPECT_EQ(first.output_bytes, 32);  // what relu writes; what it reads stays on the way
  EXPECT_EQ(first.weight_bytes, 128);
  EXPECT_EQ(second.live_bytes, 32);
  EXPECT_EQ(second.output_bytes, 32);
  EXPECT_EQ(second.weight_bytes, 64 + 8);  // the scale too
  EXPECT_EQ(third.live_bytes, 64);         // the shortcut stays
  EXPECT_EQ(third.output_bytes, 0);
  EXPECT_EQ(third.stream_bytes, 32);  // leaves for the user
  EXPECT_EQ(third.weight_bytes, 64);
  EXPECT_EQ(profile.operations, 4 * 8 * 16 + 2 * 4 * 8 * 8);
  EXPECT_EQ(first.products, std::vector<Product>({Product{1, 4, 8, 16, 1, true}}));
}

TEST(ProfileTest, BranchesAndEarlyOutputs) {
  Builder b;
  const ValueId x = b.Value("x", {2, 4}, ValueRole::kInput);
  const ValueId w = b.Value("w", {4, 4}, ValueRole::kWeight);
  const ValueId left = b.Node("left", Op::kGemm, {x, w});
  const ValueId right = b.Node("right", Op::kGemm, {x, w});
  const ValueId last = b.Node("last", Op::kGemm, {right, w});
  b.graph.outputs = {left, last};
  const NetworkProfile profile = Profile(b.graph);
  EXPECT_EQ(profile.layers[0].live_bytes, 8);
  EXPECT_EQ(profile.layers[0].stream_bytes, 8);  // `left` leaves at once
  EXPECT_EQ(profile.layers[0].output_bytes, 0);
  EXPECT_EQ(profile.layers[1].live_bytes, 8);  // the input again
  EXPECT_EQ(profile.layers[1].output_bytes, 8);
  EXPECT_EQ(profile.layers[2].live_bytes, 8);
  EXPECT_EQ(profile.layers[2].stream_bytes, 8);
}

TEST(ProfileTest, WhatGrowsIsMadeWhereItIsRead) {
  Builder b;
  const ValueId x = b.Value("x", {4, 8}, ValueRole::kInput);
  const ValueId w = b.Value("w", {8, 8}, ValueRole::kWeight);
  const ValueId v = b.Value("v", {8}, ValueRole::kWeight);
  const ValueId query = b.Node("query", Op::kGemm, {x, w});
  const ValueId key = b.Node("key", Op::kGemm, {x, w});
  const ValueId rows = b.Node("rows", Op::kView, {query}, Shape{4, 1, 8});
  const ValueId columns = b.Node("columns", Op::kView, {key}, Shape{1, 4, 8});
  const ValueId sum = b.Node("sum", Op::kElementwise, {rows, columns});  // [4, 4, 8]
  const ValueId tanh = b.Node("tanh", Op::kElementwise, {sum});
  b.graph.outputs = {b.Node("score", Op::kMatmul, {tanh, v})};
  const NetworkProfile profile = Profile(b.graph);
  ASSERT_EQ(profile.layers.size(), 3U);
  EXPECT_EQ(profile.layers[1].output_bytes, 32);     // the key, not the sum of 128
  EXPECT_EQ(profile.layers[2].live_bytes, 32 + 32);  // query and key
}

TEST(ProfileTest, AttentionSharesNoWeightsAndWeightsOnTheLeftDo) {
  Builder b;
  const ValueId x = b.Value("x", {2, 3, 5}, ValueRole::kInput);
  const ValueId y = b.Value("y", {2, 5, 7}, ValueRole::kInput);
  const ValueId z = b.Value("z", {5, 7}, ValueRole::kInput);
  const ValueId w = b.Value("w", {11, 5}, ValueRole::kWeight);
  const ValueId scores = b.Node("scores", Op::kMatmul, {x, y});
  const ValueId left = b.Node("left", Op::kMatmul, {w, z});
  b.graph.outputs = {scores, left};
  const NetworkProfile profile = Profile(b.graph);
  EXPECT_EQ(profile.layers[0].products.front(), (Product{2, 3, 7, 5, 1, false}));
  EXPECT_EQ(profile.layers[0].weight_bytes, 0);
  EXPECT_EQ(profile.layers[1].products.front(), (Product{1, 7, 11, 5, 1, true}));
  EXPECT_EQ(profile.layers[1].weight_bytes, 55);
}

TEST(ProfileTest, RowsOfAnEmbeddingAreFetchedPerInference) {
  Builder b;
  const ValueId ids = b.Value("ids", {3}, ValueRole::kInput);
  const ValueId table = b.Value("table", {1000, 8}, ValueRole::kWeight);
  const ValueId w = b.Value("w", {8, 8}, ValueRole::kWeight);
  const ValueId rows = b.Node("rows", Op::kGather, {table, ids}, Shape{3, 8});
  const ValueId y = b.Node("y", Op::kGemm, {rows, w});
  b.graph.outputs = {y};
  const NetworkProfile profile = Profile(b.graph);
  ASSERT_EQ(profile.layers.size(), 1U);
  EXPECT_EQ(profile.layers[0].stream_bytes, 24 + 24);  // in, and the result out
  EXPECT_EQ(profile.layers[0].weight_bytes, 64);
  EXPECT_EQ(profile.layers[0].live_bytes, 3);
  EXPECT_EQ(profile.layers[0].output_bytes, 0);
}

TEST(ProfileTest, NothingComputes) {
  Builder b;
  const ValueId x = b.Value("x", {4}, ValueRole::kInput);
  b.graph.outputs = {b.Node("relu", Op::kElementwise, {x})};
  EXPECT_FALSE(ProfileOf(b.graph, 8));
}

Accelerator Array(Dataflow dataflow) {
  Accelerator accelerator;
  accelerator.arrays = 2;
  accelerator.array = {4, 8, dataflow};
  return accelerator;
}

TEST(WorkTest, FoldsGrowWithInferencesByDataflow) {
  const Product product{1, 6, 20, 10, 3, true};
  // os: ⌈2·6/4⌉ × ⌈20/8⌉ = 9 folds on 2 arrays, 3 times.
  const FoldSteps os = FoldStepsOf(product, Array(Dataflow::kOutputStationary), 2);
  EXPECT_EQ(os.steps, 15);
  EXPECT_EQ(os.cycles_per_step, 10 + 4 + 8 - 2);
  // ws: ⌈10/4⌉ × ⌈20/8⌉ = 9 folds.
  const FoldSteps ws = FoldStepsOf(product, Array(Dataflow::kWeightStationary), 2);
  EXPECT_EQ(ws.steps, 15);
  EXPECT_EQ(ws.cycles_per_step, 12 + 8 + 8 - 2);
  // is: ⌈10/4⌉ × ⌈12/8⌉ = 6 folds.
  const FoldSteps is = FoldStepsOf(product, Array(Dataflow::kInputStationary), 2);
  EXPECT_EQ(is.steps, 9);
  EXPECT_EQ(is.cycles_per_step, 20 + 8 + 8 - 2);
  // Without shared weights: 2·1 groups of ⌈6/4⌉ × 3 folds.
  const FoldSteps own =
      FoldStepsOf({1, 6, 20, 10, 1, false}, Array(Dataflow::kOutputStationary), 2);
  EXPECT_EQ(own.steps, 6);
}

TEST(WorkTest, HugeBatchesSaturate) {
  LayerProfile layer;
  layer.products = {{1, 1 << 30, 1 << 30, 1 << 30, 1 << 30, true}};
  EXPECT_EQ(CyclesOf(layer, Array(Dataflow::kOutputStationary), int64_t{1} << 40),
            std::numeric_limits<int64_t>::max());
}

// What is fetched and computed agrees with what `inlay show` says of the network.
TEST(ProfileTest, BuiltInsAddUp) {
  for (const char* name : {"resnet50", "mobilenetv2", "bert-base", "gnmt", "vgg16"}) {
    io::LoadRecord record;
    const auto graph = io::LoadGraph(name, &record);
    ASSERT_TRUE(graph) << name;
    const NetworkProfile profile = Profile(*graph);
    const auto totals = TotalsOf(*graph, 8);
    ASSERT_TRUE(totals);
    EXPECT_EQ(profile.operations, totals->operations) << name;
    EXPECT_EQ(profile.layers.size(), static_cast<size_t>(totals->compute_nodes)) << name;
    int64_t weights = 0, streamed = 0;
    for (const LayerProfile& layer : profile.layers) {
      weights += layer.weight_bytes;
      streamed += layer.stream_bytes;
      EXPECT_GT(CyclesOf(layer, Accelerator{}, 1), 0) << name << " " << layer.name;
    }
    EXPECT_GT(streamed, 0) << name;
    const bool embeds = std::string(name) == "bert-base" || std::string(name) == "gnmt";
    if (embeds) {
      EXPECT_LT(weights + streamed, totals->weight_bytes) << name;
    } else {
      EXPECT_EQ(weights, totals->weight_bytes) << name;
    }
    for (size_t l = 0; l + 1 < profile.layers.size(); ++l) {
      EXPECT_LE(profile.layers[l + 1].live_bytes,
                profile.layers[l].live_bytes + profile.layers[l].output_bytes)
          << name << " " << profile.layers[l].name;
    }
  }
}

}  // namespace
}  // namespace inlay::batch
