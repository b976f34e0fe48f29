#pragma once

#include <span>
#include <string>
#include <string_view>

#include "inlay/io/native/text.h"

namespace inlay::io {

// A unit of one quantity: the number in front of `symbol` is multiplied by `scale`.
struct Unit {
  std::string_view symbol;
  double scale = 1;
};

// What a number with a unit may be: "a capacity", its units, and a text that is right.
struct UnitFamily {
  std::string_view what;
  std::string_view example;
  std::span<const Unit> units;

  bool HasUnit(std::string_view symbol) const;
};

struct Quantity {
  Decimal number;
  const Unit* unit = nullptr;
  double value() const { return number.value * unit->scale; }
};

// Takes a number and its unit, up to the next '*', '+' or the end. `scale` may overflow: the value
// is checked to be finite.
Parsed<Quantity> TakeQuantity(Cursor* cursor, const UnitFamily& family);

// The same, and nothing may follow.
Parsed<Quantity> ParseQuantity(std::string_view text, const UnitFamily& family);

// A regular expression, without anchors, of everything TakeQuantity accepts.
std::string QuantityPattern(const UnitFamily& family);

}  // namespace inlay::io
