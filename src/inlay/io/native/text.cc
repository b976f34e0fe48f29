#include "inlay/io/native/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::io {
namespace {

constexpr std::array<std::string_view, 4> kReserved = {"all", "none", "for", "parallel"};
constexpr int kLargestExponent = 10'000;  // doubles end long before

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The length of the number at the start of `text`; 0 if there is none. A letter e belongs to it
// only where an exponent follows.
size_t NumberLength(std::string_view text) {
  size_t i = 0;
  size_t digits = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    if (IsDigit(text[i])) {
      ++digits;
    } else if (text[i] == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    const size_t first = j;
    while (j < text.size() && IsDigit(text[j])) ++j;
    if (j > first) i = j;
  }
  return i;
}

// digits × 10^exponent of a number that NumberLength accepted; exact = false where they do not fit.
Decimal SplitDigits(std::string_view text) {
  Decimal number;
  bool after_point = false;
  size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      after_point = true;
      continue;
    }
    const auto shifted = CheckedMultiply(number.digits, 10);
    const auto sum = shifted ? CheckedAdd(*shifted, text[i] - '0') : std::nullopt;
    if (!sum) {
      number.exact = false;
      return number;
    }
    number.digits = *sum;
    if (after_point) --number.exponent;
  }
  if (i < text.size()) {
    std::string_view exponent = text.substr(i + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int value = 0;
    const auto [end, error] =
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    number.exact = error == std::errc() && value <= kLargestExponent && value >= -kLargestExponent;
    if (number.exact) number.exponent += value;
  }
  return number;
}

TextError NotANumber(std::string_view rest, size_t offset, std::string_view what) {
  const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const std::string_view bad : {"nan", ".nan", "inf", ".inf", "infinity"}) {
    if (lower == bad) return {offset, fmt::format("{} must be a finite number", what), ""};
  }
  return {offset, fmt::format("expected a number for {}", what), ""};
}

std::optional<TextError> CheckReserved(std::string_view text) {
  if (std::find(kReserved.begin(), kReserved.end(), text) == kReserved.end()) return std::nullopt;
  return TextError{0, fmt::format("'{}' cannot be a name", text),
                   "the word has a meaning in mappings; choose another name"};
}

}  // namespace

void Cursor::SkipSpaces() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) {
    ++position_;
  }
}

bool Cursor::Accept(char symbol) {
  if (Peek() != symbol) return false;
  ++position_;
  return true;
}

std::string_view Cursor::TakeName() {
  const size_t start = offset();
  if (AtEnd() || !IsLetter(text_[start])) return {};
  while (position_ < text_.size() && (IsLetter(text_[position_]) || IsDigit(text_[position_]))) {
    ++position_;
  }
  return text_.substr(start, position_ - start);
}

std::string_view Cursor::TakeWord() {
  const size_t start = offset();
  position_ = std::min(text_.find_first_of(" \t", start), text_.size());
  return text_.substr(start, position_ - start);
}

std::string_view Cursor::TakeDigits() {
  const size_t start = offset();
  while (position_ < text_.size() && IsDigit(text_[position_])) ++position_;
  return text_.substr(start, position_ - start);
}

Parsed<Decimal> TakeDecimal(Cursor* cursor, std::string_view what) {
  const size_t start = cursor->offset();
  const std::string_view rest = cursor->Rest();
  if (rest.starts_with('-')) {
    return TextFail(start, fmt::format("{} must not be negative", what));
  }
  const std::string_view number = rest.substr(0, NumberLength(rest));
  if (number.empty()) return tl::unexpected(NotANumber(rest, start, what));
  Decimal result = SplitDigits(number);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), result.value);
  if (error != std::errc()) {
    return TextFail(start, fmt::format("{} is out of range: '{}'", what, number));
  }
  cursor->Advance(number.size());
  const std::string_view after = cursor->Rest();
  if (after.size() >= 2 && after[0] == ',' && IsDigit(after[1])) {
    return TextFail(cursor->offset(), fmt::format("unexpected ',' in {}", what),
                    "the decimal separator is a point");
  }
  return result;
}

Parsed<int64_t> TakePositive(Cursor* cursor, std::string_view what) {
  const size_t start = cursor->offset();
  const std::string_view digits = cursor->TakeDigits();
  if (digits.empty()) {
    return TextFail(start, fmt::format("expected a whole number from 1 for {}", what));
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc()) {
    return TextFail(start, fmt::format("{} does not fit into 64 bits: '{}'", what, digits));
  }
  if (value < 1) return TextFail(start, fmt::format("{} must be at least 1", what));
  return value;
}

std::string ToText(double value) { return fmt::format("{}", value); }

bool IsDimensionName(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLetter(c) || IsDigit(c); }) &&
         !CheckReserved(text);
}

bool IsName(std::string_view text) { return !CheckName(text); }

std::optional<TextError> CheckName(std::string_view text) {
  if (text.empty()) return TextError{0, "a name must not be empty", ""};
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c > 0x20 && c != 0x7f && c != ',' && c != '"' && c != '\'') continue;
    return TextError{i, "a name must not contain spaces, commas, quotes or control characters", ""};
  }
  return CheckReserved(text);
}

std::optional<TextError> CheckDimensionName(std::string_view text) {
  if (auto error = CheckReserved(text)) return error;
  if (IsDimensionName(text)) return std::nullopt;
  return TextError{0, fmt::format("'{}' cannot be the name of a dimension", text),
                   "use letters, digits and underscores, no digit first"};
}

std::string NamePattern() { return R"(^(?!(all|none|for|parallel)$)[^\s,"']+$)"; }

std::string DimensionNamePattern() {
  return R"(^(?!(all|none|for|parallel)$)[A-Za-z_\u0080-\uFFFF][A-Za-z0-9_\u0080-\uFFFF]*$)";
}

}  // namespace inlay::io
