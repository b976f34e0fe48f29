#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "inlay/io/schema/text_error.h"

namespace inlay::io {

// Walks through one scalar, token by token. Spaces and tabs between tokens mean nothing.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // Where the next token begins, or the end.
  size_t offset() {
    SkipSpaces();
    return position_;
  }
  bool AtEnd() { return offset() == text_.size(); }
  char Peek() { return AtEnd() ? '\0' : text_[position_]; }

  bool Accept(char symbol);
  std::string_view TakeName();    // a dimension's name, or "" if none starts here
  std::string_view TakeWord();    // up to the next space; "" at the end
  std::string_view TakeDigits();  // [0-9]*
  std::string_view Rest() { return text_.substr(offset()); }
  void Advance(size_t bytes) { position_ += bytes; }

 private:
  void SkipSpaces();

  std::string_view text_;
  size_t position_ = 0;
};

// A decimal number that is not negative: digits × 10^exponent, exactly, and the nearest double.
struct Decimal {
  double value = 0;
  int64_t digits = 0;
  int exponent = 0;
  bool exact = true;  // false: more digits than 64 bits hold, only `value` is meant
};

// Takes a number ("16", "4.6", "9.06719e-3"). Signs, nan and inf are refused by name; so is a
// decimal comma. `what` names the number in messages: "a capacity".
Parsed<Decimal> TakeDecimal(Cursor* cursor, std::string_view what);

// A whole number from 1.
Parsed<int64_t> TakePositive(Cursor* cursor, std::string_view what);

// The shortest text that reads back as the same double, in every locale.
std::string ToText(double value);

// What may be the name of a dimension: letters, digits and underscores, no digit first. Bytes of
// UTF-8 sequences count as letters.
bool IsDimensionName(std::string_view text);

// What may be the name of a level, fan-out or tensor: anything without spaces, commas, quotes and
// control characters, so that it stays one word of a mapping line, but for the words that have a
// meaning there.
bool IsName(std::string_view text);
std::optional<TextError> CheckName(std::string_view text);
std::optional<TextError> CheckDimensionName(std::string_view text);
std::string NamePattern();  // regular expressions for the JSON Schema
std::string DimensionNamePattern();

}  // namespace inlay::io
