#include "inlay/io/yaml/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "inlay/base/printable.h"

namespace inlay::io {
namespace {

// What a node is, for "expected …, found …".
std::string Describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMapping:
      return "a mapping";
    case Node::Kind::kScalar:
      break;
  }
  constexpr size_t kLongest = 40;
  std::string text = node.text.substr(0, kLongest);
  if (node.text.size() > kLongest) text += "...";
  return node.quoted ? fmt::format("the text \"{}\"", text) : fmt::format("'{}'", text);
}

Diagnostic Mismatch(const Node& node, std::string_view what, std::string_view expected,
                    std::string hint = "") {
  return node.Error(fmt::format("{} must be {}, found {}", what, expected, Describe(node)),
                    std::move(hint));
}

// The text of a number without the leading plus that std::from_chars does not take.
std::string_view WithoutPlus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <typename Number>
std::errc Convert(std::string_view text, Number* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  if (error != std::errc()) return error;
  return end == text.data() + text.size() ? std::errc() : std::errc::invalid_argument;
}

std::string HintForNumber(const Node& node) {
  if (node.IsScalar() && node.quoted) return "numbers are written without quotes";
  if (node.IsScalar() && node.text.find(',') != std::string::npos) {
    return "the decimal sign is a point, and there is no sign between thousands";
  }
  return "";
}

}  // namespace

Node::Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const Node* Node::Find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

std::string_view Node::SourceLine() const {
  if (source == nullptr) return "";
  if (line_start > source->text.size()) return LineOf(*source, line);
  const std::string_view whole = source->text;
  const std::string_view rest = whole.substr(line_start);
  return rest.substr(0, rest.find('\n'));
}

SourcePlace Node::Place() const { return {Error("").location, QuotableLine(SourceLine())}; }

std::string Node::PlaceSeenFrom(const Node& other) const {
  const bool elsewhere = source != nullptr && other.source != nullptr && source != other.source &&
                         source->name != other.source->name;
  return fmt::format("{}{}:{}", elsewhere ? source->name + ":" : "", line, column);
}

Diagnostic Node::Error(std::string message, std::string hint) const {
  Diagnostic diagnostic =
      MakeError({source ? source->name : "", line, column}, std::move(message), std::move(hint));
  diagnostic.source_line = QuotableLine(SourceLine());
  return diagnostic;
}

Diagnostic Node::Warning(std::string message, std::string hint) const {
  Diagnostic diagnostic = Error(std::move(message), std::move(hint));
  diagnostic.severity = Severity::kWarning;
  return diagnostic;
}

Result<int64_t> AsInt(const Node& node, std::string_view what) {
  constexpr std::string_view kExpected = "a whole number";
  if (!node.IsScalar() || node.quoted) {
    return Fail(Mismatch(node, what, kExpected, HintForNumber(node)));
  }
  int64_t value = 0;
  const std::errc error = Convert(WithoutPlus(node.text), &value);
  if (error == std::errc::result_out_of_range) {
    return Fail(node.Error(fmt::format("{} does not fit into 64 bits", what)));
  }
  if (error != std::errc()) return Fail(Mismatch(node, what, kExpected, HintForNumber(node)));
  return value;
}

Result<double> AsDouble(const Node& node, std::string_view what) {
  constexpr std::string_view kExpected = "a number";
  if (!node.IsScalar() || node.quoted) {
    return Fail(Mismatch(node, what, kExpected, HintForNumber(node)));
  }
  double value = 0;
  const std::errc error = Convert(WithoutPlus(node.text), &value);
  if (error == std::errc::result_out_of_range) {
    return Fail(node.Error(fmt::format("{} is too large or too small for a number", what)));
  }
  if (error != std::errc()) return Fail(Mismatch(node, what, kExpected, HintForNumber(node)));
  if (!std::isfinite(value)) return Fail(Mismatch(node, what, "a finite number"));
  return value;
}

Result<bool> AsBool(const Node& node, std::string_view what) {
  constexpr std::array<std::string_view, 10> kYes = {"true", "True", "TRUE", "yes", "Yes",
                                                     "YES",  "on",   "On",   "ON",  "y"};
  constexpr std::array<std::string_view, 10> kNo = {"false", "False", "FALSE", "no",  "No",
                                                    "NO",    "off",   "Off",   "OFF", "n"};
  if (node.IsScalar() && !node.quoted) {
    if (std::find(kYes.begin(), kYes.end(), node.text) != kYes.end()) return true;
    if (std::find(kNo.begin(), kNo.end(), node.text) != kNo.end()) return false;
  }
  return Fail(Mismatch(node, what, "true or false"));
}

Result<std::string> AsString(const Node& node, std::string_view what) {
  if (!node.IsScalar()) return Fail(Mismatch(node, what, "text"));
  return node.text;
}

}  // namespace inlay::io
