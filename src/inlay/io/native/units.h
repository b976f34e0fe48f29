#pragma once

#include <string>
#include <string_view>

#include "inlay/core/units.h"
#include "inlay/io/native/text.h"

namespace inlay::io {

struct Quantity {
  Decimal number;
  const Unit* unit = nullptr;
  double value() const { return number.value * unit->scale; }
};

// Takes a number and its unit, up to the next '*', '+' or the end. `scale` may overflow: the value
// is checked to be finite.
Parsed<Quantity> TakeQuantity(Cursor* cursor, const UnitFamily& family);

// The same, and nothing may follow. Also an error where it is 0 and must be more.
Parsed<Quantity> ParseQuantity(std::string_view text, const UnitFamily& family);

// A regular expression, without anchors, of everything TakeQuantity accepts.
std::string QuantityPattern(const UnitFamily& family);

}  // namespace inlay::io
