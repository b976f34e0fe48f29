#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "inlay/core/element_bits.h"
#include "inlay/core/fault.h"
#include "inlay/core/graph.h"
#include "inlay/core/network.h"

namespace inlay {

// What a whole network amounts to, every layer as often as it repeats.
struct NetworkTotals {
  int64_t nodes = 0;          // views are none
  int64_t compute_nodes = 0;  // those that multiply and add; in a list of layers, all of them
  int64_t operations = 0;     // multiply-accumulates
  int64_t weight_bytes = 0;
  int64_t activation_bytes = 0;  // see below
  int64_t folded_nodes = 0;      // besides these; see Graph
  bool operator==(const NetworkTotals&) const = default;
};

// Words have `bits` bits; a tensor's bytes are rounded up. A fault where a total does not fit into
// 64 bits.

// The totals of a valid list of layers. The operand named "Weights" is a weight, but for matrix
// products of kind "matmul", whose operands are both activations and count as outputs of earlier
// layers. Activations are the input of the first layer and the output of every layer.
tl::expected<NetworkTotals, Fault> TotalsOf(const Network& network, int bits);

// The totals of a valid graph. Weights are those that some node reads, each once however many share
// it; activations are the outputs of all nodes.
tl::expected<NetworkTotals, Fault> TotalsOf(const Graph& graph, int bits);
tl::expected<NetworkTotals, Fault> TotalsOf(const Graph& graph, const ValueBits& bits);

}  // namespace inlay
