#include "inlay/batch/node_layers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::batch {
namespace {

// What makes more bytes than it reads, like an addition that stretches one operand, is done where
// its result is read, if that is one later layer.
void MoveToReaders(const Graph& graph, int bits, NodeLayers* node_layers) {
  const auto bytes_of = [&](ValueId v) { return BytesOf(WordsOf(graph, v), bits); };
  const auto producers = ProducersOf(graph);
  // Bytes that a chain of nodes up to here can be made of.
  IndexedVector<NodeId, int64_t> sources(graph.nodes.size(), 0);
  for (const NodeId id : Ids(graph.nodes)) {
    for (const ValueId input : graph.nodes[id].inputs) {
      const ValueId v = StorageOf(graph, input);
      if (IsWeight(graph, v)) continue;
      int64_t bytes = bytes_of(v);
      const std::optional<NodeId> producer = producers[v];
      if (producer && graph.nodes[*producer].works.empty()) {
        bytes = std::min(bytes, sources[*producer]);
      }
      sources[id] = SaturatingAdd(sources[id], bytes);
    }
  }
  // By the storage that they read: the first and the last layer that does.
  IndexedVector<ValueId, std::pair<size_t, size_t>> readers(graph.values.size(),
                                                            {node_layers->layers, 0});
  for (const ValueId v : graph.outputs) readers[StorageOf(graph, v)] = {0, 1};
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const NodeId id(i);
    const GraphNode& node = graph.nodes[id];
    const OpClass op_class = InfoOf(node.op).op_class;
    if (op_class == OpClass::kView) continue;
    size_t& layer = node_layers->layer_of[id];
    const auto [first, last] = readers[StorageOf(graph, node.outputs.front())];
    if (op_class == OpClass::kMemory && node.outputs.size() == 1 && first == last &&
        first > layer && sources[id] < bytes_of(node.outputs.front())) {
      layer = first;
    }
    for (const ValueId input : node.inputs) {
      auto& range = readers[StorageOf(graph, input)];
      range = {std::min(range.first, layer), std::max(range.second, layer)};
    }
  }
}

}  // namespace

bool IsWeight(const Graph& graph, ValueId value) {
  return graph.values[StorageOf(graph, value)].role == ValueRole::kWeight;
}

// Nodes before the first that computes belong to its layer, others to that of the last before
// them; then some move on to where they are read.
NodeLayers NodeLayersOf(const Graph& graph, int bits) {
  NodeLayers node_layers;
  for (const GraphNode& node : graph.nodes) {
    if (!node.works.empty()) ++node_layers.layers;
    node_layers.layer_of.push_back(std::max<size_t>(node_layers.layers, 1) - 1);
  }
  node_layers.lives = IndexedVector<ValueId, Life>(graph.values.size());
  if (node_layers.layers == 0) return node_layers;
  MoveToReaders(graph, bits, &node_layers);
  for (const NodeId id : Ids(graph.nodes)) {
    const GraphNode& node = graph.nodes[id];
    const auto layer = static_cast<int64_t>(node_layers.layer_of[id]);
    if (InfoOf(node.op).op_class != OpClass::kView) {
      for (const ValueId input : node.inputs) {
        Life& life = node_layers.lives[StorageOf(graph, input)];
        life.last = std::max(life.last, layer);
      }
    }
    for (const ValueId v : node.outputs) node_layers.lives[v].from = layer;
  }
  return node_layers;
}

}  // namespace inlay::batch
