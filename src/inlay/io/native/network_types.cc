#include "inlay/io/native/network_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "inlay/core/networks/decoder.h"
#include "inlay/io/native/keys.h"

namespace inlay::io {
namespace {

constinit const Type kExtent = {.form = Form::kInteger, .what = "an extent from 0", .minimum = 0};
constinit const Type kShapeType = {
    .form = Form::kList, .what = "a shape such as [1, 64, 56, 56]", .element = &kExtent};
constinit const Type kShapeList = {
    .form = Form::kList, .what = "a list of shapes", .element = &kShapeType};
constinit const Type kNames = {
    .form = Form::kList, .what = "a list of tensors", .element = &kTitle};
constinit const Type kShapes = {.form = Form::kMap,
                                .what = "a mapping from tensors to their shapes",
                                .check = CheckTitleText,
                                .pattern = TitleTextPattern,
                                .element = &kShapeType};

constinit const Type kSteps = {
    .form = Form::kList, .what = "whole numbers from 1", .element = &kPositiveInteger};
constexpr std::array<const Type*, 2> kStepOptions = {&kPositiveInteger, &kSteps};
constinit const Type kStepType = {.form = Form::kEither,
                                  .what = "a whole number from 1, or one per spatial dimension",
                                  .options = kStepOptions};
constinit const Type kBorder = {
    .form = Form::kList, .what = "whole numbers from 0", .element = &kExtent};
constexpr std::array<const Type*, 2> kPadOptions = {&kExtent, &kBorder};
constinit const Type kPadType = {.form = Form::kEither,
                                 .what =
                                     "a whole number from 0, or one per spatial dimension, or "
                                     "all those before and then all those after",
                                 .options = kPadOptions};

constexpr std::array kOpNames = [] {
  std::array<std::string_view, kOperators.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kOperators[i].name;
  return names;
}();
constinit const Type kOpType = {.form = Form::kWord, .what = "an operator", .words = kOpNames};

constexpr std::array<std::string_view, 2> kOneOutput = {"output", "outputs"};
constexpr std::array kOperandKeys = {
    Key{"name", "the name of the node", &kTitle, true},
    Key{"op", "what it does", &kOpType, true},
    Key{"inputs", "the tensors that it reads, in the order of its operator", &kNames},
    Key{"output", "the tensor that it writes", &kTitle},
    Key{"outputs", "the tensors that it writes", &kNames},
    Key{"shape", "the shape of the output, where operator and inputs do not decide it",
        &kShapeType},
    Key{"shapes", "the shapes of the outputs", &kShapeList}};

const Type& NodeListType() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all(kOperandKeys.begin(), kOperandKeys.end());
    const Type& attributes = TypeOf<OpAttributes>({{"stride", &kStepType},
                                                   {"dilation", &kStepType},
                                                   {"pads", &kPadType},
                                                   {"window", &kStepType},
                                                   {"axes", &kBorder}});
    all.insert(all.end(), attributes.keys.begin(), attributes.keys.end());
    return all;
  }();
  static const Type node = {
      .form = Form::kObject, .what = "a node", .keys = keys, .exactly_one = kOneOutput};
  static const Type list = {.form = Form::kList, .what = "a list of nodes", .element = &node};
  return list;
}
constinit const Type kBits = {.form = Form::kMap,
                              .what = "a mapping from tensors, or groups of them, to bits",
                              .check = CheckTitleText,
                              .pattern = TitleTextPattern,
                              .element = &kWordBits};

constexpr Key kNetworkName = {"name", "what the network is called in results", &kFreeText};
constexpr Key kNetworkBits = {
    "bits",
    "how wide elements are where nothing else is asked for, such as {all: 16, weights: 4, kv: 8}: "
    "of all, inputs, weights, activations, kv (keys and values of attention) or a tensor (default "
    "16)",
    &kBits};

struct AttributeKey {
  std::string_view key;
  std::array<Op, 4> ops;  // that have it; repeated where there are fewer
};
constexpr std::array kAttributeKeys = {
    AttributeKey{"stride", {Op::kConv, Op::kConvTranspose, Op::kConv, Op::kConv}},
    AttributeKey{"dilation", {Op::kConv, Op::kConvTranspose, Op::kConv, Op::kConv}},
    AttributeKey{"pads", {Op::kConv, Op::kConvTranspose, Op::kConv, Op::kConv}},
    AttributeKey{"groups", {Op::kConv, Op::kConvTranspose, Op::kConv, Op::kConv}},
    AttributeKey{"transpose_a", {Op::kGemm, Op::kGemm, Op::kGemm, Op::kGemm}},
    AttributeKey{"transpose_b", {Op::kGemm, Op::kGemm, Op::kGemm, Op::kGemm}},
    AttributeKey{"equation", {Op::kEinsum, Op::kEinsum, Op::kEinsum, Op::kEinsum}},
    AttributeKey{"batch_first", {Op::kLstm, Op::kGru, Op::kRnn, Op::kRnn}},
    AttributeKey{"function", {Op::kElementwise, Op::kNorm, Op::kPool, Op::kReduce}},
    AttributeKey{"window", {Op::kPool, Op::kPool, Op::kPool, Op::kPool}},
    AttributeKey{"axes", {Op::kSoftmax, Op::kNorm, Op::kNorm, Op::kNorm}}};

// One number, or several; empty where there is none.
std::vector<int64_t> Numbers(const Node* value) {
  std::vector<int64_t> numbers;
  if (value == nullptr) return numbers;
  if (value->IsScalar()) return {AsExtent(*value).value_or(1)};
  for (const Node& item : value->items) numbers.push_back(AsExtent(item).value_or(1));
  return numbers;
}

void ReadPads(const Node& node, size_t spatial, OpAttributes* attributes,
              Diagnostics* diagnostics) {
  const Node* value = node.Find("pads");
  std::vector<int64_t> pads = Numbers(value);
  if (pads.empty()) return;
  if (pads.size() == 1) pads.assign(spatial, pads.front());
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(std::min(spatial, pads.size()));
  attributes->pads_before.assign(pads.begin(), middle);
  if (pads.size() == spatial) {
    attributes->pads_after = attributes->pads_before;
  } else if (pads.size() == 2 * spatial) {
    attributes->pads_after.assign(middle, pads.end());
  } else {
    diagnostics->push_back(
        value->Error(fmt::format("{} pads for {} spatial dimensions", pads.size(), spatial),
                     fmt::format("give 1, {} or {}", spatial, 2 * spatial)));
  }
}

void ReadSteps(const Node& node, const char* key, size_t spatial, std::vector<int64_t>* steps,
               Diagnostics* diagnostics) {
  const Node* value = node.Find(key);
  *steps = Numbers(value);
  if (steps->size() <= 1 || steps->size() == spatial) return;
  diagnostics->push_back(value->Error(
      fmt::format("'{}' has {} entries for {} spatial dimensions", key, steps->size(), spatial)));
}

// The dimensions of rows, in ascending order; each once.
void ReadAxes(const Node& node, size_t rank, OpAttributes* attributes, Diagnostics* diagnostics) {
  const Node* value = node.Find("axes");
  attributes->axes = Numbers(value);
  std::sort(attributes->axes.begin(), attributes->axes.end());
  const auto& axes = attributes->axes;
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    diagnostics->push_back(value->Error("a dimension is listed twice", "list each once"));
  } else if (!axes.empty() && axes.back() >= static_cast<int64_t>(rank)) {
    diagnostics->push_back(
        value->Error(fmt::format("there is no dimension {} of {}", axes.back(), rank),
                     "dimensions of the first input are counted from 0"));
    attributes->axes.clear();
  }
  // The last by itself is what rows have without the key.
  if (axes == std::vector<int64_t>{static_cast<int64_t>(rank) - 1}) attributes->axes.clear();
}

// Of an operator that has functions.
void CheckFunction(const Node& node, Op op, NodeFunction function, Diagnostics* diagnostics) {
  const Node* value = node.Find("function");
  if (value == nullptr || MayCompute(op, function)) return;
  std::vector<std::string_view> names;
  for (const auto& row : inlay::kNames<NodeFunction>) {
    if (MayCompute(op, row.value)) names.emplace_back(row.name);
  }
  if (names.size() <= 1) return;  // reported: the operator has none
  diagnostics->push_back(
      value->Error(fmt::format("'{}' is no function of '{}'", value->text, InfoOf(op).name),
                   fmt::format("expected {}", JoinOr(names))));
}

}  // namespace

const Type& NetworkType() {
  static const std::array node_keys = {
      Key{"nodes", "the nodes, in any order; they run in the given one as far as possible",
          &NodeListType(), true},
      kNetworkName,
      Key{"inputs", "what is given at every run: tensors and their shapes", &kShapes},
      Key{"weights", "what is the same in every run: tensors and their shapes", &kShapes},
      Key{"outputs", "the tensors that are the result", &kNames, true},
      kNetworkBits,
      Key{"folded_nodes",
          "how many nodes of the model that this was made from are left out, because their results "
          "do not depend on the inputs (default 0)",
          &kExtent}};
  static const std::array decoder_keys = {
      Key{"decoder", "the sizes of a language model; the nodes follow from them",
          &TypeOf<Decoder>(), true},
      kNetworkName, kNetworkBits};
  static const Type of_nodes = {.form = Form::kObject, .what = "a network", .keys = node_keys};
  static const Type of_decoder = {
      .form = Form::kObject, .what = "a network of a decoder", .keys = decoder_keys};
  static const std::array<const Type*, 2> options = {&of_nodes, &of_decoder};
  static const Type type = {.form = Form::kEither, .what = "a network", .options = options};
  return type;
}

std::optional<int64_t> AsExtent(const Node& value) {
  if (!value.IsScalar()) return std::nullopt;
  const auto number = AsInt(value, "");
  return number && *number >= 0 ? std::optional<int64_t>(*number) : std::nullopt;
}

OpAttributes ReadAttributes(const Node& node, Op op, size_t rank, Diagnostics* diagnostics) {
  for (const AttributeKey& attribute : kAttributeKeys) {
    const Node* value = node.Find(attribute.key);
    if (value == nullptr) continue;
    if (std::find(attribute.ops.begin(), attribute.ops.end(), op) != attribute.ops.end()) continue;
    const bool shapes_output = InfoOf(attribute.ops.front()).op_class == OpClass::kCompute;
    diagnostics->push_back(value->Error(
        fmt::format("'{}' means nothing to '{}'", attribute.key, InfoOf(op).name),
        shapes_output && InfoOf(op).op_class == OpClass::kMemory ? "its output is given by 'shape'"
                                                                 : ""));
  }
  OpAttributes attributes;
  ReadKeys(node, {}, &attributes, diagnostics);
  const size_t spatial = rank > 2 ? rank - 2 : 1;
  if (op == Op::kPool) {
    ReadSteps(node, "window", spatial, &attributes.window, diagnostics);
    if (attributes.window.size() == 1) attributes.window.assign(spatial, attributes.window.front());
  }
  if (op == Op::kSoftmax || op == Op::kNorm) ReadAxes(node, rank, &attributes, diagnostics);
  CheckFunction(node, op, attributes.function, diagnostics);
  if (op != Op::kConv && op != Op::kConvTranspose) return attributes;
  ReadSteps(node, "stride", spatial, &attributes.stride, diagnostics);
  ReadSteps(node, "dilation", spatial, &attributes.dilation, diagnostics);
  ReadPads(node, spatial, &attributes, diagnostics);
  return attributes;
}

}  // namespace inlay::io
