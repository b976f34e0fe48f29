#pragma once

#include <cstddef>
#include <cstdint>

#include "inlay/core/graph.h"

namespace inlay::batch {

// The life of a tensor that owns storage: the layers that write it and that read it last.
struct Life {
  int64_t from = -1;  // -1: before the first, an input of the network
  int64_t last = -1;  // -1: no layer reads it
  // Whether it lies in memory between layers; if not, it is used within its layer, or is a weight.
  bool Lies() const { return last > from; }
};

// Which layer every node of a graph belongs to; see LayerProfile.
struct NodeLayers {
  size_t layers = 0;
  IndexedVector<NodeId, size_t> layer_of;
  IndexedVector<ValueId, Life> lives;  // of values that own storage
};
NodeLayers NodeLayersOf(const Graph& graph, int bits);

// Whether the value's storage holds weights.
bool IsWeight(const Graph& graph, ValueId value);

}  // namespace inlay::batch
