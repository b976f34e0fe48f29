#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/core/graph.h"
#include "inlay/core/op_work.h"

namespace inlay {
namespace {

// Operators whose inputs leave no choice of output.
bool DecidesOutput(Op op) {
  return op == Op::kConv || op == Op::kGemm || op == Op::kMatmul || op == Op::kEinsum;
}

tl::expected<Shape, Fault> FirstOutput(const NodeSpec& spec, const std::vector<Shape>& inputs) {
  const std::optional<Shape>& given = spec.outputs.front().shape;
  if (given && !DecidesOutput(spec.op)) return *given;
  auto derived = OutputShape(spec.op, spec.attributes, inputs);
  if (!derived) return tl::unexpected(derived.error());
  if (!*derived) {
    return FailWhole(fmt::format("the shape of '{}' is missing", spec.outputs.front().name),
                     "write 'shape: [...]'");
  }
  if (given && *given != **derived) {
    return FailWhole(fmt::format("'{}' has the shape {}, but its inputs give {}",
                                 spec.outputs.front().name, ToString(*given), ToString(**derived)));
  }
  return **std::move(derived);
}

Work WorkOf(OpWork from, const GraphNode& node) {
  Work work{std::move(from.part), std::move(from.kind), std::move(from.problem), from.repeat, {}};
  for (const Tensor& tensor : work.problem.tensors) {
    std::optional<ValueId> value;
    if (tensor.is_output && from.writes_output) value = node.outputs.front();
    if (tensor.name == "Inputs" && from.input) value = node.inputs[*from.input];
    if (tensor.name == "Weights" && from.weight) value = node.inputs[*from.weight];
    work.operands.push_back(value);
  }
  return work;
}

}  // namespace

tl::expected<void, Fault> AddNode(NodeSpec spec, Graph* graph) {
  std::vector<Shape> inputs;
  for (const ValueId v : spec.inputs) inputs.push_back(graph->values[v].shape);
  if (spec.outputs.empty()) return FailWhole("a node needs an output");
  const bool window = spec.op == Op::kConv || spec.op == Op::kConvTranspose;
  if (window && !inputs.empty() && inputs.front().size() > 2) {
    auto attributes = Canonical(std::move(spec.attributes), inputs.front().size() - 2);
    if (!attributes) return tl::unexpected(attributes.error());
    spec.attributes = *std::move(attributes);
  }
  auto first = FirstOutput(spec, inputs);
  if (!first) return tl::unexpected(first.error());
  auto works = WorksOf(spec.op, spec.attributes, inputs, *first);
  if (!works) return tl::unexpected(works.error());
  if (spec.op == Op::kView && (spec.inputs.size() != 1 || spec.outputs.size() != 1)) {
    return FailWhole("a view has one input and one output");
  }
  spec.outputs.front().shape = *std::move(first);
  for (const NodeSpec::Output& output : spec.outputs) {
    if (!output.shape) return FailWhole(fmt::format("the shape of '{}' is missing", output.name));
  }
  GraphNode node{std::move(spec.name),   spec.op, std::move(spec.attributes),
                 std::move(spec.inputs), {},      {}};
  for (NodeSpec::Output& output : spec.outputs) {
    node.outputs.emplace_back(graph->values.size());
    Value value{std::move(output.name), *std::move(output.shape), ValueRole::kActivation, {}};
    if (spec.op == Op::kView) value.alias_of = node.inputs.front();
    graph->values.push_back(std::move(value));
  }
  for (OpWork& work : *works) node.works.push_back(WorkOf(std::move(work), node));
  graph->nodes.push_back(std::move(node));
  return {};
}

}  // namespace inlay
