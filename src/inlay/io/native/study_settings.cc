#include "inlay/io/native/study_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "inlay/base/suggest.h"

namespace inlay::io {
namespace {

constexpr uint64_t kLongestRange = 100'000;

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

// Adds what a scalar stands for: "3..7" is 3, 4, 5, 6, 7; any other is itself.
void AddRange(const Node& scalar, StudyValues* values, Diagnostics* diagnostics) {
  const std::string_view text = scalar.text;
  const size_t dots = text.find("..");
  const auto first =
      dots == std::string_view::npos ? std::nullopt : WholeNumber(text.substr(0, dots));
  const auto last = first ? WholeNumber(text.substr(dots + 2)) : std::nullopt;
  if (!first || !last) return values->Add(scalar.text);
  // In terms that do not overflow.
  if (*last < *first ||
      static_cast<uint64_t>(*last) - static_cast<uint64_t>(*first) >= kLongestRange) {
    diagnostics->push_back(
        scalar.Error(fmt::format("'{}' is no range of 1 to {} numbers", scalar.text, kLongestRange),
                     "write the smaller number first: 1..256"));
    return;
  }
  values->AddRange(*first, *last);
}

// A place in a variant that takes several values.
struct Choice {
  std::vector<std::string> path;  // keys from the root of the variant
  std::vector<Node> items;        // as the file has them, one for each part of the values
  StudyValues values;

  Node At(size_t index) const {
    const size_t part = values.PartOf(index);
    return values.parts()[part].is_range ? Scalar(items[part], values[index]) : items[part];
  }
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
      Choice choice{*path, value.IsSequence() ? value.items : std::vector<Node>{value}, {}};
      for (const Node& item : choice.items) AddRange(item, &choice.values, diagnostics);
      if (value.IsSequence() && value.items.empty()) {
        diagnostics->push_back(value.Error("an empty list leaves no variant",
                                           "list at least one value, or leave the key out"));
      }
      const bool several = value.IsSequence() || choice.values.size() > 1;
      if (several && choice.values.size() > 0) choices->push_back(std::move(choice));
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
Result<std::shared_ptr<const Value>> Build(const Kind& kind, const Node& node,
                                           const NativeContext& context,
                                           const std::optional<Technology>& technology,
                                           std::optional<Value> Inputs::*member) {
  Reading part;
  part.context = &context;
  part.inputs.technology = technology;
  Check(Scalar(node, std::string(kind.name)), node, *kind.type, &part.diagnostics);
  if (part.diagnostics.empty()) kind.read(node, &part);
  if (!part.diagnostics.empty()) return Fail(std::move(part.diagnostics));
  return std::make_shared<const Value>(*std::move(part.inputs.*member));
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

Result<Node> ArchitectureNode(const Node& like, const NativeContext& context) {
  if (!context.find_architecture) {
    return Fail(like.Error(fmt::format("unknown architecture '{}'", like.text)));
  }
  auto source = context.find_architecture(like.text, like);
  if (!source) return Fail(std::move(source.error()));
  auto documents = ParseYaml(*std::move(source));
  if (!documents) return Fail(std::move(documents.error()));
  for (const Node& document : *documents) {
    if (const Node* found = document.Find("architecture")) return *found;
  }
  return Fail(like.Error(fmt::format("'{}' holds no architecture", like.text)));
}

// Makes the settings of one mapping, when they are asked for.
class Variant {
 public:
  Variant(bool is_arch, Node entry, std::vector<Choice> choices, const Reading& reading)
      : is_arch_(is_arch),
        entry_(std::move(entry)),
        choices_(std::move(choices)),
        context_(*reading.context),
        technology_(reading.inputs.technology) {
    // May hold on to what lives only while the file is read; variants name no graphs.
    context_.find_graph = nullptr;
  }

  Result<StudySetting> Make(const std::vector<size_t>& chosen, const std::string& label) const {
    Node variant = entry_;
    for (size_t i = 0; i < choices_.size(); ++i) {
      Node* node = &variant;
      for (const std::string& key : choices_[i].path) node = FindMutable(node, key);
      *node = choices_[i].At(chosen[i]);
    }
    return is_arch_ ? MakeArchitecture(variant, label) : MakeWorkload(variant, label);
  }

 private:
  Result<StudySetting> MakeArchitecture(const Node& variant, const std::string& label) const {
    auto base = ArchitectureNode(*variant.Find("like"), context_);
    if (!base) return Fail(std::move(base.error()));
    Diagnostics errors;
    Override(variant, &*base, &errors);
    if (!errors.empty()) return Fail(std::move(errors));
    Put(&*base, "name", Scalar(variant, label));
    auto built = Build(ArchitectureKind(), *base, context_, technology_, &Inputs::architecture);
    if (!built) return Fail(std::move(built.error()));
    return StudySetting{label, "", *std::move(built), {}, {}};
  }

  // A layer becomes a network of one; a list of layers is a network as it stands.
  Result<StudySetting> MakeWorkload(const Node& variant, const std::string& label) const {
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
    auto built = Build(LayersKind(), network, context_, technology_, &Inputs::network);
    if (!built) return Fail(std::move(built.error()));
    return StudySetting{label, "", {}, *std::move(built), {}};
  }

  bool is_arch_;
  Node entry_;
  std::vector<Choice> choices_;
  NativeContext context_;
  std::optional<Technology> technology_;
};

// What labels begin with: "eyeriss" of "eyeriss x=7 y=6", what it is like.
std::string LabelOf(const Node& variant, bool varies) {
  std::string label = TextOr(variant, "label", TextOr(variant, "like"));
  if (label.empty() && !varies && !variant.entries.empty()) {
    label = variant.entries.front().first.text;
  }
  return label;
}

std::optional<StudyEntry> ReadVariant(bool is_arch, const Node& entry, Reading* reading) {
  std::vector<Choice> choices;
  std::vector<std::string> path;
  const size_t before = reading->diagnostics.size();
  CollectChoices(entry, &path, &choices, &reading->diagnostics);
  if (reading->diagnostics.size() > before) return std::nullopt;
  StudyEntry settings;
  settings.label = LabelOf(entry, !choices.empty());
  for (const Choice& choice : choices) {
    settings.choices.push_back({choice.path.back(), choice.values});
  }
  const auto variant =
      std::make_shared<const Variant>(is_arch, entry, std::move(choices), *reading);
  settings.build = [variant](const std::vector<size_t>& chosen, const std::string& label) {
    return variant->Make(chosen, label);
  };
  for (const size_t probe : settings.Probes()) {
    const auto built = settings.At(probe);
    if (built) continue;
    for (const Diagnostic& error : built.error()) reading->Add(error);
    return settings;  // the others would say the same
  }
  return settings;
}

}  // namespace

std::optional<StudyEntry> ReadSettings(const std::string& axis, const Node& entry,
                                       Reading* reading) {
  if (entry.IsScalar()) {
    StudyEntry settings;
    StudyEntry::Choice& choice = settings.choices.emplace_back();
    choice.each = NamesInputs(axis);
    AddRange(entry, &choice.values, &reading->diagnostics);
    return settings;
  }
  if (!entry.IsMapping()) return std::nullopt;
  const bool is_arch = axis == "arch";
  if (!is_arch && axis != "workload") {
    reading->Add(entry.Error(fmt::format("a setting of '{}' is a single value", axis),
                             "only 'workload' and 'arch' take mappings"));
    return std::nullopt;
  }
  if (is_arch && (entry.Find("like") == nullptr || !entry.Find("like")->IsScalar())) {
    reading->Add(entry.Error("a variant does not say what it is like",
                             "write '{like: eyeriss, array: {x: [7, 14]}}'"));
    return std::nullopt;
  }
  return ReadVariant(is_arch, entry, reading);
}

}  // namespace inlay::io
