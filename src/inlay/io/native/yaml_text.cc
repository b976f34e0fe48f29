#include "inlay/io/native/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "inlay/io/yaml/quote.h"

namespace inlay::io {
namespace {

// What some YAML reader takes for something other than a text.
constexpr std::array<std::string_view, 8> kNotText = {"true", "false", "yes",  "no",
                                                      "on",   "off",   "null", "nan"};

bool IsPlainStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool IsPlainInside(char c) {
  return IsPlainStart(c) || (c >= '0' && c <= '9') || c == ' ' || c == '.' || c == '-' ||
         c == '/' || c == '+' || c == '(' || c == ')' || c == '*';
}

// Numbers with units start with a digit; a text of digits alone would be a number.
bool IsPlain(std::string_view text) {
  if (text.empty() || text.back() == ' ') return false;
  if (!std::all_of(text.begin(), text.end(), IsPlainInside)) return false;
  if (!IsPlainStart(text[0])) {
    return text[0] >= '0' && text[0] <= '9' && text.find(' ') != std::string_view::npos;
  }
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(kNotText.begin(), kNotText.end(), lower) == kNotText.end();
}

}  // namespace

std::string Scalar(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  return DoubleQuoted(text);
}

FlowObject& FlowObject::Add(std::string_view key, std::string_view yaml) {
  if (!inside_.empty()) inside_ += ", ";
  inside_ += fmt::format("{}: {}", Scalar(key), yaml);
  return *this;
}

std::string FlowList(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) list += ", ";
    list += Scalar(texts[i]);
  }
  return list + "]";
}

}  // namespace inlay::io
