#include <algorithm>
#include <string>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/core/networks/decoder.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/network_types.h"

namespace inlay::io {
namespace {

Node ScalarOf(std::string text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::move(text);
  return node;
}

// Values that are given stand in no file: what is wrong with them is said of the option.
Diagnostic OfOption(const std::string& key, std::string message, std::string hint) {
  return MakeError({}, Mention("set", key) + ": " + std::move(message), std::move(hint));
}

// Puts the values that are given into the mapping; returns the keys that have one.
std::vector<std::string> Override(const DecoderValues& given, Node* node,
                                  Diagnostics* diagnostics) {
  std::vector<std::string> overridden;
  for (const Key& key : TypeOf<Decoder>().keys) {
    const std::string name(key.name);
    if (given.taken) given.taken->Add(name);
    const auto value = std::find_if(given.values.begin(), given.values.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (value == given.values.end()) continue;
    overridden.push_back(name);
    Node scalar = ScalarOf(value->second);
    Diagnostics errors;
    Check(ScalarOf(name), scalar, *key.type, &errors);
    for (Diagnostic& error : errors) {
      diagnostics->push_back(OfOption(name, std::move(error.message), std::move(error.hint)));
    }
    std::erase_if(node->entries, [&](const auto& entry) { return entry.first.text == name; });
    node->entries.emplace_back(ScalarOf(name), std::move(scalar));
  }
  return overridden;
}

}  // namespace

std::optional<Graph> ReadDecoder(const Node& node, Reading* reading) {
  Node with_given = node;
  const auto overridden =
      Override(reading->context->decoder_values, &with_given, &reading->diagnostics);
  if (!reading->KindIsClean()) return std::nullopt;
  Decoder decoder;
  ReadKeys(with_given, {}, &decoder, &reading->diagnostics);
  auto graph = GraphOf(decoder);
  if (graph) return *std::move(graph);
  Places places(node);
  places.SetEntries("", node);
  for (const Fault& fault : graph.error()) {
    const bool of_option =
        std::find(overridden.begin(), overridden.end(), fault.where) != overridden.end();
    if (of_option) {
      reading->Add(OfOption(fault.where, fault.message, fault.hint));
    } else {
      places.Report({fault}, &reading->diagnostics);
    }
  }
  return std::nullopt;
}

}  // namespace inlay::io
