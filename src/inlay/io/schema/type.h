#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "inlay/core/units.h"
#include "inlay/io/schema/text_error.h"

namespace inlay::io {

// What a value of a native file may be. Every key is declared once, in one of these: the reader
// checks files against it (check.h) and the JSON Schema is printed from it (json_schema.h), so the
// two cannot drift apart. Declared as constants; spans and pointers refer to other constants.
enum class Form {
  kText,     // a scalar with its own syntax
  kInteger,  // a whole number
  kNumber,
  kBoolean,
  kWord,    // one of a few words
  kList,    // of elements of one type
  kMap,     // from names that the user chooses to values of one type
  kObject,  // with the keys listed here and no others
  kEither,  // one of several types: at most one of scalars, one of lists, and several objects that
            // are told apart by their first key, or objects and, behind them, one map
};

struct Key;

struct Type {
  Form form = Form::kText;
  std::string_view what = {};  // as it is called in messages: "a capacity", "a list of dimensions"

  // kText: what is wrong with a text (nothing is checked if null), and a regular expression that
  // matches whatever is right. kMap: the same of its keys.
  std::optional<TextError> (*check)(std::string_view text) = nullptr;
  std::string (*pattern)() = nullptr;
  // The same of numbers with units: both are given the family.
  const UnitFamily* unit = nullptr;
  std::optional<TextError> (*check_unit)(std::string_view text, const UnitFamily& unit) = nullptr;
  std::string (*unit_pattern)(const UnitFamily& unit) = nullptr;
  bool bare_integer = false;  // kText: may be written as a plain whole number
  bool bare_number = false;   // kText: or as any plain number

  int64_t minimum = INT64_MIN;  // kInteger, both included
  int64_t maximum = INT64_MAX;
  std::span<const std::string_view> words = {};        // kWord
  const Type* element = nullptr;                       // kList, kMap
  std::span<const Key> keys = {};                      // kObject
  std::span<const std::string_view> exactly_one = {};  // kObject: of these keys; may be empty
  std::span<const Type* const> options = {};           // kEither
  // The name by which the schema refers to a type that contains itself.
  std::string_view recursive_name = {};
};

struct Key {
  std::string_view name;
  std::string_view sentence;  // what it means; lower case, no full stop
  const Type* type = nullptr;
  bool required = false;
};

// Adapts a parser to Type::check.
template <auto Parse>
std::optional<TextError> CheckBy(std::string_view text) {
  const auto parsed = Parse(text);
  if (parsed) return std::nullopt;
  return parsed.error();
}

}  // namespace inlay::io
