#include "bench/random_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace inlay::bench {
namespace {

constexpr int64_t kMostChannels = 512;

class NetworkGrower {
 public:
  NetworkGrower(uint64_t seed, int span) : random_(seed), span_(span) {
    graph_.name = fmt::format("random {}", seed);
    side_ = OneOf({14, 28, 40, 56});
    feature_map_bytes_.push_back(
        AddValue("image", {1, OneOf({32, 64, 128}), side_, side_}, ValueRole::kInput));
  }

  Graph Grow(int nodes) {
    while (graph_.nodes.size() < static_cast<size_t>(nodes)) AddAny();
    for (const ValueId map : feature_map_bytes_) {
      if (std::find(read_.begin(), read_.end(), map) == read_.end()) graph_.outputs.push_back(map);
    }
    return std::move(graph_);
  }

 private:
  int64_t Below(size_t bound) { return static_cast<int64_t>(random_() % bound); }
  int64_t OneOf(std::vector<int64_t> choices) {
    return choices[static_cast<size_t>(Below(choices.size()))];
  }
  int64_t ChannelsOf(ValueId map) const { return graph_.values[map].shape[1]; }

  ValueId AddValue(std::string name, Shape shape, ValueRole role) {
    graph_.values.push_back({std::move(name), std::move(shape), role, {}});
    return ValueId(graph_.values.size() - 1);
  }

  ValueId Recent() {
    const size_t window = std::min(feature_map_bytes_.size(), static_cast<size_t>(span_));
    return feature_map_bytes_[feature_map_bytes_.size() - 1 - static_cast<size_t>(Below(window))];
  }

  // Nothing is added where the operands that were drawn do not fit together.
  void AddAny() {
    const ValueId a = Below(10) < 6 ? feature_map_bytes_.back() : Recent();
    const ValueId b = Recent();
    const int64_t kind = Below(20);
    if (kind < 9) return AddConv(a);
    if (kind < 13) return Add(Op::kElementwise, {a}, {});
    if (a == b) return;
    if (kind < 17) {
      if (ChannelsOf(a) == ChannelsOf(b)) Add(Op::kElementwise, {a, b}, {});
      return;
    }
    const int64_t channels = ChannelsOf(a) + ChannelsOf(b);
    if (channels <= kMostChannels) Add(Op::kConcat, {a, b}, Shape{1, channels, side_, side_});
  }

  void AddConv(ValueId a) {
    const int64_t kernel = OneOf({1, 1, 3});
    const ValueId weights = AddValue(fmt::format("w{}", graph_.nodes.size()),
                                     {OneOf({16, 32, 64, 128, 256}), ChannelsOf(a), kernel, kernel},
                                     ValueRole::kWeight);
    OpAttributes attributes;
    attributes.pads_before = attributes.pads_after = {kernel / 2, kernel / 2};
    Add(Op::kConv, {a, weights}, {}, attributes);
  }

  void Add(Op op, std::vector<ValueId> inputs, std::optional<Shape> shape,
           OpAttributes attributes = {}) {
    NodeSpec spec{fmt::format("n{}", graph_.nodes.size()),
                  op,
                  std::move(attributes),
                  std::move(inputs),
                  {{fmt::format("t{}", graph_.nodes.size()), std::move(shape)}}};
    read_.insert(read_.end(), spec.inputs.begin(), spec.inputs.end());
    if (!AddNode(std::move(spec), &graph_)) throw std::logic_error("a random node does not fit");
    feature_map_bytes_.push_back(ValueId(graph_.values.size() - 1));
  }

  std::mt19937_64 random_;
  int span_;
  int64_t side_ = 0;
  Graph graph_;
  std::vector<ValueId> feature_map_bytes_;  // the input and what nodes wrote, in order
  std::vector<ValueId> read_;
};

}  // namespace

Graph RandomNetwork(uint64_t seed, int nodes, int span) {
  return NetworkGrower(seed, span).Grow(nodes);
}

}  // namespace inlay::bench
