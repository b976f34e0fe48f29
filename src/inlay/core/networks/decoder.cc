#include "inlay/core/networks/decoder.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"

namespace inlay {
namespace {

constexpr int64_t kMostLayers = 1000;
constexpr int64_t kUsualTokens = 2048;

// All sizes, none of them left to a default.
struct Sizes {
  int64_t batch, tokens, context, rows;  // rows: of keys and values, old and new
  int64_t width, groups, group_heads, head, feed_forward;
};

tl::expected<Sizes, Faults> SizesOf(const Decoder& decoder) {
  const bool decode = decoder.phase == DecoderPhase::kDecode;
  Sizes s{.batch = decoder.batch,
          .tokens = decoder.tokens.value_or(decode ? 1 : kUsualTokens),
          .context = decoder.context.value_or(decode ? kUsualTokens : 0),
          .rows = 0,
          .width = decoder.width,
          .groups = decoder.kv_heads.value_or(decoder.heads),
          .group_heads = 1,
          .head = decoder.head_dim.value_or(decoder.width / decoder.heads),
          .feed_forward = decoder.feed_forward};
  Faults faults;
  if (decoder.heads % s.groups != 0) {
    faults.push_back({"kv_heads",
                      fmt::format("{} heads cannot share {} heads of keys and values evenly",
                                  decoder.heads, s.groups),
                      "every head of keys and values serves as many heads as the others: give a "
                      "divisor of 'heads'"});
  }
  if (!decoder.head_dim && decoder.width % decoder.heads != 0) {
    faults.push_back(
        {"heads", fmt::format("{} heads do not divide the width {}", decoder.heads, decoder.width),
         "give 'head_dim' where a head is not width / heads wide"});
  } else if (s.head % 2 != 0) {
    faults.push_back({decoder.head_dim ? "head_dim" : "heads",
                      fmt::format("a head is {} wide, which is odd", s.head),
                      "the rotary embedding turns pairs of features"});
  }
  if (decoder.tied && !decoder.vocabulary) {
    faults.push_back({"tied", "without 'vocabulary' there is no embedding to share",
                      "give 'vocabulary', or leave 'tied' out"});
  }
  const auto rows = CheckedAdd(s.context, s.tokens);
  if (!rows) {
    faults.push_back({decoder.context ? "context" : "tokens",
                      "context and tokens together are more than 64 bits can count", ""});
  }
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  s.rows = *rows;
  s.group_heads = decoder.heads / s.groups;
  return s;
}

class DecoderBuilder {
 public:
  DecoderBuilder(const Decoder& decoder, const Sizes& sizes) : decoder_(decoder), s_(sizes) {}

  tl::expected<Graph, Faults> Build() && {
    const size_t layers = static_cast<size_t>(decoder_.layers);
    blocks_.resize(layers);
    AddInputs();
    AddWeights();
    ValueId x = first_;
    if (decoder_.vocabulary) {
      x = Node("embedding", Op::kGather, {embedding_, first_}, {},
               Shape{s_.batch, s_.tokens, s_.width});
    }
    for (const Block& block : blocks_) x = AddBlock(block, x);
    if (decoder_.vocabulary) x = AddHead(x);
    graph_.outputs.insert(graph_.outputs.begin(), x);
    if (fault_) return tl::unexpected(Faults{*fault_});
    return std::move(graph_);
  }

 private:
  // What a block is given from outside. None: it has no such thing.
  struct Block {
    std::string prefix;  // of its names
    std::optional<ValueId> key_cache, value_cache;
    ValueId attention_norm, query, key, value, output;
    std::optional<ValueId> query_bias, key_bias, value_bias;
    ValueId feed_forward_norm, gate, up, down;
  };

  ValueId Given(std::string name, Shape shape, ValueRole role) {
    graph_.values.push_back({std::move(name), std::move(shape), role, {}});
    return ValueId(graph_.values.size() - 1);
  }

  void AddInputs() {
    const auto input = [this](std::string name, Shape shape) {
      return Given(std::move(name), std::move(shape), ValueRole::kInput);
    };
    first_ = decoder_.vocabulary ? input("tokens", {s_.batch, s_.tokens})
                                 : input("x", {s_.batch, s_.tokens, s_.width});
    rotary_ = input("rotary", {s_.tokens, s_.head});
    for (size_t i = 0; i < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      if (blocks_.size() > 1) block.prefix = fmt::format("layers.{}.", i);
      if (s_.context == 0) continue;
      const Shape cache = {s_.batch, s_.groups, s_.context, s_.head};
      block.key_cache = input(block.prefix + "key_cache", cache);
      block.value_cache = input(block.prefix + "value_cache", cache);
    }
  }

  void AddWeights() {
    const auto weight = [this](const std::string& name, Shape shape) {
      return Given(name + ".weight", std::move(shape), ValueRole::kWeight);
    };
    if (decoder_.vocabulary) embedding_ = weight("embedding", {*decoder_.vocabulary, s_.width});
    for (Block& block : blocks_) {
      const std::string& p = block.prefix;
      block.attention_norm = weight(p + "attention_norm", {s_.width});
      block.query = weight(p + "query", {s_.width, s_.groups, s_.group_heads, s_.head});
      block.key = weight(p + "key", {s_.width, s_.groups, s_.head});
      block.value = weight(p + "value", {s_.width, s_.groups, s_.head});
      if (decoder_.qkv_bias) {
        block.query_bias = weight(p + "query_bias", {s_.groups, s_.group_heads, 1, s_.head});
        block.key_bias = weight(p + "key_bias", {s_.groups, 1, s_.head});
        block.value_bias = weight(p + "value_bias", {s_.groups, 1, s_.head});
      }
      block.output = weight(p + "output", {s_.groups, s_.group_heads, s_.head, s_.width});
      block.feed_forward_norm = weight(p + "feed_forward_norm", {s_.width});
      block.gate = weight(p + "gate", {s_.width, s_.feed_forward});
      block.up = weight(p + "up", {s_.width, s_.feed_forward});
      block.down = weight(p + "down", {s_.feed_forward, s_.width});
    }
    if (!decoder_.vocabulary) return;
    norm_ = weight("norm", {s_.width});
    head_ = decoder_.tied ? embedding_ : weight("logits", {*decoder_.vocabulary, s_.width});
  }

  // The output of the new node, which has its name. After a fault nothing is added any more.
  ValueId Node(const std::string& name, Op op, std::vector<ValueId> inputs,
               OpAttributes attributes = {}, std::optional<Shape> shape = std::nullopt) {
    if (fault_) return ValueId(0);
    const auto added = AddNode(
        {name, op, std::move(attributes), std::move(inputs), {{name, std::move(shape)}}}, &graph_);
    if (!added) {
      fault_ = Fault{"", fmt::format("node '{}': {}", name, added.error().message),
                     "make the sizes of the decoder smaller"};
      return ValueId(0);
    }
    return graph_.nodes[NodeId(graph_.nodes.size() - 1)].outputs.front();
  }
  ValueId Computed(const std::string& name, Op op, NodeFunction function,
                   std::vector<ValueId> inputs) {
    OpAttributes attributes;
    attributes.function = function;
    return Node(name, op, std::move(inputs), std::move(attributes));
  }
  ValueId Elements(const std::string& name, NodeFunction function, std::vector<ValueId> inputs) {
    return Computed(name, Op::kElementwise, function, std::move(inputs));
  }
  // Pairs of features, turned by the cosine and sine of their place: no function that has a name.
  ValueId Rotated(const std::string& name, ValueId x) {
    return Elements(name, NodeFunction::kAny, {x, rotary_});
  }
  ValueId Norm(const std::string& name, ValueId x, ValueId weight) {
    return Computed(name, Op::kNorm, NodeFunction::kRms, {x, weight});
  }
  // By letters: b batch, t new tokens, s all tokens, w width, g heads of keys, r heads that share
  // one of these, d features of a head, v words of the vocabulary.
  ValueId Product(const std::string& name, const char* equation, ValueId a, ValueId b) {
    OpAttributes attributes;
    attributes.equation = equation;
    return Node(name, Op::kEinsum, {a, b}, std::move(attributes));
  }
  ValueId Biased(const std::string& name, ValueId x, const std::optional<ValueId>& bias) {
    return bias ? Elements(name, NodeFunction::kAdd, {x, *bias}) : x;
  }

  // Behind those that are there, if any; the result is of use to the next run.
  ValueId Kept(const std::string& name, const std::optional<ValueId>& cache, ValueId fresh) {
    if (cache) {
      fresh = Node(name, Op::kConcat, {*cache, fresh}, {},
                   Shape{s_.batch, s_.groups, s_.rows, s_.head});
    }
    graph_.outputs.push_back(fresh);
    return fresh;
  }

  // Queries are made last: what attention reads of them can then stay on chip, even where keys and
  // values cannot.
  ValueId AddBlock(const Block& block, ValueId x) {
    const std::string& p = block.prefix;
    const ValueId a = Norm(p + "attention_norm", x, block.attention_norm);
    ValueId key = Product(p + "key", "btw,wgd->bgtd", a, block.key);
    key = Biased(p + "key_bias", key, block.key_bias);
    key = Rotated(p + "key_rotary", key);
    const ValueId keys = Kept(p + "keys", block.key_cache, key);
    ValueId value = Product(p + "value", "btw,wgd->bgtd", a, block.value);
    value = Biased(p + "value_bias", value, block.value_bias);
    const ValueId values = Kept(p + "values", block.value_cache, value);
    ValueId query = Product(p + "query", "btw,wgrd->bgrtd", a, block.query);
    query = Biased(p + "query_bias", query, block.query_bias);
    query = Rotated(p + "query_rotary", query);
    const ValueId scores = Product(p + "scores", "bgrtd,bgsd->bgrts", query, keys);
    const ValueId softmax = Node(p + "softmax", Op::kSoftmax, {scores});
    const ValueId context = Product(p + "context", "bgrts,bgsd->bgrtd", softmax, values);
    const ValueId output = Product(p + "output", "bgrtd,grdw->btw", context, block.output);
    x = Elements(p + "attention_add", NodeFunction::kAdd, {x, output});
    const ValueId f = Norm(p + "feed_forward_norm", x, block.feed_forward_norm);
    const ValueId gate = Node(p + "gate", Op::kMatmul, {f, block.gate});
    const ValueId silu = Elements(p + "silu", NodeFunction::kSilu, {gate});
    const ValueId up = Node(p + "up", Op::kMatmul, {f, block.up});
    const ValueId gated = Elements(p + "gated", NodeFunction::kMul, {silu, up});
    const ValueId down = Node(p + "down", Op::kMatmul, {gated, block.down});
    return Elements(p + "feed_forward_add", NodeFunction::kAdd, {x, down});
  }

  // Of a prompt, the last token of each sequence alone says what follows.
  ValueId AddHead(ValueId x) {
    if (decoder_.phase == DecoderPhase::kPrefill && s_.tokens > 1) {
      x = Node("last_token", Op::kSlice, {x}, {}, Shape{s_.batch, 1, s_.width});
    }
    return Product("logits", "btw,vw->btv", Norm("norm", x, norm_), head_);
  }

  const Decoder& decoder_;
  const Sizes& s_;
  Graph graph_;
  std::vector<Block> blocks_;
  ValueId first_, rotary_, embedding_, norm_, head_;
  std::optional<Fault> fault_;
};

}  // namespace

const Structure& StructureOf(const Decoder*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Decoder::width>("width", "features of a token between the blocks", {.required = true}),
      KeyOf<&Decoder::heads>("heads", "heads of attention", {.required = true}),
      KeyOf<&Decoder::kv_heads>(
          "kv_heads",
          "heads of keys and values, each for heads / kv_heads of them (default heads)"),
      KeyOf<&Decoder::head_dim>("head_dim", "features of a head (default width / heads)"),
      KeyOf<&Decoder::feed_forward>("feed_forward", "features inside the feed-forward",
                                    {.required = true}),
      KeyOf<&Decoder::layers>("layers", "how many blocks (default {})", {.maximum = kMostLayers}),
      KeyOf<&Decoder::vocabulary>(
          "vocabulary",
          "words that tokens are of; without it, the blocks alone: no embedding, no "
          "final norm and no logits"),
      KeyOf<&Decoder::tied>("tied",
                            "whether the logits take the weights of the embedding "
                            "(default {})"),
      KeyOf<&Decoder::qkv_bias>("qkv_bias",
                                "whether queries, keys and values have a bias (default {})"),
      KeyOf<&Decoder::phase>(
          "phase",
          "prefill: a prompt, logits of its last token; decode: the step after, logits of "
          "every new token (default {})"),
      KeyOf<&Decoder::tokens>("tokens", "new tokens of each sequence (default 2048, in decode 1)"),
      KeyOf<&Decoder::context>(
          "context",
          "tokens before these, whose keys and values are in the cache (default 0, in decode 2048)",
          {.minimum = 0}),
      KeyOf<&Decoder::batch>("batch", "sequences at a time (default {})"),
  });
  return DescribeKeys<Decoder, kKeys>("a decoder");
}

tl::expected<Graph, Faults> GraphOf(const Decoder& decoder) {
  const auto sizes = SizesOf(decoder);
  if (!sizes) return tl::unexpected(sizes.error());
  return DecoderBuilder(decoder, *sizes).Build();
}

}  // namespace inlay
