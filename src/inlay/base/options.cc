#include "inlay/base/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/base/printable.h"
#include "inlay/base/suggest.h"
#include "inlay/base/utf8.h"

namespace inlay {
namespace {

tl::unexpected<Diagnostics> Wrong(const Option& option, const std::string& what, std::string hint) {
  return Fail(MakeError({}, Mention(option.key) + ": " + what, std::move(hint)));
}

Result<OptionValue> ParseInteger(const Option& option, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && value >= option.min && value <= option.max) return value;
  std::string expected = "expected a whole number";
  const bool has_min = option.min != std::numeric_limits<int64_t>::min();
  const bool has_max = option.max != std::numeric_limits<int64_t>::max();
  if (has_min) expected += " from " + std::to_string(option.min);
  if (has_max) expected += " up to " + std::to_string(option.max);
  return Wrong(option, "'" + std::string(text) + "' does not fit", expected);
}

// Whether the word is one of those between the blanks of a text.
bool IsAmong(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    const std::string_view first = words.substr(0, words.find(' '));
    if (first == word) return true;
    words.remove_prefix(std::min(words.size(), first.size() + 1));
  }
  return false;
}

Result<std::string> ParseChoice(const Option& option, std::string_view text) {
  const auto& choices = option.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string(text);
  const std::string unknown = "unknown value '" + std::string(text) + "'";
  for (size_t i = 0; i < option.other_words.size(); ++i) {
    if (!IsAmong(text, option.other_words[i])) continue;
    return Wrong(option, unknown, "did you mean '" + std::string(choices[i]) + "'?");
  }
  return Wrong(option, unknown, SuggestionHint(text, {choices.begin(), choices.end()}));
}

Result<OptionValue> ParseChoices(const Option& option, std::string_view text) {
  std::vector<std::string> values;
  Diagnostics errors;
  while (true) {
    const size_t comma = text.find(',');
    auto value = ParseChoice(option, text.substr(0, comma));
    if (!value) {
      Append(value.error(), &errors);
    } else if (std::find(values.begin(), values.end(), *value) != values.end()) {
      errors.push_back(MakeError({}, Mention(option.key) + ": '" + *value + "' is given twice"));
    } else {
      values.push_back(std::move(*value));
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return values;
}

Result<OptionValue> ParseDuration(const Option& option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"ms", 1}, {"s", 1e3}, {"min", 60e3}, {"h", 3600e3}}};
  constexpr double kLongest = 1e12;  // milliseconds: 31 years, which fit as nanoseconds too
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const auto& [name, milliseconds] : kUnits) {
    if (error != std::errc() || unit != name) continue;
    const double value = std::ceil(number * milliseconds);
    if (number >= 0 && value <= kLongest) return static_cast<int64_t>(value);
    return Wrong(option, "'" + std::string(text) + "' is not a time to wait for",
                 "give one of less than 30 years, or 0 for no limit");
  }
  if (error == std::errc() && number == 0 && unit.empty()) return int64_t{0};
  return Wrong(option, "'" + std::string(text) + "' is not a time",
               "write a number and its unit, ms, s, min or h, such as 60s");
}

// "NAME=N", with the sign at that place; nullopt if it is none.
std::optional<std::pair<std::string, int64_t>> AssignmentAt(size_t sign, std::string_view text) {
  sign = std::min(sign, text.size());
  const std::string_view digits = text.substr(std::min(sign + 1, text.size()));
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (sign == 0 || !whole || digits.empty()) return std::nullopt;
  return std::pair(std::string(text.substr(0, sign)), value);
}

Result<OptionValue> ParseAssignment(const Option& option, std::string_view text) {
  const auto assignment = AssignmentAt(text.find('='), text);
  if (assignment && assignment->second >= 1) return std::vector<std::string>{std::string(text)};
  return Wrong(option, "'" + std::string(text) + "' does not fit",
               "write NAME=N with a whole number from 1, such as batch=8");
}

Result<OptionValue> ParseNumbers(const Option& option, std::string_view text) {
  if (text.find('=') == std::string_view::npos) {
    auto number = ParseInteger(option, text);
    if (number) return number;
    for (Diagnostic& error : number.error()) {
      const size_t bar = option.value_name.find('|');  // "N|NAME=N,..."
      error.hint += ", or " + std::string(option.value_name.substr(bar + 1)) + " with such numbers";
    }
    return number;
  }
  std::vector<std::string> list;
  std::set<std::string> names;
  Diagnostics errors;
  const auto add = [&](const tl::unexpected<Diagnostics>& wrong) {
    errors.insert(errors.end(), wrong.value().begin(), wrong.value().end());
  };
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    const auto assignment = AssignmentAt(part.rfind('='), part);  // names of tensors may have some
    if (!assignment || assignment->second < option.min || assignment->second > option.max) {
      add(Wrong(option, "'" + std::string(part) + "' does not fit",
                "write " + std::string(option.value_name) + " with whole numbers from " +
                    std::to_string(option.min) + " up to " + std::to_string(option.max)));
    } else if (!names.insert(assignment->first).second) {
      add(Wrong(option, "'" + assignment->first + "' is given twice", ""));
    } else {
      list.emplace_back(part);
    }
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return list;
}

// The values go into texts of files, which hold neither control characters nor broken UTF-8.
bool IsPlainText(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0 || IsControl(TakeCodePoint(&text))) return false;
  }
  return true;
}

Result<OptionValue> ParseSetting(const Option& option, std::string_view text) {
  const size_t sign = text.find('=');
  if (!IsPlainText(text)) {
    const std::string name(text.substr(0, sign));
    return Wrong(option,
                 (IsPlainText(name) ? "the value of '" + name + "'" : std::string("the name")) +
                     " is not plain text",
                 "write NAME=VALUE in UTF-8, without control characters");
  }
  if (sign != std::string_view::npos && sign > 0) {
    return std::vector<std::string>{std::string(text)};
  }
  return Wrong(option, "'" + std::string(text) + "' gives no value to a name",
               "write NAME=VALUE, such as tokens=256");
}

}  // namespace

Result<OptionValue> ParseOption(const Option& option, std::string_view text) {
  switch (option.type) {
    case OptionType::kFlag:
      if (text.empty() || text == "true" || text == "false") return text != "false";
      return Fail(MakeError({}, "'" + std::string(option.key) + "' is true or false"));
    case OptionType::kInteger:
      return ParseInteger(option, text);
    case OptionType::kText:
      if (text.empty()) return Wrong(option, "the value is empty", "");
      return std::string(text);
    case OptionType::kChoice:
      return ParseChoice(option, text);
    case OptionType::kChoices:
      return ParseChoices(option, text);
    case OptionType::kDuration:
      return ParseDuration(option, text);
    case OptionType::kAssignments:
      return ParseAssignment(option, text);
    case OptionType::kNumbers:
      return ParseNumbers(option, text);
    case OptionType::kSettings:
      return ParseSetting(option, text);
    case OptionType::kTexts:
      if (text.empty()) return Wrong(option, "the value is empty", "");
      return std::vector<std::string>{std::string(text)};
  }
  INLAY_CHECK(false);
}

std::string FlagOf(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string UsageOf(const Option& option) {
  std::string usage = FlagOf(option);
  if (option.short_name != 0) usage = std::string("-") + option.short_name + ", " + usage;
  if (option.type == OptionType::kFlag) return usage;
  const bool named = option.choices.empty() || !option.value_name.empty();
  if (named) return usage + " " + std::string(option.value_name);
  char separator = ' ';
  for (std::string_view choice : option.choices) {
    usage += separator + std::string(choice);
    separator = '|';
  }
  return option.type == OptionType::kChoices ? usage + "[,...]" : usage;
}

OptionValues::OptionValues(std::vector<Option> options) : options_(std::move(options)) {
  for (const Option& option : options_) {
    if (option.type == OptionType::kFlag) defaults_.emplace(option.key, false);
    if (option.default_text.empty()) continue;
    auto value = ParseOption(option, option.default_text);
    INLAY_CHECK(value.has_value());
    defaults_.emplace(option.key, std::move(*value));
  }
}

Result<void> OptionValues::Set(std::string_view key, std::string_view text) {
  auto value = ParseOption(Find(key), text);
  if (!value) return Fail(std::move(value.error()));
  if (AddsUp(Find(key).type) && set_.contains(key)) {
    auto& list = std::get<std::vector<std::string>>(set_.find(key)->second);
    const bool named = Find(key).type != OptionType::kTexts;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    if (named && std::any_of(list.begin(), list.end(),
                             [&](const std::string& other) { return other.starts_with(name); })) {
      return Wrong(Find(key),
                   "'" + std::string(name.substr(0, name.size() - 1)) + "' is given twice", "");
    }
    list.emplace_back(text);
    return {};
  }
  set_.insert_or_assign(std::string(key), std::move(*value));
  return {};
}

const Option& OptionValues::Find(std::string_view key) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.key == key; });
  INLAY_CHECK(found != options_.end());
  return *found;
}

bool OptionValues::WasSet(std::string_view key) const { return set_.contains(key); }

bool OptionValues::Has(std::string_view key) const {
  return WasSet(key) || defaults_.contains(key);
}

const OptionValue& OptionValues::Value(std::string_view key) const {
  INLAY_CHECK(Has(key));
  const auto set = set_.find(key);
  return set != set_.end() ? set->second : defaults_.find(key)->second;
}

bool OptionValues::Flag(std::string_view key) const { return std::get<bool>(Value(key)); }
int64_t OptionValues::Integer(std::string_view key) const { return std::get<int64_t>(Value(key)); }
std::optional<double> OptionValues::Seconds(std::string_view key) const {
  if (!Has(key)) return std::nullopt;
  return static_cast<double>(Integer(key)) / 1e3;
}

const std::string& OptionValues::Text(std::string_view key) const {
  return std::get<std::string>(Value(key));
}
const std::vector<std::string>& OptionValues::List(std::string_view key) const {
  return std::get<std::vector<std::string>>(Value(key));
}

std::vector<std::pair<std::string, int64_t>> OptionValues::Numbers(std::string_view key,
                                                                   std::string_view alone) const {
  if (const auto* number = std::get_if<int64_t>(&Value(key))) {
    return {{std::string(alone), *number}};
  }
  std::vector<std::pair<std::string, int64_t>> numbers;
  for (const std::string& text : List(key)) numbers.push_back(*AssignmentAt(text.rfind('='), text));
  return numbers;
}

std::vector<std::pair<std::string, OptionValue>> OptionValues::ForResult() const {
  std::vector<std::pair<std::string, OptionValue>> values;
  for (const Option& option : options_) {
    if (option.in_result && Has(option.key)) values.emplace_back(option.key, Value(option.key));
  }
  return values;
}

}  // namespace inlay
