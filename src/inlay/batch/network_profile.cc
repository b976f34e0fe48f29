#include "inlay/batch/network_profile.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/batch/node_layers.h"
#include "inlay/cost/systolic.h"

namespace inlay::batch {
namespace {

constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();

class Profiler {
 public:
  Profiler(const Graph& graph, int bits)
      : graph_(graph), bits_(bits), node_layers_(NodeLayersOf(graph, bits)) {
    profile_.name = graph.name;
  }

  tl::expected<NetworkProfile, Fault> Make() {
    AddLayers();
    if (profile_.layers.empty()) {
      return tl::unexpected<Fault>(
          {"", "nothing in network '" + graph_.name + "' computes",
           "a network that is run on arrays has a convolution or a matrix product"});
    }
    for (const NodeId id : Ids(graph_.nodes)) {
      const GraphNode& node = graph_.nodes[id];
      if (InfoOf(node.op).op_class != OpClass::kView) AddReads(node, node_layers_.layer_of[id]);
    }
    AddWeights();
    AddMaps();
    if (TooLarge()) {
      return tl::unexpected<Fault>(
          {"", "the bytes or operations of network '" + graph_.name + "' do not fit into 64 bits",
           ""});
    }
    return std::move(profile_);
  }

 private:
  int64_t Bytes(ValueId value) const { return BytesOf(WordsOf(graph_, value), bits_); }

  void AddLayers() {
    for (const GraphNode& node : graph_.nodes) {
      if (node.works.empty()) continue;
      profile_.layers.emplace_back();
      profile_.layers.back().name = node.name;
      for (const inlay::Work& work : node.works) AddProduct(work);
    }
    reads_.resize(profile_.layers.size());
  }

  void AddWeights() {
    for (size_t l = 0; l < profile_.layers.size(); ++l) {
      profile_.layers[l].stream_bytes = reads_[l].streamed;
      for (const ValueId v : reads_[l].whole) Add(&profile_.layers[l].weight_bytes, Bytes(v));
      Add(&profile_.layers[l].weight_bytes, reads_[l].parts);
    }
  }

  void AddProduct(const inlay::Work& work) {
    Product product;
    product.repeat = work.repeat;
    const int64_t operations = Operations(work.problem);
    if (const auto shape = SystolicShapeOf(work.problem)) {
      product.groups = shape->groups;
      product.pixels = shape->pixels;
      product.filters = shape->filters;
      product.reduction = shape->reduction;
    } else {
      product.pixels = operations;  // no product of two matrices: one element at a time
    }
    bool inputs_are_weights = false;
    for (const TensorId t : Ids(work.problem.tensors)) {
      const Tensor& tensor = work.problem.tensors[t];
      if (tensor.is_output || !work.operands[t]) continue;
      const bool weight = IsWeight(graph_, *work.operands[t]);
      if (tensor.name == "Weights") product.shared_weights = weight;
      if (tensor.name == "Inputs") inputs_are_weights = weight;
    }
    // Weights on the left: more inferences are more columns, as good as rows of the transposed.
    if (inputs_are_weights && !product.shared_weights) {
      product.shared_weights = true;
      std::swap(product.pixels, product.filters);
    }
    profile_.layers.back().products.push_back(product);
    Add(&profile_.operations, SaturatingMultiply(operations, work.repeat));
  }

  void AddReads(const GraphNode& node, size_t layer) {
    Reads& reads = reads_[layer];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId v = StorageOf(graph_, node.inputs[i]);
      if (!IsWeight(graph_, v)) continue;
      const int64_t read = BytesOf(WordsRead(graph_, node, i), bits_);
      if (read == Bytes(v)) {
        if (std::find(reads.whole.begin(), reads.whole.end(), v) == reads.whole.end()) {
          reads.whole.push_back(v);
        }
        continue;
      }
      // Rows that each inference chooses are its own; others are as good as a smaller weight.
      const bool chosen =
          node.op == Op::kGather && node.inputs.size() > 1 && !IsWeight(graph_, node.inputs[1]);
      Add(chosen ? &reads.streamed : &reads.parts, read);
    }
  }

  // What only the user reads leaves the chip while it is written.
  void AddMaps() {
    IndexedVector<ValueId, uint8_t> left(graph_.values.size(), 0);
    for (const ValueId v : graph_.outputs) {
      const ValueId storage = StorageOf(graph_, v);
      const int64_t from = node_layers_.lives[storage].from;
      if (left[storage] != 0 || from < 0) continue;
      left[storage] = 1;
      Add(&profile_.layers[static_cast<size_t>(from)].stream_bytes, Bytes(storage));
    }
    for (const ValueId v : Ids(graph_.values)) {
      if (graph_.values[v].alias_of || IsWeight(graph_, v)) continue;
      const Life& life = node_layers_.lives[v];
      if (!life.Lies()) continue;
      const int64_t bytes = Bytes(v);
      if (life.from >= 0) Add(&profile_.layers[static_cast<size_t>(life.from)].output_bytes, bytes);
      for (int64_t l = life.from + 1; l <= life.last; ++l) {
        Add(&profile_.layers[static_cast<size_t>(l)].live_bytes, bytes);
      }
    }
  }

  static void Add(int64_t* sum, int64_t value) { *sum = SaturatingAdd(*sum, value); }

  bool TooLarge() const {
    int64_t weights = 0, most = profile_.operations;
    for (const LayerProfile& layer : profile_.layers) {
      Add(&weights, layer.weight_bytes);
      Add(&weights, layer.stream_bytes);
      most = std::max(most, SaturatingAdd(layer.live_bytes, layer.output_bytes));
    }
    return std::max(most, weights) == kTooMany;
  }

  // What a layer reads of the weights.
  struct Reads {
    std::vector<ValueId> whole;
    int64_t parts = 0;
    int64_t streamed = 0;
  };

  const Graph& graph_;
  int bits_;
  NodeLayers node_layers_;
  std::vector<Reads> reads_;  // by layer
  NetworkProfile profile_;
};

}  // namespace

tl::expected<NetworkProfile, Fault> ProfileOf(const Graph& graph, int bits) {
  return Profiler(graph, bits).Make();
}

FoldSteps FoldStepsOf(const Product& product, const Accelerator& accelerator, int64_t n) {
  const int64_t turns = product.in_turn ? n : 1;
  n /= turns;
  const SystolicArray& array = accelerator.array;
  const int64_t pixels = SaturatingMultiply(product.pixels, product.shared_weights ? n : 1);
  const int64_t groups = SaturatingMultiply(product.groups, product.shared_weights ? 1 : n);
  const int64_t skew = array.rows + array.columns - 2;
  int64_t along_rows = product.reduction, along_columns = product.filters;
  int64_t streamed = SaturatingAdd(pixels, array.rows + skew);
  if (array.dataflow == Dataflow::kOutputStationary) {
    along_rows = pixels;
    streamed = SaturatingAdd(product.reduction, skew);
  } else if (array.dataflow == Dataflow::kInputStationary) {
    along_columns = pixels;
    streamed = SaturatingAdd(product.filters, array.rows + skew);
  }
  const int64_t folds = SaturatingMultiply(
      SaturatingMultiply(CeilDiv(along_rows, array.rows), CeilDiv(along_columns, array.columns)),
      groups);
  const int64_t repeat = SaturatingMultiply(product.repeat, turns);
  return {SaturatingMultiply(CeilDiv(folds, accelerator.arrays), repeat),
          std::max<int64_t>(1, SaturatingAdd(streamed, product.more_cycles))};
}

int64_t CyclesOf(const LayerProfile& layer, const Accelerator& accelerator, int64_t n) {
  int64_t cycles = 0;
  for (const Product& product : layer.products) {
    const FoldSteps work = FoldStepsOf(product, accelerator, n);
    cycles = SaturatingAdd(cycles, SaturatingMultiply(work.steps, work.cycles_per_step));
  }
  return cycles;
}

int64_t BlocksOf(const LayerProfile& layer, const Accelerator& accelerator) {
  return std::max<int64_t>(1, CeilDiv(layer.weight_bytes, accelerator.block_bytes));
}

int64_t HeldBefore(const NetworkProfile& profile, size_t layer, int64_t n) {
  if (layer == 0 || layer >= profile.layers.size()) return 0;
  return SaturatingMultiply(n, profile.layers[layer].live_bytes);
}

}  // namespace inlay::batch
