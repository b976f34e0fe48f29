#include "inlay/io/native/study_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "inlay/base/suggest.h"

namespace inlay::io {
namespace {

constexpr int64_t kLongestRange = 100'000;

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Node Scalar(const Node& place, std::string text) {
  Node node = place;
  node.kind = Node::Kind::kScalar;
  node.items.clear();
  node.entries.clear();
  node.text = std::move(text);
  return node;
}

// "3..7" is 3, 4, 5, 6, 7; any other scalar is itself.
std::vector<Node> ExpandRange(const Node& scalar, Diagnostics* diagnostics) {
  const std::string_view text = scalar.text;
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {scalar};
  const auto first = WholeNumber(text.substr(0, dots));
  const auto last = WholeNumber(text.substr(dots + 2));
  if (!first || !last) return {scalar};
  if (*last < *first || *last - *first >= kLongestRange) {
    diagnostics->push_back(
        scalar.Error(fmt::format("'{}' is no range of 1 to {} numbers", scalar.text, kLongestRange),
                     "write the smaller number first: 1..256"));
    return {};
  }
  std::vector<Node> values;
  for (int64_t i = *first; i <= *last; ++i) values.push_back(Scalar(scalar, std::to_string(i)));
  return values;
}

// A place in a variant that takes several values.
struct Choice {
  std::vector<std::string> path;  // keys from the root of the variant
  std::vector<Node> values;
};

// Lists that mean what they say, instead of one variant for each element.
bool IsPlainList(std::string_view key) {
  return key == "keep" || key == "bypass" || key == "constraints" || key == "tensors" ||
         key == "layers";
}

void CollectChoices(const Node& node, std::vector<std::string>* path, std::vector<Choice>* choices,
                    Diagnostics* diagnostics) {
  for (const auto& [key, value] : node.entries) {
    if (IsPlainList(key.text)) continue;
    path->push_back(key.text);
    if (value.IsMapping()) {
      CollectChoices(value, path, choices, diagnostics);
    } else {
      std::vector<Node> values;
      for (const Node& item : value.IsSequence() ? value.items : std::vector<Node>{value}) {
        for (Node& one : ExpandRange(item, diagnostics)) values.push_back(std::move(one));
      }
      if (value.IsSequence() && value.items.empty()) {
        diagnostics->push_back(value.Error("an empty list leaves no variant",
                                           "list at least one value, or leave the key out"));
      }
      const bool several = value.IsSequence() || values.size() > 1;
      if (several && !values.empty()) choices->push_back({*path, std::move(values)});
    }
    path->pop_back();
  }
}

Node* FindMutable(Node* node, const std::string& key) {
  for (auto& [name, value] : node->entries) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

void Put(Node* mapping, const Node& key, Node value) {
  if (Node* old = FindMutable(mapping, key.text)) {
    *old = std::move(value);
  } else {
    mapping->entries.emplace_back(key, std::move(value));
  }
}

void Put(Node* mapping, const std::string& key, Node value) {
  const Node name = Scalar(value, key);
  Put(mapping, name, std::move(value));
}

// The value of a kind, built from a node that may have been put together.
template <typename Value>
std::optional<Value> Build(const Kind& kind, const Node& node, Reading* reading,
                           std::optional<Value> Inputs::*member) {
  Reading part;
  part.context = reading->context;
  part.inputs.technology = reading->inputs.technology;
  Check(Scalar(node, std::string(kind.name)), node, *kind.type, &part.diagnostics);
  if (part.diagnostics.empty()) kind.read(node, &part);
  for (Diagnostic& error : part.diagnostics) reading->Add(std::move(error));
  if (!part.diagnostics.empty()) return std::nullopt;
  return std::move(part.inputs.*member);
}

// What an entry of `levels` is called.
std::string EntryName(const Node& entry) {
  for (const char* key : {"name", "fanout", "compute"}) {
    if (const Node* name = entry.Find(key)) return name->text;
  }
  return "";
}

// Puts the attributes of a variant into the node of the architecture it is like.
void Override(const Node& variant, Node* base, Diagnostics* diagnostics) {
  Node* levels = FindMutable(base, "levels");
  std::vector<std::string> names;
  if (levels != nullptr) {
    for (const Node& entry : levels->items) names.push_back(EntryName(entry));
  }
  for (const auto& [key, value] : variant.entries) {
    if (key.text == "like" || key.text == "label") continue;
    if (key.text == "constraints") {
      Node all = value;
      if (const Node* old = FindMutable(base, key.text)) {
        all.items.insert(all.items.begin(), old->items.begin(), old->items.end());
      }
      Put(base, key, std::move(all));
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), key.text);
    if (found == names.end()) {
      diagnostics->push_back(
          key.Error(fmt::format("the architecture has no level or fan-out '{}'", key.text),
                    SuggestionHint(key.text, names)));
      continue;
    }
    for (const auto& [attribute, what] : value.entries) {
      Put(&levels->items[static_cast<size_t>(found - names.begin())], attribute, what);
    }
  }
}

std::optional<Node> ArchitectureNode(const Node& like, Reading* reading) {
  if (!reading->context->find_architecture) {
    reading->Add(like.Error(fmt::format("unknown architecture '{}'", like.text)));
    return std::nullopt;
  }
  auto source = reading->context->find_architecture(like.text, like);
  if (!source) {
    for (Diagnostic& error : source.error()) reading->Add(std::move(error));
    return std::nullopt;
  }
  auto documents = ParseYaml(*std::move(source));
  if (!documents) return std::nullopt;
  for (const Node& document : *documents) {
    if (const Node* found = document.Find("architecture")) return *found;
  }
  return std::nullopt;
}

std::optional<StudySetting> BuildArchitecture(const Node& variant, const std::string& label,
                                              Reading* reading) {
  auto base = ArchitectureNode(*variant.Find("like"), reading);
  if (!base) return std::nullopt;
  const size_t before = reading->diagnostics.size();
  Override(variant, &*base, &reading->diagnostics);
  if (reading->diagnostics.size() > before) return std::nullopt;
  Put(&*base, "name", Scalar(variant, label));
  auto built = Build(ArchitectureKind(), *base, reading, &Inputs::architecture);
  if (!built) return std::nullopt;
  return StudySetting{label, "", std::move(built), std::nullopt, {}};
}

// A layer becomes a network of one; a list of layers is a network as it stands.
std::optional<StudySetting> BuildWorkload(const Node& variant, const std::string& label,
                                          Reading* reading) {
  Node network = Scalar(variant, "");
  network.kind = Node::Kind::kMapping;
  Put(&network, "name", Scalar(variant, label));
  if (variant.Find("layers") != nullptr) {
    for (const auto& [key, value] : variant.entries) {
      if (key.text != "label") Put(&network, key, value);
    }
  } else {
    Node layer = variant;
    std::erase_if(layer.entries, [](const auto& entry) { return entry.first.text == "label"; });
    Put(&layer, "name", Scalar(variant, label));
    Node list = Scalar(variant, "");
    list.kind = Node::Kind::kSequence;
    list.items.push_back(std::move(layer));
    Put(&network, "layers", std::move(list));
  }
  auto built = Build(LayersKind(), network, reading, &Inputs::network);
  if (!built) return std::nullopt;
  return StudySetting{label, "", std::nullopt, std::move(built), {}};
}

// "eyeriss x=7 y=6": what it is like, and what varies.
std::string LabelOf(const Node& variant, const std::vector<Choice>& choices,
                    const std::vector<size_t>& index) {
  std::string label = TextOr(variant, "label", TextOr(variant, "like"));
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!label.empty()) label += ' ';
    label += choices[i].path.back() + "=" + choices[i].values[index[i]].text;
  }
  if (label.empty() && !variant.entries.empty()) label = variant.entries.front().first.text;
  return label;
}

std::vector<StudySetting> ExpandVariant(bool is_arch, const Node& entry, Reading* reading) {
  std::vector<Choice> choices;
  std::vector<std::string> path;
  const size_t before = reading->diagnostics.size();
  CollectChoices(entry, &path, &choices, &reading->diagnostics);
  std::vector<StudySetting> settings;
  if (reading->diagnostics.size() > before) return settings;
  std::vector<size_t> index(choices.size(), 0);
  while (true) {
    Node variant = entry;
    for (size_t i = 0; i < choices.size(); ++i) {
      Node* node = &variant;
      for (const std::string& key : choices[i].path) node = FindMutable(node, key);
      *node = choices[i].values[index[i]];
    }
    const std::string label = LabelOf(entry, choices, index);
    auto built = is_arch ? BuildArchitecture(variant, label, reading)
                         : BuildWorkload(variant, label, reading);
    if (!built) return settings;  // the others would say the same
    settings.push_back(*std::move(built));
    size_t i = choices.size();
    while (i > 0 && ++index[i - 1] == choices[i - 1].values.size()) index[--i] = 0;
    if (i == 0) return settings;
  }
}

}  // namespace

std::vector<StudySetting> ExpandSetting(const std::string& axis, const Node& entry,
                                        Reading* reading) {
  std::vector<StudySetting> settings;
  if (entry.IsScalar()) {
    for (const Node& value : ExpandRange(entry, &reading->diagnostics)) {
      settings.push_back({value.text, value.text, std::nullopt, std::nullopt, {}});
    }
    return settings;
  }
  if (!entry.IsMapping()) return settings;
  const bool is_arch = axis == "arch";
  if (!is_arch && axis != "workload") {
    reading->Add(entry.Error(fmt::format("a setting of '{}' is a single value", axis),
                             "only 'workload' and 'arch' take mappings"));
    return settings;
  }
  if (is_arch && (entry.Find("like") == nullptr || !entry.Find("like")->IsScalar())) {
    reading->Add(entry.Error("a variant does not say what it is like",
                             "write '{like: eyeriss, array: {x: [7, 14]}}'"));
    return settings;
  }
  return ExpandVariant(is_arch, entry, reading);
}

}  // namespace inlay::io
