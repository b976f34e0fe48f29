#include "inlay/core/graph_result.h"

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const GraphResult::Node*) {
  using Node = GraphResult::Node;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Node::name>("name", "the node"),
      Row<&Node::op>("op", "its operator"),
      Row<&Node::operations>("operations", "its multiply-accumulates",
                             {.presence = Presence::kUnlessDefault}),
      Row<&Node::inputs>("inputs", "the tensors that it reads"),
      Row<&Node::outputs>("outputs", "the tensors that it writes"),
  });
  return Describe<Node, kFields>("GraphNode");
}

const Structure& StructureOf(const GraphResult::Tensor*) {
  using Between = GraphResult::Tensor;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Between::name>("name", "the tensor"),
      Row<&Between::role>("role", "what it is to the network"),
      Row<&Between::words>("words", "its elements"),
      Row<&Between::bytes>("bytes", "what they take"),
  });
  return Describe<Between, kFields>("GraphTensor");
}

const Structure& StructureOf(const GraphResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&GraphResult::nodes>("nodes", "operators but views, in an order in which they can run"),
      Row<&GraphResult::tensors>("tensors", "what the nodes read and write"),
  });
  return Describe<GraphResult, kFields>("NetworkGraph");
}

namespace {

TensorRole RoleOf(ValueRole role, bool leaves) {
  if (role == ValueRole::kWeight) return TensorRole::kWeight;
  if (role == ValueRole::kInput) return TensorRole::kInput;
  return leaves ? TensorRole::kOutput : TensorRole::kActivation;
}

// Saturates.
int64_t OperationsOf(const GraphNode& node) {
  int64_t sum = 0;
  for (const Work& work : node.works) {
    sum = SaturatingAdd(sum, SaturatingMultiply(Operations(work.problem), work.repeat));
  }
  return sum;
}

}  // namespace

GraphResult GraphResultOf(const Graph& graph, const ValueBits& bits) {
  GraphResult result;
  IndexedVector<ValueId, uint8_t> used(graph.values.size(), 0), leaves(graph.values.size(), 0);
  for (const ValueId output : graph.outputs) leaves[StorageOf(graph, output)] = 1;
  const auto names = [&](const std::vector<ValueId>& values) {
    std::vector<std::string> list;
    for (const ValueId value : values) {
      const ValueId storage = StorageOf(graph, value);
      used[storage] = 1;
      list.push_back(graph.values[storage].name);
    }
    return list;
  };
  for (const GraphNode& node : graph.nodes) {
    const OpInfo& op = InfoOf(node.op);
    if (op.op_class == OpClass::kView) continue;
    result.nodes.push_back({node.name, std::string(op.name), OperationsOf(node), names(node.inputs),
                            names(node.outputs)});
  }
  for (ValueId v : Ids(graph.values)) {
    if (used[v] == 0) continue;
    const int64_t words = WordsOf(graph, v);
    result.tensors.push_back({graph.values[v].name, RoleOf(graph.values[v].role, leaves[v] != 0),
                              words, BytesOf(words, bits[v])});
  }
  return result;
}

}  // namespace inlay
