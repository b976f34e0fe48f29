#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/core/element_bits.h"
#include "inlay/core/graph.h"
#include "inlay/io/native/network_types.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

// A node as written, before its inputs are known.
struct Written {
  const Node* node = nullptr;
  std::string name;
  Op op = Op::kOther;
  const Node* inputs = nullptr;  // a list, or null
  std::vector<const Node*> outputs;
};

Shape ShapeFrom(const Node& list) {
  Shape shape;
  for (const Node& item : list.items) shape.push_back(AsExtent(item).value_or(1));
  return shape;
}

class NetworkReader {
 public:
  NetworkReader(const Node& root, Reading* reading)
      : root_(root), places_(root), reading_(reading), diagnostics_(&reading->diagnostics) {}

  void Read() {
    if (const Node* decoder = root_.Find("decoder")) {
      ReadAsDecoder(*decoder);
    } else {
      ReadNodes();
    }
    graph_.name = TextOr(root_, "name");
    AddBits();
    if (!reading_->KindIsClean()) return;
    places_.Report(Validate(graph_), diagnostics_);
    reading_->inputs.graph = std::move(graph_);
  }

 private:
  void ReadAsDecoder(const Node& decoder) {
    if (!decoder.IsMapping() || !reading_->KindIsClean()) return;
    for (const char* part : {"values", "nodes"}) places_.Set(part, decoder);
    if (auto graph = ReadDecoder(decoder, reading_)) graph_ = *std::move(graph);
  }

  void ReadNodes() {
    AddValues("inputs", ValueRole::kInput);
    AddValues("weights", ValueRole::kWeight);
    CollectNodes();
    for (const size_t i : OrderNodes()) AddNodeAt(nodes_[i]);
    AddOutputs();
    if (const Node* folded = root_.Find("folded_nodes")) {
      graph_.folded_nodes = AsExtent(*folded).value_or(0);
    }
  }

  void Error(Diagnostic diagnostic) {
    if (diagnostics_->size() < kMostErrors) diagnostics_->push_back(std::move(diagnostic));
  }

  void AddValues(const char* key, ValueRole role) {
    const Node* map = root_.Find(key);
    if (map == nullptr || !map->IsMapping()) return;
    for (const auto& [name, shape] : map->entries) {
      places_.Set("values." + name.text, shape);
      if (!ids_.emplace(name.text, ValueId(graph_.values.size())).second) {
        Error(name.Error(fmt::format("there are two tensors '{}'", name.text)));
      }
      graph_.values.push_back({name.text, ShapeFrom(shape), role, {}});
    }
  }

  void CollectNodes() {
    const Node* list = root_.Find("nodes");
    if (list == nullptr || !list->IsSequence()) return;
    for (const Node& node : list->items) {
      if (!node.IsMapping()) continue;
      Written written{&node,
                      TextOr(node, "name"),
                      OpFromName(TextOr(node, "op")).value_or(Op::kOther),
                      node.Find("inputs"),
                      {}};
      if (const Node* one = node.Find("output"); one != nullptr && one->IsScalar()) {
        written.outputs.push_back(one);
      }
      if (const Node* several = node.Find("outputs"); several != nullptr && several->IsSequence()) {
        for (const Node& item : several->items) written.outputs.push_back(&item);
      }
      places_.Set("nodes." + written.name, node);
      for (const Node* output : written.outputs) {
        const bool free =
            !ids_.contains(output->text) && producers_.emplace(output->text, nodes_.size()).second;
        if (!free) Error(output->Error(fmt::format("there are two tensors '{}'", output->text)));
      }
      nodes_.push_back(std::move(written));
    }
  }

  std::vector<std::string> TensorNames() const {
    std::vector<std::string> names;
    for (const auto& [name, id] : ids_) names.push_back(name);
    for (const auto& [name, producer] : producers_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<size_t> OrderNodes() {
    std::vector<std::vector<size_t>> needs(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].inputs == nullptr) continue;
      for (const Node& input : nodes_[i].inputs->items) {
        const auto producer = producers_.find(input.text);
        if (producer != producers_.end()) {
          needs[i].push_back(producer->second);
        } else if (!ids_.contains(input.text) && input.IsScalar()) {
          Error(input.Error(fmt::format("nothing is or writes a tensor '{}'", input.text),
                            SuggestionHint(input.text, TensorNames())));
        }
      }
    }
    auto order = OrderByNeeds(needs);
    if (order) return *std::move(order);
    std::string members;
    for (const size_t i : order.error()) {
      members += fmt::format("'{}' needs ", nodes_[i].name);
      if (members.size() > 200) break;
    }
    Error(nodes_[order.error().front()].node->Error(
        "the network has a cycle: " + members +
        fmt::format("'{}'", nodes_[order.error().front()].name)));
    return {};
  }

  // Reports the faults of a node once; nodes that depend on it are left out silently.
  void AddNodeAt(const Written& written) {
    NodeSpec spec{written.name, written.op, {}, {}, {}};
    if (written.inputs != nullptr) {
      for (const Node& input : written.inputs->items) {
        const auto id = ids_.find(input.text);
        if (id == ids_.end()) return;
        spec.inputs.push_back(id->second);
      }
    }
    const size_t rank = spec.inputs.empty() ? 0 : graph_.values[spec.inputs.front()].shape.size();
    spec.attributes = ReadAttributes(*written.node, written.op, rank, diagnostics_);
    if (!AddShapes(written, &spec) || !reading_->KindIsClean()) return;
    const auto added = AddNode(std::move(spec), &graph_);
    if (!added) {
      return Error(written.node->Error(
          fmt::format("node '{}': {}", written.name, added.error().message), added.error().hint));
    }
    const GraphNode& node = graph_.nodes.back();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      ids_.emplace(written.outputs[i]->text, node.outputs[i]);
      places_.Set("values." + written.outputs[i]->text, *written.outputs[i]);
    }
  }

  bool AddShapes(const Written& written, NodeSpec* spec) {
    for (const Node* output : written.outputs) spec->outputs.push_back({output->text, {}});
    if (const Node* one = written.node->Find("shape"); one != nullptr) {
      if (written.outputs.size() != 1) {
        Error(one->Error("'shape' is for a single output", "write 'shapes', one per output"));
        return false;
      }
      spec->outputs.front().shape = ShapeFrom(*one);
    }
    const Node* several = written.node->Find("shapes");
    if (several == nullptr) return true;
    if (several->items.size() != spec->outputs.size()) {
      Error(several->Error(
          fmt::format("{} shapes for {} outputs", several->items.size(), spec->outputs.size())));
      return false;
    }
    for (size_t i = 0; i < several->items.size(); ++i) {
      spec->outputs[i].shape = ShapeFrom(several->items[i]);
    }
    return true;
  }

  void AddOutputs() {
    const Node* list = root_.Find("outputs");
    if (list == nullptr || !list->IsSequence()) return;
    places_.Set("outputs", *list);
    for (const Node& output : list->items) {
      const auto id = ids_.find(output.text);
      if (id != ids_.end()) {
        graph_.outputs.push_back(id->second);
      } else if (!producers_.contains(output.text)) {
        Error(output.Error(fmt::format("nothing writes the output '{}'", output.text),
                           SuggestionHint(output.text, TensorNames())));
      }
    }
  }

  void AddBits() {
    const Node* map = root_.Find("bits");
    if (map == nullptr || !map->IsMapping()) return;
    for (const auto& [name, width] : map->entries) {
      places_.Set("bits." + name.text, name);
      graph_.bits.emplace_back(name.text, AsWordBits(width).value_or(kUsualBits));
    }
  }

  const Node& root_;
  Places places_;
  Reading* reading_;
  Diagnostics* diagnostics_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> ids_;       // of what has its shape by now
  std::unordered_map<std::string, size_t> producers_;  // index into nodes_
  std::vector<Written> nodes_;
};

void ReadNetwork(const Node& node, Reading* reading) {
  if (node.IsMapping()) NetworkReader(node, reading).Read();
}

}  // namespace

Kind NetworkKind() {
  return {"network", "a network as a graph of nodes", &NetworkType(), ReadNetwork};
}

}  // namespace inlay::io
