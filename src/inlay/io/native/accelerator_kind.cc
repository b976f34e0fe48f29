#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/io/native/accelerator.h"
#include "inlay/io/native/machine_quantity.h"
#include "inlay/io/native/quantity.h"

namespace inlay::io {
namespace {

// Without it nothing would ever arrive; other bandwidths may be left out.
Parsed<ByteRate> ParseChannelRate(std::string_view text) {
  auto rate = ParseByteRate(text);
  if (!rate && !rate.error().hint.empty() && rate.error().message.ends_with("more than 0")) {
    rate.error().hint = "write for example '450 B/cycle'; all weights come through it";
  }
  return rate;
}

constinit const Type kClock = {.form = Form::kText,
                               .what = "a frequency such as '1 GHz'",
                               .check = CheckBy<ParseFrequencyHz>,
                               .pattern = FrequencyPattern};
constinit const Type kSize = {.form = Form::kText,
                              .what = "a size such as '32 MiB'",
                              .check = CheckBy<ParseByteSize>,
                              .pattern = ByteSizePattern};
constinit const Type kRate = {.form = Form::kText,
                              .what = "a bandwidth such as '450 B/cycle' or '450 GB/s'",
                              .check = CheckBy<ParseChannelRate>,
                              .pattern = ByteRatePattern};
constexpr std::array<std::string_view, 3> kDataflowWords = {"os", "ws", "is"};
constinit const Type kDataflow = {
    .form = Form::kWord, .what = "os, ws or is", .words = kDataflowWords};
constexpr int64_t kMostRows = 1 << 20;
constinit const Type kRows = {
    .form = Form::kInteger, .what = "a number of elements", .minimum = 1, .maximum = kMostRows};
constexpr std::array kArrayKeys = {Key{"rows", "elements from top to bottom", &kRows, true},
                                   Key{"columns", "elements from left to right", &kRows, true}};
constinit const Type kArray = {
    .form = Form::kObject, .what = "a systolic array", .keys = kArrayKeys};
constinit const Type kArrays = {
    .form = Form::kInteger, .what = "a number of arrays", .minimum = 1, .maximum = kMostRows};
constinit const Type kLayers = {
    .form = Form::kInteger, .what = "a number of layers from 0", .minimum = 0};

constexpr Key kName = {"name", "what the accelerator is called in results", &kTitle, true};
constexpr Key kMemory = {"memory", "on chip, for weights and feature maps", &kSize, true};
constexpr Key kBandwidth = {"bandwidth", "of the channel to the memory off chip", &kRate, true};
constexpr Key Optional(Key key) {
  key.required = false;
  return key;
}
constexpr Key kClockKey = {"clock", "turns cycles into seconds (default 1 GHz)", &kClock};
constexpr Key kArraysKey = {"arrays", "how many arrays work on a layer together (default 16)",
                            &kArrays};
constexpr Key kArrayKey = {"array", "each of them (default 128 by 128 elements)", &kArray};
constexpr Key kDataflowKey = {"dataflow", "what stays in the elements (default os)", &kDataflow};
constexpr Key kBitsKey = {"bits", "of every element of a tensor (default 8)", &kWordBits};
constexpr Key kBlockKey = {"block", "most weights that are fetched at a time (default 256 KiB)",
                           &kSize};
constexpr Key kWindowKey = {
    "window", "most weights on chip that wait for their turn (default 2 MiB)", &kSize};
constexpr Key kLookAheadKey = {
    "look_ahead", "how many layers ahead of the running one weights are fetched (default 4)",
    &kLayers};
constexpr std::array kAcceleratorKeys = {kName,      kMemory,    kBandwidth,   kClockKey,
                                         kArraysKey, kArrayKey,  kDataflowKey, kBitsKey,
                                         kBlockKey,  kWindowKey, kLookAheadKey};
constexpr std::array kVariantKeys = {
    Key{"like", "the accelerator that this is a variant of", &kTitle},
    Optional(kName),
    Optional(kMemory),
    Optional(kBandwidth),
    kClockKey,
    kArraysKey,
    kArrayKey,
    kDataflowKey,
    kBitsKey,
    kBlockKey,
    kWindowKey,
    kLookAheadKey};
constinit const Type kAccelerator = {
    .form = Form::kObject, .what = "an accelerator", .keys = kAcceleratorKeys};
constinit const Type kVariant = {
    .form = Form::kObject, .what = "an accelerator", .keys = kVariantKeys};
constexpr std::array<const Type*, 2> kOptions = {&kTitle, &kVariant};

// Every key that the node has.
void Override(const Node& node, Accelerator* to) {
  const auto size = [&](const char* key, int64_t* bytes) {
    *bytes = ParsedKey<ParseByteSize>(node, key).value_or(*bytes);
  };
  to->clock_hz = ParsedKey<ParseFrequencyHz>(node, "clock").value_or(to->clock_hz);
  to->arrays = PositiveOr(node, "arrays", to->arrays);
  if (const Node* array = node.Find("array")) {
    to->array.rows = PositiveOr(*array, "rows", to->array.rows);
    to->array.columns = PositiveOr(*array, "columns", to->array.columns);
  }
  const auto dataflow = DataflowFromShortName(TextOr(node, "dataflow"));
  to->array.dataflow = dataflow.value_or(to->array.dataflow);
  to->bits = WordBitsOr(node, "bits", to->bits);
  size("memory", &to->memory_bytes);
  size("block", &to->block_bytes);
  size("window", &to->window_bytes);
  if (const Node* layers = node.Find("look_ahead"); layers != nullptr && layers->IsScalar()) {
    to->window_layers = AsInt(*layers, "").value_or(to->window_layers);
  }
  if (const auto rate = ParsedKey<ParseByteRate>(node, "bandwidth")) {
    to->bytes_per_cycle = rate->per_cycle ? rate->bytes : rate->bytes / to->clock_hz;
  }
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
    accelerator.name =
        TextOr(node, "name", accelerator.name.empty() ? "its own" : accelerator.name);
    for (const auto& [key, value] : node.entries) places_->Set(prefix_ + key.text, value);
    bool complete = true;
    if (like == nullptr) {
      for (const Key& key : {kMemory, kBandwidth}) complete = Need(node, key) && complete;
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
    const std::optional<Accelerator>& own = reading_->inputs.accelerator;
    if (own && own->name == name.text) return own;
    if (!reading_->context->find_accelerator) {
      reading_->Add(name.Error(fmt::format("there is no accelerator '{}'", name.text)));
      return std::nullopt;
    }
    auto source = reading_->context->find_accelerator(name.text, name);
    auto inputs = source ? ReadNative({*std::move(source)}, *reading_->context)
                         : Fail(std::move(source.error()));
    if (!inputs) {
      for (Diagnostic& diagnostic : inputs.error()) reading_->Add(std::move(diagnostic));
      return std::nullopt;
    }
    return std::move(inputs->accelerator);
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

constinit const Type kAcceleratorOrName = {.form = Form::kEither,
                                           .what =
                                               "the name of an accelerator, or a variant such "
                                               "as '{like: ai-mt, memory: 20 MiB}'",
                                           .options = kOptions};

std::optional<Accelerator> BuildAccelerator(const Node& node, const std::string& prefix,
                                            Places* places, Reading* reading) {
  return AcceleratorReader(prefix, places, reading).Read(node);
}

std::vector<std::string> AcceleratorKeys() {
  std::vector<std::string> names;
  for (const Key& key : kAcceleratorKeys) {
    if (key.name != kName.name) names.emplace_back(key.name);
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
  const auto declared = std::find_if(kAcceleratorKeys.begin(), kAcceleratorKeys.end(),
                                     [key](const Key& known) { return known.name == key; });
  INLAY_CHECK(declared != kAcceleratorKeys.end());
  Node value = scalar(text);
  if (key == kArrayKey.name) {
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
  return {"accelerator", "arrays, memory and channel that several networks share", &kAccelerator,
          ReadAccelerator};
}

}  // namespace inlay::io
