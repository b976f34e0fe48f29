#include "inlay/core/network_totals.h"

#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

// Sums that are looked at once, in the end. Each addend is below 2^126: words × bits × repeats are
// below 2^63 × 2^12 × 2^51 only where the sum is later refused, so multiplication is checked too.
class Sum {
 public:
  void Add(int64_t value, int64_t times) {
    const Int128 product = Int128{value} * times;  // below 2^126
    total_ += product;
    overflow_ = overflow_ || total_ > std::numeric_limits<int64_t>::max();
    if (overflow_) total_ = 0;
  }
  bool overflow() const { return overflow_; }
  int64_t value() const { return static_cast<int64_t>(total_); }

 private:
  Int128 total_ = 0;
  bool overflow_ = false;
};

tl::unexpected<Fault> TooLarge() {
  return tl::unexpected<Fault>({"", "a total of the network does not fit into 64 bits", ""});
}

}  // namespace

tl::expected<NetworkTotals, Fault> TotalsOf(const Network& network, int bits) {
  Sum nodes, operations, weights, activations;
  bool first = true;
  for (const Layer& layer : network.layers) {
    nodes.Add(1, layer.repeat);
    operations.Add(Operations(layer.problem), layer.repeat);
    for (TensorId t : Ids(layer.problem.tensors)) {
      const Tensor& tensor = layer.problem.tensors[t];
      const int64_t bytes = BytesOf(TensorWords(layer.problem, t), bits);
      const bool is_weight = tensor.name == "Weights" && layer.kind != "matmul";
      if (tensor.is_output) {
        activations.Add(bytes, layer.repeat);
      } else if (is_weight) {
        weights.Add(bytes, layer.repeat);
      } else if (first) {
        activations.Add(bytes, 1);
      }
    }
    first = false;
  }
  for (const Sum* sum : {&nodes, &operations, &weights, &activations}) {
    if (sum->overflow()) return TooLarge();
  }
  return NetworkTotals{nodes.value(),   nodes.value(),       operations.value(),
                       weights.value(), activations.value(), 0};
}

tl::expected<NetworkTotals, Fault> TotalsOf(const Graph& graph, int bits) {
  return TotalsOf(graph, ValueBits(graph.values.size(), bits));
}

tl::expected<NetworkTotals, Fault> TotalsOf(const Graph& graph, const ValueBits& bits) {
  NetworkTotals totals;
  totals.folded_nodes = graph.folded_nodes;
  Sum operations, weights, activations;
  IndexedVector<ValueId, uint8_t> counted(graph.values.size(), 0);
  for (const GraphNode& node : graph.nodes) {
    const OpClass op_class = InfoOf(node.op).op_class;
    for (const ValueId input : node.inputs) {
      const ValueId v = StorageOf(graph, input);
      if (graph.values[v].role != ValueRole::kWeight || counted[v] != 0) continue;
      counted[v] = 1;
      weights.Add(BytesOf(WordsOf(graph, v), bits[v]), 1);
    }
    if (op_class == OpClass::kView) continue;
    ++totals.nodes;
    if (op_class == OpClass::kCompute) ++totals.compute_nodes;
    for (const Work& work : node.works) operations.Add(Operations(work.problem), work.repeat);
    for (const ValueId v : node.outputs) activations.Add(BytesOf(WordsOf(graph, v), bits[v]), 1);
  }
  for (const Sum* sum : {&operations, &weights, &activations}) {
    if (sum->overflow()) return TooLarge();
  }
  totals.operations = operations.value();
  totals.weight_bytes = weights.value();
  totals.activation_bytes = activations.value();
  return totals;
}

}  // namespace inlay
