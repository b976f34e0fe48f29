#include "inlay/core/networks/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "inlay/core/network_totals.h"
#include "inlay/core/problem.h"

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Decoder Llama3() {
  Decoder decoder;
  decoder.width = 4096;
  decoder.heads = 32;
  decoder.kv_heads = 8;
  decoder.feed_forward = 14336;
  decoder.layers = 32;
  decoder.vocabulary = 128256;
  return decoder;
}

Decoder Qwen2() {
  Decoder decoder;
  decoder.width = 1536;
  decoder.heads = 12;
  decoder.kv_heads = 2;
  decoder.feed_forward = 8960;
  decoder.layers = 28;
  decoder.vocabulary = 151936;
  decoder.tied = decoder.qkv_bias = true;
  return decoder;
}

Graph Make(const Decoder& decoder) {
  const auto graph = GraphOf(decoder);
  EXPECT_TRUE(graph.has_value()) << graph.error().front().message;
  EXPECT_TRUE(Validate(*graph).empty()) << Validate(*graph).front().message;
  return *graph;
}

// By hand, with every size of the model as a number: multiplications of the weights of a block for
// one token, and of its attention for one pair of tokens.
struct ByHand {
  int64_t block_weights, pair, layers, logits;
  int64_t Macs(int64_t batch, int64_t tokens, int64_t context, int64_t logits_of) const {
    return batch * (layers * (tokens * block_weights + tokens * (context + tokens) * pair) +
                    logits_of * logits);
  }
};
constexpr ByHand kLlama3 = {4096 * 4096 + 2 * 4096 * 1024 + 4096 * 4096 + 3 * 4096 * 14336,
                            2 * 32 * 128, 32, int64_t{128256} * 4096};
constexpr ByHand kQwen2 = {1536 * 1536 + 2 * 1536 * 256 + 1536 * 1536 + 3 * 1536 * 8960,
                           2 * 12 * 128, 28, int64_t{151936} * 1536};

int64_t Macs(const Decoder& decoder) { return TotalsOf(Make(decoder), 16)->operations; }
int64_t WeightWords(const Decoder& decoder) { return TotalsOf(Make(decoder), 8)->weight_bytes; }

TEST(Decoder, HasTheParametersThatArePublished) {
  EXPECT_EQ(WeightWords(Llama3()), 8'030'261'248);
  EXPECT_EQ(WeightWords(Qwen2()), 1'543'714'304);
  // Of blocks, with two norms and the biases of 1536 + 2 * 256 words.
  EXPECT_EQ(WeightWords(Llama3()),
            32 * (kLlama3.block_weights + 2 * 4096) + 4096 + 2 * kLlama3.logits);
  EXPECT_EQ(WeightWords(Qwen2()),
            28 * (kQwen2.block_weights + 2 * 1536 + 2048) + 1536 + kQwen2.logits);
  Decoder decode = Llama3();
  decode.phase = DecoderPhase::kDecode;
  EXPECT_EQ(WeightWords(decode), 8'030'261'248);
}

TEST(Decoder, MultipliesAsCountedByHand) {
  for (const auto& [model, hand] : {std::pair(Llama3(), kLlama3), std::pair(Qwen2(), kQwen2)}) {
    EXPECT_EQ(Macs(model), hand.Macs(1, 2048, 0, 1));
    Decoder decoder = model;
    decoder.batch = 3;
    decoder.tokens = 512;
    decoder.context = 100;
    EXPECT_EQ(Macs(decoder), hand.Macs(3, 512, 100, 1));
    decoder = model;
    decoder.phase = DecoderPhase::kDecode;
    EXPECT_EQ(Macs(decoder), hand.Macs(1, 1, 2048, 1));
    decoder.batch = 16;
    decoder.context = 4096;
    EXPECT_EQ(Macs(decoder), hand.Macs(16, 1, 4096, 1));
    decoder.tokens = 4;
    EXPECT_EQ(Macs(decoder), hand.Macs(16, 4, 4096, 4));
  }
}

const GraphNode& NodeOf(const Graph& graph, const std::string& name) {
  return *std::find_if(graph.nodes.begin(), graph.nodes.end(),
                       [&](const GraphNode& node) { return node.name == name; });
}

std::vector<int64_t> BoundsOf(const GraphNode& node) {
  std::vector<int64_t> bounds;
  for (const Dimension& dim : node.works.front().problem.dims) bounds.push_back(dim.bound);
  return bounds;
}

TEST(Decoder, HeadsOfOneGroupShareTheirKeysWithoutCopies) {
  Decoder decoder = Llama3();
  decoder.layers = 1;
  decoder.vocabulary.reset();
  decoder.phase = DecoderPhase::kDecode;
  decoder.batch = 5;
  decoder.context = 99;
  const Graph graph = Make(decoder);
  const GraphNode& scores = NodeOf(graph, "scores");
  EXPECT_EQ(WordsOf(graph, scores.inputs[1]), 5 * 8 * 100 * 128);
  EXPECT_THAT(BoundsOf(scores), ElementsAre(5 * 8, 4, 100, 128));  // G, P, K, C
  EXPECT_EQ(scores.works.front().kind, "matmul");
  const GraphNode& context = NodeOf(graph, "context");
  EXPECT_EQ(WordsOf(graph, context.inputs[1]), 5 * 8 * 100 * 128);
  EXPECT_THAT(BoundsOf(NodeOf(graph, "query")), ElementsAre(5, 4096, 4096));  // P, K, C
  EXPECT_THAT(BoundsOf(NodeOf(graph, "output")), ElementsAre(5, 4096, 4096));
  const ValueId keys = scores.inputs[1];
  EXPECT_EQ(NodeOf(graph, "keys").op, Op::kConcat);
  EXPECT_EQ(NodeOf(graph, "keys").outputs.front(), keys);
  EXPECT_THAT(graph.outputs, ElementsAre(NodeOf(graph, "feed_forward_add").outputs.front(), keys,
                                         context.inputs[1]));
}

TEST(Decoder, KeysAndValuesAreFoundByTheirRole) {
  Decoder decoder = Llama3();
  decoder.layers = 2;
  decoder.phase = DecoderPhase::kDecode;
  const Graph graph = Make(decoder);
  const ValueBits bits = *BitsOfValues(graph, {{"all", 16}, {"kv", 8}});
  for (const ValueId v : Ids(graph.values)) {
    const std::string& name = graph.values[v].name;
    if (name.ends_with("_cache") || name.ends_with(".keys")) {
      EXPECT_EQ(bits[v], 8) << name;
    }
    if (name.ends_with(".query_rotary") || name.ends_with(".weight")) {
      EXPECT_EQ(bits[v], 16) << name;
    }
  }
}

TEST(Decoder, OnlyTheLastTokenOfAPromptHasLogits) {
  const auto logits = [](Decoder decoder) {
    const Graph graph = Make(decoder);
    return graph.values[graph.outputs.front()].shape;
  };
  Decoder decoder = Qwen2();
  decoder.layers = 1;
  decoder.batch = 2;
  EXPECT_EQ(logits(decoder), (Shape{2, 1, 151936}));
  decoder.phase = DecoderPhase::kDecode;
  decoder.tokens = 3;
  EXPECT_EQ(logits(decoder), (Shape{2, 3, 151936}));
}

std::string FaultOf(const Decoder& decoder) {
  const auto graph = GraphOf(decoder);
  if (!graph) return graph.error().front().where + ": " + graph.error().front().message;
  const Faults faults = Validate(*graph);
  return faults.empty() ? "" : faults.front().where + ": " + faults.front().message;
}

TEST(Decoder, RefusesWhatCannotBe) {
  Decoder decoder = Llama3();
  decoder.kv_heads = 5;
  EXPECT_EQ(FaultOf(decoder), "kv_heads: 32 heads cannot share 5 heads of keys and values evenly");
  decoder = Llama3();
  decoder.heads = 24;
  EXPECT_EQ(FaultOf(decoder), "heads: 24 heads do not divide the width 4096");
  decoder.head_dim = 65;
  EXPECT_EQ(FaultOf(decoder), "head_dim: a head is 65 wide, which is odd");
  decoder.head_dim = 64;
  EXPECT_EQ(FaultOf(decoder), "");
  decoder.vocabulary.reset();
  decoder.tied = true;
  EXPECT_EQ(FaultOf(decoder), "tied: without 'vocabulary' there is no embedding to share");
}

TEST(Decoder, SizesThatDoNotFitAreFaults) {
  Decoder decoder = Llama3();
  decoder.context = INT64_MAX;
  EXPECT_THAT(FaultOf(decoder), HasSubstr("context: "));
  decoder = Llama3();
  decoder.layers = 1;
  decoder.tokens = int64_t{1} << 40;
  EXPECT_THAT(FaultOf(decoder), HasSubstr("more words than 64 bits can count"));
  decoder.tokens = int64_t{1} << 28;  // words fit, operations do not
  EXPECT_NE(FaultOf(decoder), "");
  decoder = Llama3();
  decoder.vocabulary = INT64_MAX;
  EXPECT_NE(FaultOf(decoder), "");
}

}  // namespace
}  // namespace inlay
