#include "inlay/io/timeloop/template_value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace inlay::io::timeloop {
namespace {

// A point, as in "4.0", tells it from a whole number.
std::string NumberText(double number) {
  std::string text = fmt::format("{}", number);
  const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? text + ".0" : text;
}

template <typename Number>
std::optional<Number> ParseWhole(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<Number>(number) : std::nullopt;
}

}  // namespace

double TemplateValue::Number() const {
  return Is<int64_t>() ? static_cast<double>(std::get<int64_t>(value)) : std::get<double>(value);
}

std::string TemplateValue::Text() const {
  if (Is<bool>()) return std::get<bool>(value) ? "True" : "False";
  if (Is<int64_t>()) return fmt::format("{}", std::get<int64_t>(value));
  if (Is<double>()) return NumberText(std::get<double>(value));
  if (Is<std::string>()) return std::get<std::string>(value);
  if (Is<None>()) return "None";
  if (!Is<List>()) return "";
  std::string text;
  for (const TemplateValue& item : std::get<List>(value)) {
    const char* quote = item.Is<std::string>() ? "'" : "";
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", quote, item.Text(), quote);
  }
  return "[" + text + "]";
}

bool TemplateValue::IsTrue() const {
  if (Is<bool>()) return std::get<bool>(value);
  if (IsNumber()) return Number() != 0;
  if (Is<std::string>()) return !std::get<std::string>(value).empty();
  if (Is<List>()) return !std::get<List>(value).empty();
  return false;
}

bool TemplateValue::Equals(const TemplateValue& other) const {
  if (const auto order = Order(other)) return std::is_eq(*order);
  if (!Is<List>() || !other.Is<List>()) return Is<None>() && other.Is<None>();
  const auto& mine = std::get<List>(value);
  const auto& theirs = std::get<List>(other.value);
  if (mine.size() != theirs.size()) return false;
  for (size_t i = 0; i < mine.size(); ++i) {
    if (!mine[i].Equals(theirs[i])) return false;
  }
  return true;
}

std::optional<std::partial_ordering> TemplateValue::Order(const TemplateValue& other) const {
  if (Is<std::string>() && other.Is<std::string>()) {
    return std::get<std::string>(value) <=> std::get<std::string>(other.value);
  }
  const auto whole = [](const TemplateValue& of) -> std::optional<int64_t> {
    if (of.Is<bool>()) return std::get<bool>(of.value) ? 1 : 0;
    if (of.Is<int64_t>()) return std::get<int64_t>(of.value);
    return std::nullopt;
  };
  const auto mine = whole(*this), theirs = whole(other);
  if (mine && theirs) return *mine <=> *theirs;
  if ((!mine && !Is<double>()) || (!theirs && !other.Is<double>())) return std::nullopt;
  return (mine ? static_cast<double>(*mine) : Number()) <=>
         (theirs ? static_cast<double>(*theirs) : other.Number());
}

const char* TemplateValue::Kind() const {
  if (Is<bool>()) return "true or false";
  if (IsNumber()) return "a number";
  if (Is<std::string>()) return "a text";
  if (Is<List>()) return "a list";
  return "nothing";
}

TemplateValue ParseTemplateValue(std::string_view text) {
  if (text == "true" || text == "True") return {true};
  if (text == "false" || text == "False") return {false};
  // A number that would be written otherwise stays as it is.
  if (const auto whole = ParseWhole<int64_t>(text); whole && fmt::format("{}", *whole) == text) {
    return {*whole};
  }
  const auto number = ParseWhole<double>(text);
  if (number && std::isfinite(*number) && NumberText(*number) == text) return {*number};
  return {std::string(text)};
}

}  // namespace inlay::io::timeloop
