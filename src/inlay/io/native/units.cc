#include "inlay/io/native/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
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

struct Prefix {
  std::string_view text;
  double power = 0;  // of ten
};
constexpr std::array<Prefix, 17> kPrefixes = {{{"", 0},
                                               {"f", -15},
                                               {"p", -12},
                                               {"n", -9},
                                               {"u", -6},
                                               {"m", -3},
                                               {"k", 3},
                                               {"K", 3},
                                               {"M", 6},
                                               {"G", 9},
                                               {"T", 12},
                                               {"P", 15},
                                               {"Ki", 3.01},
                                               {"Mi", 6.02},
                                               {"Gi", 9.03},
                                               {"Ti", 12.04},
                                               {"Pi", 15.05}}};

// The unit of the family that is nearest in size to one with a prefix that the family lacks: GiB
// for TiB, mm2 for m2. Ties go to the first unit.
std::optional<std::string> WithNearestPrefix(std::string_view symbol, const UnitFamily& family) {
  std::optional<std::string> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Prefix& meant : kPrefixes) {
    if (!symbol.starts_with(meant.text)) continue;
    const std::string_view base = symbol.substr(meant.text.size());
    if (base.empty()) continue;
    for (const Unit& unit : family.units) {
      for (const Prefix& prefix : kPrefixes) {
        if (unit.symbol != std::string(prefix.text) + std::string(base)) continue;
        // Powers of 2 for those of 2.
        const bool other = meant.text.ends_with('i') != prefix.text.ends_with('i');
        const double distance = std::abs(meant.power - prefix.power) + (other ? 1 : 0);
        if (distance >= least) continue;
        least = distance;
        best = unit.symbol;
      }
    }
  }
  return best;
}

std::string UnitHint(const std::string& symbol, const UnitFamily& family) {
  const std::vector<std::string> symbols = Symbols(family);
  if (symbol == "KB" && std::find(symbols.begin(), symbols.end(), "KiB") != symbols.end()) {
    return "write KiB (1024 bytes) or kB (1000 bytes)";
  }
  const bool only_case = std::any_of(symbols.begin(), symbols.end(), [&](const std::string& unit) {
    return EditDistance(symbol, unit) == 0;
  });
  const auto near = only_case ? std::nullopt : WithNearestPrefix(symbol, family);
  return near ? "did you mean '" + *near + "'?" : SuggestionHint(symbol, symbols);
}

}  // namespace

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
                  UnitHint(symbol, family));
}

Parsed<Quantity> ParseQuantity(std::string_view text, const UnitFamily& family) {
  Cursor cursor(text);
  auto quantity = TakeQuantity(&cursor, family);
  if (quantity && !cursor.AtEnd()) {
    return TextFail(cursor.offset(),
                    fmt::format("unexpected '{}' after {}", cursor.Peek(), family.what),
                    fmt::format("write for example '{}'", family.example));
  }
  if (quantity && family.zero_hint != nullptr && quantity->value() <= 0) {
    return TextFail(0, fmt::format("{} must be more than 0", family.what), family.zero_hint);
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
