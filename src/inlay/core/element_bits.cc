#include "inlay/core/element_bits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "inlay/base/suggest.h"

namespace inlay {
namespace {

constexpr std::array<std::pair<ValueRole, const char*>, 3> kRoles = {
    {{ValueRole::kInput, "inputs"},
     {ValueRole::kWeight, "weights"},
     {ValueRole::kActivation, "activations"}}};
constexpr const char* kKeysAndValues = "kv";

std::optional<int> EntryOf(const ElementBits& bits, std::string_view name) {
  for (const auto& [entry, width] : bits) {
    if (entry == name) return static_cast<int>(width);
  }
  return std::nullopt;
}

// Whether the first output is the inputs' words in another order, among others.
bool OnlyCopies(Op op) {
  return op == Op::kTranspose || op == Op::kConcat || op == Op::kExpand || op == Op::kPad;
}

// By value that owns its words, whether it holds keys or values of attention.
IndexedVector<ValueId, uint8_t> KeysAndValuesOf(const Graph& graph) {
  IndexedVector<ValueId, uint8_t> found(graph.values.size(), 0);
  const auto is_weight = [&](ValueId v) {
    return graph.values[StorageOf(graph, v)].role == ValueRole::kWeight;
  };
  // From the last node to the first: what copies are made of comes before them.
  for (size_t i = graph.nodes.size(); i > 0; --i) {
    const GraphNode& node = graph.nodes[NodeId(i - 1)];
    const bool product = (node.op == Op::kMatmul || node.op == Op::kEinsum) &&
                         node.inputs.size() == 2 && !is_weight(node.inputs[0]) &&
                         !is_weight(node.inputs[1]);
    if (product) found[StorageOf(graph, node.inputs[1])] = 1;
    if (!OnlyCopies(node.op) || found[StorageOf(graph, node.outputs.front())] == 0) continue;
    for (const ValueId v : node.inputs) {
      if (!is_weight(v)) found[StorageOf(graph, v)] = 1;
    }
  }
  return found;
}

Faults UnknownEntries(const std::unordered_map<std::string, ValueId>& ids,
                      const ElementBits& bits) {
  std::vector<std::string> names = {kAllValues, "inputs", "weights", "activations", kKeysAndValues};
  const size_t groups = names.size();
  Faults faults;
  for (const auto& [name, width] : bits) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(groups);
    if (ids.contains(name) || std::find(names.begin(), end, name) != end) continue;
    if (names.size() == groups) {
      for (const auto& [other, id] : ids) names.push_back(other);
      std::sort(names.begin() + static_cast<std::ptrdiff_t>(groups), names.end());
    }
    const auto near = Suggest(name, names);
    faults.push_back({"bits." + name, "nothing of the network is called '" + name + "'",
                      near ? "did you mean '" + *near + "'?"
                           : "name all, inputs, weights, activations, kv, or a tensor"});
  }
  return faults;
}

}  // namespace

tl::expected<ValueBits, Faults> BitsOfValues(const Graph& graph, const ElementBits& bits) {
  std::unordered_map<std::string, ValueId> ids;
  for (const ValueId v : Ids(graph.values)) ids.emplace(graph.values[v].name, v);
  if (Faults faults = UnknownEntries(ids, bits); !faults.empty()) return tl::unexpected(faults);
  ValueBits widths(graph.values.size(), BitsOfAll(bits));
  for (const auto& [role, name] : kRoles) {
    const auto width = EntryOf(bits, name);
    for (const ValueId v : Ids(graph.values)) {
      if (width && graph.values[v].role == role) widths[v] = *width;
    }
  }
  if (const auto width = EntryOf(bits, kKeysAndValues)) {
    const auto found = KeysAndValuesOf(graph);
    for (const ValueId v : Ids(found)) {
      if (found[v] != 0) widths[v] = *width;
    }
  }
  for (const auto& [name, width] : bits) {
    const auto named = ids.find(name);
    if (named != ids.end()) widths[StorageOf(graph, named->second)] = static_cast<int>(width);
  }
  for (const ValueId v : Ids(graph.values)) widths[v] = widths[StorageOf(graph, v)];
  return widths;
}

int BitsOfAll(const ElementBits& bits) { return EntryOf(bits, kAllValues).value_or(kUsualBits); }

std::string BitsText(const ElementBits& bits) {
  std::string text = std::to_string(BitsOfAll(bits)) + " bits";
  for (const auto& [name, width] : bits) {
    if (name != kAllValues) text += ", " + name + " " + std::to_string(width);
  }
  return text;
}

}  // namespace inlay
