#include "inlay/batch/profile.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "inlay/base/checked.h"
#include "inlay/cost/systolic.h"

namespace inlay::batch {
namespace {

constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();

// When a tensor that owns storage is written and read for the last time, in layers.
struct Life {
  int64_t from = -1;  // -1: before the first, an input of the network
  int64_t last = -1;  // -1: nobody reads it
  bool leaves = false;
};

class Profiler {
 public:
  Profiler(const Graph& graph, int bits) : graph_(graph), bits_(bits), lives_(graph.values.size()) {
    profile_.name = graph.name;
  }

  tl::expected<NetworkProfile, Fault> Make() {
    AssignLayers();
    if (profile_.layers.empty()) {
      return tl::unexpected<Fault>(
          {"", "nothing in network '" + graph_.name + "' computes",
           "a network that is run on arrays has a convolution or a matrix product"});
    }
    for (const NodeId id : Ids(graph_.nodes)) {
      const GraphNode& node = graph_.nodes[id];
      if (InfoOf(node.op).op_class != OpClass::kView) AddReads(node, layer_of_[id]);
      for (const ValueId v : node.outputs) lives_[v].from = static_cast<int64_t>(layer_of_[id]);
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

  bool IsWeight(ValueId value) const {
    return graph_.values[StorageOf(graph_, value)].role == ValueRole::kWeight;
  }

  // Nodes before the first that computes belong to its layer, others to that of the last before
  // them; then some move on to where they are read.
  void AssignLayers() {
    for (const GraphNode& node : graph_.nodes) {
      if (!node.works.empty()) {
        profile_.layers.emplace_back();
        profile_.layers.back().name = node.name;
        for (const inlay::Work& work : node.works) AddProduct(work);
      }
      layer_of_.push_back(std::max<size_t>(profile_.layers.size(), 1) - 1);
    }
    reads_.resize(profile_.layers.size());
    MoveToReaders();
  }

  // What makes more bytes than it reads, like an addition that stretches one operand, is done where
  // its result is read, if that is one later layer.
  void MoveToReaders() {
    const auto producers = ProducersOf(graph_);
    // Bytes that a chain of nodes up to here can be made of.
    IndexedVector<NodeId, int64_t> sources(graph_.nodes.size(), 0);
    for (const NodeId id : Ids(graph_.nodes)) {
      for (const ValueId input : graph_.nodes[id].inputs) {
        const ValueId v = StorageOf(graph_, input);
        if (IsWeight(v)) continue;
        int64_t bytes = Bytes(v);
        const std::optional<NodeId> producer = producers[v];
        if (producer && graph_.nodes[*producer].works.empty()) {
          bytes = std::min(bytes, sources[*producer]);
        }
        Add(&sources[id], bytes);
      }
    }
    // By the storage that they read: the first and the last layer that does.
    IndexedVector<ValueId, std::pair<size_t, size_t>> readers(graph_.values.size(),
                                                              {profile_.layers.size(), 0});
    for (const ValueId v : graph_.outputs) readers[StorageOf(graph_, v)] = {0, 1};
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      const NodeId id(i);
      const GraphNode& node = graph_.nodes[id];
      const OpClass op_class = InfoOf(node.op).op_class;
      if (op_class == OpClass::kView) continue;
      const auto [first, last] = readers[StorageOf(graph_, node.outputs.front())];
      if (op_class == OpClass::kMemory && node.outputs.size() == 1 && first == last &&
          first > layer_of_[id] && sources[id] < Bytes(node.outputs.front())) {
        layer_of_[id] = first;
      }
      for (const ValueId input : node.inputs) {
        auto& range = readers[StorageOf(graph_, input)];
        range = {std::min(range.first, layer_of_[id]), std::max(range.second, layer_of_[id])};
      }
    }
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
      product.window = shape->window;
    } else {
      product.pixels = operations;  // no product of two matrices: one element at a time
    }
    bool inputs_are_weights = false;
    for (const TensorId t : Ids(work.problem.tensors)) {
      const Tensor& tensor = work.problem.tensors[t];
      if (tensor.is_output || !work.operands[t]) continue;
      const bool weight = IsWeight(*work.operands[t]);
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
      lives_[v].last = std::max(lives_[v].last, static_cast<int64_t>(layer));
      if (!IsWeight(v)) continue;
      const int64_t read = BytesOf(WordsRead(graph_, node, i), bits_);
      if (read == Bytes(v)) {
        if (std::find(reads.whole.begin(), reads.whole.end(), v) == reads.whole.end()) {
          reads.whole.push_back(v);
        }
        continue;
      }
      // Rows that each inference chooses are its own; others are as good as a smaller weight.
      const bool chosen =
          node.op == Op::kGather && node.inputs.size() > 1 && !IsWeight(node.inputs[1]);
      Add(chosen ? &reads.streamed : &reads.parts, read);
    }
  }

  // What only the user reads leaves the chip while it is written.
  void AddMaps() {
    for (const ValueId v : graph_.outputs) {
      const ValueId storage = StorageOf(graph_, v);
      Life& life = lives_[storage];
      if (std::exchange(life.leaves, true) || life.from < 0) continue;
      Add(&profile_.layers[static_cast<size_t>(life.from)].stream_bytes, Bytes(storage));
    }
    for (const ValueId v : Ids(graph_.values)) {
      if (graph_.values[v].alias_of || IsWeight(v)) continue;
      const Life& life = lives_[v];
      if (life.last <= life.from) continue;  // stays on the way
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
  IndexedVector<ValueId, Life> lives_;  // of those that own storage
  IndexedVector<NodeId, size_t> layer_of_;
  std::vector<Reads> reads_;  // by layer
  NetworkProfile profile_;
};

}  // namespace

tl::expected<NetworkProfile, Fault> ProfileOf(const Graph& graph, int bits) {
  return Profiler(graph, bits).Make();
}

}  // namespace inlay::batch
