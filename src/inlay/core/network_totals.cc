#include "inlay/core/network_totals.h"

#include <limits>

#include "inlay/base/checked.h"

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

// Saturates: a tensor of more than 2^63 bytes is refused with its sum.
int64_t BytesOf(int64_t words, int bits) {
  const Int128 bytes = (Int128{words} * bits + 7) / 8;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return bytes > kMost ? kMost : static_cast<int64_t>(bytes);
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
    if (!sum->overflow()) continue;
    return tl::unexpected<Fault>(
        {"layers", "a total of the network does not fit into 64 bits", ""});
  }
  return NetworkTotals{nodes.value(), nodes.value(), operations.value(), weights.value(),
                       activations.value()};
}

}  // namespace inlay
