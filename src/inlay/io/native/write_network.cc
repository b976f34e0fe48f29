#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "inlay/core/op_work.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/write.h"

namespace inlay::io {
namespace {

// The shortest way to write numbers that the reader spreads over all spatial dimensions.
std::string NumbersText(const std::vector<int64_t>& numbers) {
  if (numbers.empty()) return "";
  const bool same = std::all_of(numbers.begin(), numbers.end(),
                                [&](int64_t number) { return number == numbers.front(); });
  return same ? fmt::format("{}", numbers.front()) : ToString(numbers);
}

// Pads that are left out are 0; one of both sides may be.
std::string PadsText(const OpAttributes& attributes) {
  std::vector<int64_t> before = attributes.pads_before, after = attributes.pads_after;
  before.resize(std::max(before.size(), after.size()), 0);
  after.resize(before.size(), 0);
  if (before.empty()) return "";
  if (before == after) return NumbersText(before);
  before.insert(before.end(), after.begin(), after.end());
  return ToString(before);
}

std::string NodeText(const Graph& graph, const GraphNode& node) {
  const auto names = [&](const std::vector<ValueId>& values) {
    std::vector<std::string> list;
    list.reserve(values.size());
    for (const ValueId v : values) list.push_back(graph.values[v].name);
    return list;
  };
  std::vector<Shape> inputs;
  for (const ValueId v : node.inputs) inputs.push_back(graph.values[v].shape);
  FlowObject line;
  line.Add("name", Scalar(node.name)).Add("op", InfoOf(node.op).name);
  if (!node.inputs.empty()) line.Add("inputs", FlowList(names(node.inputs)));
  const Shape& first = graph.values[node.outputs.front()].shape;
  if (node.outputs.size() == 1) {
    line.Add("output", Scalar(graph.values[node.outputs.front()].name));
    const auto derived = OutputShape(node.op, node.attributes, inputs);
    if (!derived || *derived != first) line.Add("shape", ToString(first));
  } else {
    std::string shapes;
    for (const ValueId v : node.outputs) {
      shapes += (shapes.empty() ? "" : ", ") + ToString(graph.values[v].shape);
    }
    line.Add("outputs", FlowList(names(node.outputs))).Add("shapes", "[" + shapes + "]");
  }
  const OpAttributes& attributes = node.attributes;
  const auto by_hand = [&](std::string_view key) -> std::optional<std::string> {
    if (key == "stride") return NumbersText(attributes.stride);
    if (key == "dilation") return NumbersText(attributes.dilation);
    if (key == "pads") return PadsText(attributes);
    if (key == "window") return NumbersText(attributes.window);
    if (key == "axes") return attributes.axes.empty() ? "" : ToString(attributes.axes);
    return std::nullopt;
  };
  return fmt::format("  - {}\n", FlowText(attributes, by_hand, std::move(line)).ToString());
}

std::string ValuesText(const Graph& graph, const char* key, ValueRole role) {
  std::string text;
  for (const Value& value : graph.values) {
    if (value.role != role) continue;
    text += fmt::format("    {}: {}\n", Scalar(value.name), ToString(value.shape));
  }
  return text.empty() ? text : fmt::format("  {}:\n{}", key, text);
}

}  // namespace

std::string WriteNative(const Graph& graph) {
  std::string text = DocumentStart("network", graph.name);
  if (!graph.bits.empty()) {
    FlowObject bits;
    for (const auto& [name, width] : graph.bits) bits.Add(Scalar(name), fmt::format("{}", width));
    text += fmt::format("  bits: {}\n", bits.ToString());
  }
  if (graph.folded_nodes > 0) text += fmt::format("  folded_nodes: {}\n", graph.folded_nodes);
  text += ValuesText(graph, "inputs", ValueRole::kInput);
  text += ValuesText(graph, "weights", ValueRole::kWeight);
  text += "  nodes:\n";
  for (const GraphNode& node : graph.nodes) text += NodeText(graph, node);
  std::vector<std::string> outputs;
  for (const ValueId v : graph.outputs) outputs.push_back(graph.values[v].name);
  return text + fmt::format("  outputs: {}\n", FlowList(outputs));
}

}  // namespace inlay::io
