#include "inlay/io/native/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "inlay/base/suggest.h"

namespace inlay::io {
namespace {

std::vector<std::string> Symbols(const UnitFamily& family) {
  std::vector<std::string> symbols;
  for (const Unit& unit : family.units) symbols.emplace_back(unit.symbol);
  return symbols;
}

// "words / cycle" is the unit "words/cycle".
std::string WithoutSpaces(std::string_view text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result),
               [](char c) { return c != ' ' && c != '\t'; });
  return result;
}

}  // namespace

bool UnitFamily::HasUnit(std::string_view symbol) const {
  return std::any_of(units.begin(), units.end(),
                     [symbol](const Unit& unit) { return unit.symbol == symbol; });
}

Parsed<Quantity> TakeQuantity(Cursor* cursor, const UnitFamily& family) {
  const size_t start = cursor->offset();
  const auto number = TakeDecimal(cursor, family.what);
  if (!number) return tl::unexpected(number.error());
  const size_t unit_offset = cursor->offset();
  const std::string_view rest = cursor->Rest();
  const std::string_view written = rest.substr(0, std::min(rest.find_first_of("*+"), rest.size()));
  const std::string symbol = WithoutSpaces(written);
  if (symbol.empty()) {
    return TextFail(unit_offset, fmt::format("{} needs a unit", family.what),
                    fmt::format("write for example '{}'", family.example));
  }
  cursor->Advance(written.size());
  for (const Unit& unit : family.units) {
    if (unit.symbol != symbol) continue;
    const Quantity quantity{*number, &unit};
    if (std::isfinite(quantity.value())) return quantity;
    return TextFail(start, fmt::format("{} is out of range", family.what));
  }
  return TextFail(unit_offset, fmt::format("'{}' is not a unit of {}", symbol, family.what),
                  symbol == "KB" && family.HasUnit("KiB")
                      ? std::string("write KiB (1024 bytes) or kB (1000 bytes)")
                      : SuggestionHint(symbol, Symbols(family)));
}

Parsed<Quantity> ParseQuantity(std::string_view text, const UnitFamily& family) {
  Cursor cursor(text);
  auto quantity = TakeQuantity(&cursor, family);
  if (quantity && !cursor.AtEnd()) {
    return TextFail(cursor.offset(),
                    fmt::format("unexpected '{}' after {}", cursor.Peek(), family.what),
                    fmt::format("write for example '{}'", family.example));
  }
  return quantity;
}

std::string QuantityPattern(const UnitFamily& family) {
  std::string symbols;
  for (const Unit& unit : family.units) {
    if (!symbols.empty()) symbols += '|';
    for (const char c : unit.symbol) {
      if (c == '/') {
        symbols += R"(\s*/\s*)";
      } else {
        symbols += c;
      }
    }
  }
  return fmt::format(R"(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*({}))", symbols);
}

}  // namespace inlay::io
