#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/io/native/accelerator.h"
#include "inlay/io/native/keys.h"

namespace inlay::io {
namespace {

constexpr std::string_view kNameKey = "name";

// The keys of a document's accelerator, and of one as part of a mix: there all are optional, and
// 'like' names what it is a variant of.
std::vector<Key> AcceleratorKeyList() {
  const auto all = TypeOf<Accelerator>().keys;
  std::vector<Key> keys(all.begin(), all.end());
  std::stable_partition(keys.begin(), keys.end(), [](const Key& key) { return key.required; });
  return keys;
}
const Type& AcceleratorType() {
  static const std::vector<Key> keys = AcceleratorKeyList();
  static const Type type = {.form = Form::kObject, .what = "an accelerator", .keys = keys};
  return type;
}
const Type& VariantType() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> list = AcceleratorKeyList();
    for (Key& key : list) key.required = false;
    list.insert(list.begin(), {"like", "the accelerator that this is a variant of", &kTitle});
    return list;
  }();
  static const Type type = {.form = Form::kObject, .what = "an accelerator", .keys = keys};
  return type;
}

// Every key that the node has.
void Override(const Node& node, Accelerator* to) {
  Diagnostics none;  // Check has reported all that is wrong
  ReadKeys(node, {.clock_hz = &to->clock_hz}, to, &none);
}

class AcceleratorReader {
 public:
  AcceleratorReader(const std::string& prefix, Places* places, Reading* reading)
      : prefix_(prefix), places_(places), reading_(reading) {}

  std::optional<Accelerator> Read(const Node& node) {
    if (node.IsScalar()) return Named(node);
    if (!node.IsMapping()) return std::nullopt;
    Accelerator accelerator;
    const Node* like = node.Find("like");
    if (like != nullptr && like->IsScalar()) {
      auto base = Named(*like);
      if (!base) return std::nullopt;
      accelerator = *std::move(base);
    }
    if (accelerator.name.empty()) accelerator.name = "its own";
    places_->SetEntries(prefix_, node);
    bool complete = true;
    if (like == nullptr) {
      for (const Key& key : AcceleratorType().keys) {
        if (key.required && key.name != kNameKey) complete = Need(node, key) && complete;
      }
    }
    Override(node, &accelerator);
    return complete ? std::optional<Accelerator>(std::move(accelerator)) : std::nullopt;
  }

 private:
  // Of a document the check has said it already.
  bool Need(const Node& node, const Key& key) {
    if (node.Find(key.name) != nullptr) return true;
    if (!prefix_.empty()) {
      reading_->Add(
          node.Error(fmt::format("an accelerator needs the key '{}'", key.name),
                     fmt::format("'{}': {}; or write 'like: ai-mt'", key.name, key.sentence)));
    }
    return false;
  }

  std::optional<Accelerator> Named(const Node& name) {
    return FindNamed(name, "accelerator", reading_->context->find_accelerator, &Inputs::accelerator,
                     reading_);
  }

  const std::string& prefix_;
  Places* places_;
  Reading* reading_;
};

void ReadAccelerator(const Node& node, Reading* reading) {
  if (!node.IsMapping()) return;
  Places places(node);
  auto accelerator = BuildAccelerator(node, "", &places, reading);
  if (!accelerator || !reading->KindIsClean()) return;
  places.Report(Validate(*accelerator), &reading->diagnostics);
  reading->inputs.accelerator = std::move(accelerator);
}

}  // namespace

const Type& AcceleratorOrNameType() {
  static const std::array<const Type*, 2> options = {&kTitle, &VariantType()};
  static const Type type = {.form = Form::kEither,
                            .what =
                                "the name of an accelerator, or a variant such as '{like: ai-mt, "
                                "memory: 20 MiB}'",
                            .options = options};
  return type;
}

std::optional<Accelerator> BuildAccelerator(const Node& node, const std::string& prefix,
                                            Places* places, Reading* reading) {
  return AcceleratorReader(prefix, places, reading).Read(node);
}

std::vector<std::string> AcceleratorKeys() {
  std::vector<std::string> names;
  for (const Key& key : AcceleratorType().keys) {
    if (key.name != kNameKey) names.emplace_back(key.name);
  }
  return names;
}

Result<void> SetAcceleratorKey(std::string_view key, std::string_view text,
                               Accelerator* accelerator) {
  const auto scalar = [](std::string_view value) {
    Node node;
    node.kind = Node::Kind::kScalar;
    node.text = value;
    return node;
  };
  const auto keys = AcceleratorType().keys;
  const auto declared =
      std::find_if(keys.begin(), keys.end(), [key](const Key& known) { return known.name == key; });
  INLAY_CHECK(declared != keys.end());
  Node value = scalar(text);
  if (declared->type->form == Form::kObject) {
    const size_t times = text.find('x');
    if (times == std::string_view::npos) {
      return Fail(value.Error("'" + value.text + "' is no size of an array", "write ROWSxCOLUMNS"));
    }
    value.kind = Node::Kind::kMapping;
    value.entries = {{scalar("rows"), scalar(text.substr(0, times))},
                     {scalar("columns"), scalar(text.substr(times + 1))}};
  }
  Diagnostics errors;
  Check(scalar(key), value, *declared->type, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  Node node;
  node.kind = Node::Kind::kMapping;
  node.entries.emplace_back(scalar(key), std::move(value));
  Override(node, accelerator);
  for (const Fault& fault : Validate(*accelerator)) {
    errors.push_back(scalar("").Error(fault.message, fault.hint));
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return {};
}

Kind AcceleratorKind() {
  return {"accelerator", "arrays, memory and channel that several networks share",
          &AcceleratorType(), ReadAccelerator};
}

}  // namespace inlay::io
