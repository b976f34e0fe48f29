#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "inlay/core/technology.h"
#include "inlay/io/native/units.h"

namespace inlay::io {

// Numbers with units, by the family of a key (core/units.h). A number without a unit, or with the
// unit of something else, is an error whose hint lists the units.

// What is wrong with a text, whatever its context is.
std::optional<TextError> CheckQuantity(std::string_view text, const UnitFamily& family);
// A regular expression of the texts that are right, for the JSON Schema.
std::string QuantityTextPattern(const UnitFamily& family);

// In the family's own unit. What is missing of the context is taken as if all units were of one
// sort.
double ValueOf(const Quantity& quantity, const UnitFamily& family, const UnitContext& context = {});
Parsed<double> ParseValue(std::string_view text, const UnitFamily& family,
                          const UnitContext& context = {});
// Whether numbers in this unit mean nothing without the clock of the context.
bool NeedsClock(const Unit& unit);

// The same of what is counted, exactly. An error where it is not a whole number of words, or of
// bytes, from 1, in 64 bits. `noun` is the thing in messages: "capacity", "block".
Parsed<int64_t> CountOf(const Quantity& quantity, const UnitFamily& family,
                        const UnitContext& context, std::string_view noun);
// No value where the text is the family's word for no limit: "unbounded".
Parsed<std::optional<int64_t>> ParseCount(std::string_view text, const UnitFamily& family,
                                          const UnitContext& context, std::string_view noun);

// Texts that read back as the same values.
std::string ValueText(double value, const UnitFamily& family);
std::string CountText(std::optional<int64_t> count, const UnitFamily& family);

// Sums of terms "9.06719e-3 pJ", "9.06719e-3 pJ * words" and "17.88e-3 pJ * sqrt(words)".
Parsed<SizeFunction> ParseSizeFunction(std::string_view text, const UnitFamily& family);
std::string SizeFunctionPattern(const UnitFamily& family);
std::string SizeFunctionText(const SizeFunction& function, const UnitFamily& family);

}  // namespace inlay::io
