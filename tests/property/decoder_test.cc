// What the graph of a decoder computes, with numbers: its nodes done one after the other as their
// operators and equations say, against what models do that are equal by definition.
#include "inlay/core/networks/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "inlay/base/rng.h"
#include "inlay/core/graph.h"

namespace inlay {
namespace {

struct Array {
  Shape shape;
  std::vector<double> words;
};

int64_t Size(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

// Calls with every place of a shape, the last extent changing fastest.
template <typename Use>
void ForEach(const Shape& shape, const Use& use) {
  Shape at(shape.size(), 0);
  for (int64_t i = 0; i < Size(shape); ++i) {
    use(at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

// Missing places in front and extents of 1 are stretched.
double At(const Array& array, const Shape& at) {
  int64_t place = 0;
  const size_t skip = at.size() - array.shape.size();
  for (size_t d = 0; d < array.shape.size(); ++d) {
    place = place * array.shape[d] + (array.shape[d] == 1 ? 0 : at[skip + d]);
  }
  return array.words[static_cast<size_t>(place)];
}

Array Einsum(const std::string& equation, const Array& a, const Array& b, const Shape& out) {
  const size_t comma = equation.find(','), arrow = equation.find("->");
  const std::string left = equation.substr(0, comma);
  const std::string right = equation.substr(comma + 1, arrow - comma - 1);
  const std::string result = equation.substr(arrow + 2);
  std::map<char, int64_t> extents;
  for (size_t i = 0; i < left.size(); ++i) extents[left[i]] = a.shape[i];
  for (size_t i = 0; i < right.size(); ++i) extents[right[i]] = b.shape[i];
  std::string letters;
  Shape whole;
  for (const auto& [letter, extent] : extents) {
    letters += letter;
    whole.push_back(extent);
  }
  Array sum{out, std::vector<double>(static_cast<size_t>(Size(out)), 0)};
  ForEach(whole, [&](const Shape& at) {
    const auto of = [&](const std::string& term) {
      Shape place;
      for (const char c : term) place.push_back(at[letters.find(c)]);
      return place;
    };
    int64_t to = 0;
    const Shape place = of(result);
    for (size_t d = 0; d < place.size(); ++d) to = to * out[d] + place[d];
    sum.words[static_cast<size_t>(to)] += At(a, of(left)) * At(b, of(right));
  });
  return sum;
}

// Row by row, along the last dimension.
template <typename Change>
Array ByRows(Array x, const Change& change) {
  const auto length = x.shape.back();
  for (auto row = x.words.begin(); row != x.words.end(); row += length) change(row, row + length);
  return x;
}

Array Concat(const Array& a, const Array& b, const Shape& out) {
  Array all{out, {}};
  ForEach(out, [&](Shape at) {
    const bool first = at[2] < a.shape[2];
    if (!first) at[2] -= a.shape[2];
    all.words.push_back(At(first ? a : b, at));
  });
  return all;
}

double Function(NodeFunction function, double x, double y) {
  switch (function) {
    case NodeFunction::kAdd:
      return x + y;
    case NodeFunction::kMul:
      return x * y;
    case NodeFunction::kSilu:
      return x / (1 + std::exp(-x));
    default:
      return x * y;  // the rotary embedding: some function of a feature and its place
  }
}

Array Computed(const GraphNode& node, const std::vector<Array>& in, const Shape& out) {
  switch (node.op) {
    case Op::kEinsum:
      return Einsum(node.attributes.equation, in[0], in[1], out);
    case Op::kMatmul:
      return Einsum("btw,wf->btf", in[0], in[1], out);
    case Op::kConcat:
      return Concat(in[0], in[1], out);
    case Op::kSoftmax:
      return ByRows(in[0], [](auto begin, auto end) {
        double sum = 0;
        for (auto x = begin; x != end; ++x) sum += * x = std::exp(*x);
        for (auto x = begin; x != end; ++x) *x /= sum;
      });
    case Op::kNorm:
      return ByRows(in[0], [&](auto begin, auto end) {
        double squares = 0;
        for (auto x = begin; x != end; ++x) squares += *x * *x;
        const double root = std::sqrt(squares / static_cast<double>(end - begin));
        for (auto x = begin; x != end; ++x) {
          *x = *x / root * in[1].words[static_cast<size_t>(x - begin)];
        }
      });
    default: {
      EXPECT_EQ(node.op, Op::kElementwise) << node.name;
      Array made{out, {}};
      ForEach(out, [&](const Shape& at) {
        made.words.push_back(
            Function(node.attributes.function, At(in[0], at), in.size() > 1 ? At(in[1], at) : 0));
      });
      return made;
    }
  }
}

using Arrays = std::map<std::string, Array>;

// All tensors by name, from those that are given.
Arrays RunGraph(const Graph& graph, Arrays all) {
  for (const GraphNode& node : graph.nodes) {
    std::vector<Array> in;
    for (const ValueId v : node.inputs) in.push_back(all.at(graph.values[v].name));
    const Value& out = graph.values[node.outputs.front()];
    all[out.name] = Computed(node, in, out.shape);
  }
  return all;
}

Array Random(const Shape& shape, Rng* rng) {
  Array array{shape, {}};
  for (int64_t i = 0; i < Size(shape); ++i) {
    array.words.push_back(static_cast<double>(UniformBelow(*rng, 2000)) / 1000 - 1);
  }
  return array;
}

Arrays Given(const Graph& graph, Rng* rng) {
  Arrays given;
  for (const Value& value : graph.values) {
    if (value.role != ValueRole::kActivation) given[value.name] = Random(value.shape, rng);
  }
  return given;
}

// Rows from `begin` to before `end` along one dimension.
Array Part(const Array& array, size_t dim, int64_t begin, int64_t end) {
  Array part{array.shape, {}};
  part.shape[dim] = end - begin;
  ForEach(part.shape, [&](Shape at) {
    at[dim] += begin;
    part.words.push_back(At(array, at));
  });
  return part;
}

void ExpectNear(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape, b.shape);
  for (size_t i = 0; i < a.words.size(); ++i) ASSERT_NEAR(a.words[i], b.words[i], 1e-9);
}

Decoder Small(Rng* rng) {
  const auto from = [&](int64_t least, uint64_t count) {
    return least + static_cast<int64_t>(UniformBelow(*rng, count));
  };
  Decoder decoder;
  decoder.kv_heads = from(1, 3);
  decoder.heads = *decoder.kv_heads * from(1, 3);
  decoder.head_dim = 2 * from(1, 2);
  decoder.width = from(1, 6);
  decoder.feed_forward = from(1, 6);
  decoder.batch = from(1, 2);
  decoder.qkv_bias = UniformBelow(*rng, 2) == 1;
  return decoder;
}

// The last token of a prompt sees all of it, so it is what a decode step makes of it behind the
// others. (In a second block it would not be: no score is masked.)
TEST(DecoderNumbers, ADecodeStepIsTheLastTokenOfAPrompt) {
  Rng rng(7);
  for (int i = 0; i < 20; ++i) {
    Decoder decoder = Small(&rng);
    const int64_t context = 1 + static_cast<int64_t>(UniformBelow(rng, 4));
    decoder.tokens = context + 1;
    const Graph prompt = *GraphOf(decoder);
    const Arrays whole = RunGraph(prompt, Given(prompt, &rng));
    decoder.phase = DecoderPhase::kDecode;
    decoder.tokens.reset();
    decoder.context = context;
    const Graph step = *GraphOf(decoder);
    Arrays given;
    for (const Value& value : step.values) {
      if (value.role == ValueRole::kWeight) given[value.name] = whole.at(value.name);
    }
    const std::string value = decoder.qkv_bias ? "value_bias" : "value";
    given["key_cache"] = Part(whole.at("key_rotary"), 2, 0, context);
    given["value_cache"] = Part(whole.at(value), 2, 0, context);
    given["x"] = Part(whole.at("x"), 1, context, context + 1);
    given["rotary"] = Part(whole.at("rotary"), 0, context, context + 1);
    const Arrays last = RunGraph(step, given);
    ExpectNear(last.at("feed_forward_add"),
               Part(whole.at("feed_forward_add"), 1, context, context + 1));
    ExpectNear(last.at("keys"), whole.at("key_rotary"));
    ExpectNear(last.at("values"), whole.at(value));
  }
}

// A model with as many heads of keys as of queries, whose heads of a group have equal weights.
Array Copied(const Array& shared, size_t dim, int64_t times) {
  Array copied{shared.shape, {}};
  copied.shape[dim] *= times;
  ForEach(copied.shape, [&](Shape at) {
    at[dim] /= times;
    copied.words.push_back(At(shared, at));
  });
  return copied;
}

TEST(DecoderNumbers, SharedHeadsAreCopiesOfOne) {
  Rng rng(11);
  for (int i = 0; i < 20; ++i) {
    Decoder decoder = Small(&rng);
    decoder.tokens = 1 + static_cast<int64_t>(UniformBelow(rng, 4));
    const Graph shared = *GraphOf(decoder);
    const Arrays of_shared = RunGraph(shared, Given(shared, &rng));
    const int64_t times = decoder.heads / *decoder.kv_heads;
    decoder.kv_heads = decoder.heads;
    const Graph each = *GraphOf(decoder);
    Arrays given;
    for (const Value& value : each.values) {
      if (value.role == ValueRole::kActivation) continue;
      Array array = of_shared.at(value.name);
      if (value.name == "key.weight" || value.name == "value.weight") {
        array = Copied(array, 1, times);
      }
      if (value.name == "key_bias.weight" || value.name == "value_bias.weight") {
        array = Copied(array, 0, times);
      }
      array.shape = value.shape;  // queries: [g, r, …] as [g · r, 1, …], the same words
      given[value.name] = std::move(array);
    }
    ExpectNear(RunGraph(each, given).at("feed_forward_add"), of_shared.at("feed_forward_add"));
  }
}

}  // namespace
}  // namespace inlay
