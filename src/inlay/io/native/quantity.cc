#include "inlay/io/native/quantity.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::io {
namespace {

using Basis = Unit::Basis;

// The factor behind a '*': fills in which coefficient of the size function the term belongs to.
Parsed<double SizeFunction::*> TakeSizeFactor(Cursor* cursor, const UnitFamily& family) {
  const size_t start = cursor->offset();
  const std::string hint =
      fmt::format("a term is '{0}', '{0} * words' or '{0} * sqrt(words)'", family.example);
  const std::string_view name = cursor->TakeName();
  if (name == "words") return &SizeFunction::linear;
  if (name == "sqrt" && cursor->Accept('(') && cursor->TakeName() == "words" &&
      cursor->Accept(')')) {
    return &SizeFunction::root;
  }
  return TextFail(start, "expected 'words' or 'sqrt(words)' after '*'", hint);
}

// The smallest power of ten that is no longer representable makes the result a fraction or too
// large, whatever the digits; 10^18 still fits.
constexpr int kLargestPower = 18;

int WordBits(const UnitFamily& family, const UnitContext& context) {
  if (family.word_bits != 0) return family.word_bits;
  return context.word_bits == nullptr ? 1 : *context.word_bits;
}

}  // namespace

std::optional<TextError> CheckQuantity(std::string_view text, const UnitFamily& family) {
  if (!family.none.empty() && text == family.none) return std::nullopt;
  const auto quantity = ParseQuantity(text, family);
  if (!quantity) return quantity.error();
  if (family.word_bits == 0) return std::nullopt;
  const auto count = CountOf(*quantity, family, {}, "size");
  return count ? std::nullopt : std::optional<TextError>(count.error());
}

std::string QuantityTextPattern(const UnitFamily& family) {
  if (family.none.empty()) return fmt::format(R"(^\s*{}\s*$)", QuantityPattern(family));
  return fmt::format(R"(^({}|\s*{}\s*)$)", family.none, QuantityPattern(family));
}

double ValueOf(const Quantity& quantity, const UnitFamily& family, const UnitContext& context) {
  const double value = quantity.value();
  const Basis basis = quantity.unit->basis, base = family.base().basis;
  if (basis == base) return value;
  if (basis == Basis::kBytes) return value * 8 / WordBits(family, context);
  const double clock_hz = context.clock_hz == nullptr ? 1 : *context.clock_hz;
  if (basis == Basis::kBytesPerSecond) return value * 8 / WordBits(family, context) / clock_hz;
  // The scale first: a nanosecond at 1 GHz is one cycle, and not a little more.
  if (basis == Basis::kSeconds) return quantity.number.value * (quantity.unit->scale * clock_hz);
  return basis == Basis::kPerCycle ? value * clock_hz : value / clock_hz;
}

bool NeedsClock(const Unit& unit) {
  return unit.basis == Basis::kBytesPerSecond || unit.basis == Basis::kSeconds;
}

Parsed<double> ParseValue(std::string_view text, const UnitFamily& family,
                          const UnitContext& context) {
  return ParseQuantity(text, family).map([&](const Quantity& quantity) {
    return ValueOf(quantity, family, context);
  });
}

Parsed<int64_t> CountOf(const Quantity& quantity, const UnitFamily& family,
                        const UnitContext& context, std::string_view noun) {
  const Decimal& number = quantity.number;
  const bool in_words = quantity.unit->basis == Basis::kPlain;
  const int word_bits = WordBits(family, context);
  const auto too_large = [noun] {
    return TextFail(0, fmt::format("the {} does not fit into 64 bits", noun));
  };
  if (number.value == 0) return TextFail(0, fmt::format("a {} must be at least one word", noun));
  if (!number.exact || number.exponent > kLargestPower) return too_large();
  const auto not_whole = [&] {
    return TextFail(
        0, in_words ? fmt::format("a {} must be a whole number of words", noun)
                    : fmt::format("the {} is not a whole number of {}-bit words", noun, word_bits));
  };
  int64_t power = 1;
  for (int i = 0; i < std::abs(number.exponent); ++i) {
    const auto next = CheckedMultiply(power, 10);
    if (!next) return not_whole();  // exponent is negative here: see kLargestPower
    power = *next;
  }
  // digits < 2^63 and bytes·8 < 2^34: the product fits, and is divided before it grows again.
  Int128 words =
      Int128{number.digits} * (in_words ? 1 : static_cast<int64_t>(quantity.unit->scale) * 8);
  if (number.exponent < 0) {
    if (words % power != 0) return not_whole();
    words /= power;
  } else if (words > std::numeric_limits<int64_t>::max()) {
    return too_large();
  } else {
    words *= power;
  }
  if (!in_words) {
    if (words % word_bits != 0) return not_whole();
    words /= word_bits;
  }
  if (words > std::numeric_limits<int64_t>::max()) return too_large();
  return static_cast<int64_t>(words);
}

Parsed<std::optional<int64_t>> ParseCount(std::string_view text, const UnitFamily& family,
                                          const UnitContext& context, std::string_view noun) {
  if (!family.none.empty() && text == family.none) return std::nullopt;
  const auto quantity = ParseQuantity(text, family);
  if (!quantity) return tl::unexpected(quantity.error());
  return CountOf(*quantity, family, context, noun).map([](int64_t count) {
    return std::optional<int64_t>(count);
  });
}

std::string ValueText(double value, const UnitFamily& family) {
  return fmt::format("{} {}", ToText(value), family.base().symbol);
}

std::string CountText(std::optional<int64_t> count, const UnitFamily& family) {
  if (!count) return std::string(family.none);
  if (family.base().basis == Basis::kBytes) {
    constexpr int64_t kMi = 1048576, kKi = 1024;
    if (*count % kMi == 0) return fmt::format("{} MiB", *count / kMi);
    if (*count % kKi == 0) return fmt::format("{} KiB", *count / kKi);
  }
  return fmt::format("{} {}", *count, family.base().symbol);
}

Parsed<SizeFunction> ParseSizeFunction(std::string_view text, const UnitFamily& family) {
  SizeFunction function;
  Cursor cursor(text);
  do {
    const auto quantity = TakeQuantity(&cursor, family);
    if (!quantity) return tl::unexpected(quantity.error());
    double SizeFunction::*coefficient = &SizeFunction::constant;
    if (cursor.Accept('*')) {
      const auto factor = TakeSizeFactor(&cursor, family);
      if (!factor) return tl::unexpected(factor.error());
      coefficient = *factor;
    }
    function.*coefficient += quantity->value();
  } while (cursor.Accept('+'));
  if (cursor.AtEnd()) return function;
  return TextFail(cursor.offset(), "expected '+' or the end",
                  fmt::format("write for example '{} * words'", family.example));
}

std::string SizeFunctionPattern(const UnitFamily& family) {
  const std::string term = QuantityPattern(family) + R"((\s*\*\s*(words|sqrt\s*\(\s*words\s*\)))?)";
  return fmt::format(R"(^\s*{0}(\s*\+\s*{0})*\s*$)", term);
}

std::string SizeFunctionText(const SizeFunction& function, const UnitFamily& family) {
  const std::string_view unit = family.base().symbol;
  std::string text;
  const auto add = [&](double coefficient, std::string_view factor) {
    if (coefficient == 0) return;
    if (!text.empty()) text += " + ";
    text += fmt::format("{} {}{}", ToText(coefficient), unit, factor);
  };
  add(function.constant, "");
  add(function.linear, " * words");
  add(function.root, " * sqrt(words)");
  return text.empty() ? fmt::format("0 {}", unit) : text;
}

}  // namespace inlay::io
