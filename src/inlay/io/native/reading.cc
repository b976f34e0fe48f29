#include "inlay/io/native/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "inlay/core/units.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
std::optional<TextError> CheckTitleText(std::string_view text) {
  if (!text.empty()) return std::nullopt;
  return TextError{0, "a name must not be empty", ""};
}
std::string TitleTextPattern() { return "."; }

constinit const Type kFreeText = {.form = Form::kText, .what = "a text"};
constinit const Type kTitle = {
    .form = Form::kText, .what = "a name", .check = CheckTitleText, .pattern = TitleTextPattern};
constinit const Type kNameText = {
    .form = Form::kText, .what = "a name", .check = CheckName, .pattern = NamePattern};
constinit const Type kDimensionText = {.form = Form::kText,
                                       .what = "a dimension",
                                       .check = CheckDimensionName,
                                       .pattern = DimensionNamePattern};
constinit const Type kPositiveInteger = {
    .form = Form::kInteger, .what = "a whole number from 1", .minimum = 1};
constinit const Type kWordBits = {
    .form = Form::kInteger, .what = "a number of bits", .minimum = 1, .maximum = kMostWordBits};
constinit const Type kBooleanValue = {.form = Form::kBoolean, .what = "true or false"};

const Node& Places::Find(std::string_view where) const {
  while (true) {
    const auto found = nodes_.find(std::string(where));
    if (found != nodes_.end()) return *found->second;
    const size_t dot = where.rfind('.');
    if (dot == std::string_view::npos) return *root_;
    where = where.substr(0, dot);
  }
}

void Places::Report(const Faults& faults, Diagnostics* diagnostics) const {
  for (const Fault& fault : faults) {
    if (diagnostics->size() >= kMostErrors) return;
    diagnostics->push_back(Find(fault.where).Error(fault.message, fault.hint));
  }
}

void Places::Warn(const Faults& faults, Diagnostics* diagnostics) const {
  for (const Fault& fault : faults) {
    diagnostics->push_back(Find(fault.where).Warning(fault.message, fault.hint));
  }
}

void SortByPlace(const std::vector<std::string>& files, Diagnostics* diagnostics) {
  const auto key = [&files](const Diagnostic& diagnostic) {
    const SourceLocation& at = diagnostic.location;
    return std::tuple(std::find(files.begin(), files.end(), at.file), at.line, at.column);
  };
  std::stable_sort(diagnostics->begin(), diagnostics->end(),
                   [&key](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
}

std::optional<Inputs> ReadNamed(const Node& name, const char* kind, const FindSource& find,
                                Reading* reading) {
  if (!find) {
    reading->Add(name.Error(fmt::format("there is no {} '{}'", kind, name.text)));
    return std::nullopt;
  }
  NativeContext context = *reading->context;
  context.find_architecture = context.find_accelerator = nullptr;
  context.find_graph = nullptr;
  auto source = find(name.text, name);
  auto inputs =
      source ? ReadNative({*std::move(source)}, context) : Fail(std::move(source.error()));
  if (inputs) return *std::move(inputs);
  Append(std::move(inputs.error()), &reading->diagnostics);
  return std::nullopt;
}

std::string TextOr(const Node& node, std::string_view key, std::string_view otherwise) {
  const Node* value = node.Find(key);
  return value != nullptr && value->IsScalar() ? value->text : std::string(otherwise);
}

int64_t PositiveOr(const Node& node, std::string_view key, int64_t otherwise) {
  const Node* value = node.Find(key);
  return value == nullptr ? otherwise : AsPositive(*value).value_or(otherwise);
}

std::optional<int64_t> AsPositive(const Node& value) {
  if (!value.IsScalar()) return std::nullopt;
  const auto number = AsInt(value, "");
  return number && *number >= 1 ? std::optional<int64_t>(*number) : std::nullopt;
}

bool BoolOr(const Node& node, std::string_view key, bool otherwise) {
  const Node* value = node.Find(key);
  if (value == nullptr || !value->IsScalar()) return otherwise;
  return AsBool(*value, key).value_or(otherwise);
}

int WordBitsOr(const Node& node, std::string_view key, int otherwise) {
  const Node* value = node.Find(key);
  return value == nullptr ? otherwise : AsWordBits(*value).value_or(otherwise);
}

std::optional<int> AsWordBits(const Node& value) {
  if (!value.IsScalar()) return std::nullopt;
  const auto bits = AsInt(value, "word_bits");
  if (!bits || *bits < 1 || *bits > kMostWordBits) return std::nullopt;
  return static_cast<int>(*bits);
}

std::vector<std::string> ScalarTexts(const Node& list) {
  std::vector<std::string> names;
  for (const Node& item : list.items) {
    if (item.IsScalar()) names.push_back(item.text);
  }
  return names;
}

}  // namespace inlay::io
