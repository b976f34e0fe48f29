#include "inlay/batch/segments.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "inlay/base/checked.h"

namespace inlay::batch {
namespace {

// What makes more bytes than it reads, like an addition that stretches one operand, is done where
// its result is read, if that is one later layer.
void MoveToReaders(const Graph& graph, int bits, Segments* segments) {
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
                                                            {segments->layers, 0});
  for (const ValueId v : graph.outputs) readers[StorageOf(graph, v)] = {0, 1};
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const NodeId id(i);
    const GraphNode& node = graph.nodes[id];
    const OpClass op_class = InfoOf(node.op).op_class;
    if (op_class == OpClass::kView) continue;
    size_t& layer = segments->layer_of[id];
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
Segments SegmentsOf(const Graph& graph, int bits) {
  Segments segments;
  for (const GraphNode& node : graph.nodes) {
    if (!node.works.empty()) ++segments.layers;
    segments.layer_of.push_back(std::max<size_t>(segments.layers, 1) - 1);
  }
  segments.lives = IndexedVector<ValueId, Life>(graph.values.size());
  if (segments.layers == 0) return segments;
  MoveToReaders(graph, bits, &segments);
  for (const NodeId id : Ids(graph.nodes)) {
    const GraphNode& node = graph.nodes[id];
    const auto layer = static_cast<int64_t>(segments.layer_of[id]);
    if (InfoOf(node.op).op_class != OpClass::kView) {
      for (const ValueId input : node.inputs) {
        Life& life = segments.lives[StorageOf(graph, input)];
        life.last = std::max(life.last, layer);
      }
    }
    for (const ValueId v : node.outputs) segments.lives[v].from = layer;
  }
  return segments;
}

}  // namespace inlay::batch
