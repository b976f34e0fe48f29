#include "inlay/io/native/quantity.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "inlay/base/checked.h"
#include "inlay/io/native/units.h"

namespace inlay::io {
namespace {

// In front of words the scale is not used; of the others it is the number of bytes.
constexpr std::array<Unit, 9> kCapacityUnits = {{{"words", 0},
                                                 {"word", 0},
                                                 {"B", 1},
                                                 {"KiB", 1024},
                                                 {"MiB", 1048576},
                                                 {"GiB", 1073741824},
                                                 {"kB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9}}};
constexpr std::string_view kUnbounded = "unbounded";
constexpr UnitFamily kCapacity = {"a capacity", "65536 words' or '128 KiB", kCapacityUnits};

constexpr std::array<Unit, 3> kBandwidthUnits = {
    {{"words/cycle", 1}, {"word/cycle", 1}, {"B/cycle", 1}}};
constexpr UnitFamily kBandwidth = {"a bandwidth", "16 words/cycle' or '32 B/cycle",
                                   kBandwidthUnits};

constexpr std::array<Unit, 4> kEnergyUnits = {{{"pJ", 1}, {"fJ", 1e-3}, {"nJ", 1e3}, {"uJ", 1e6}}};
constexpr UnitFamily kEnergy = {"an energy", "4.6 pJ", kEnergyUnits};

constexpr std::array<Unit, 2> kAreaUnits = {{{"um2", 1}, {"mm2", 1e6}}};
constexpr UnitFamily kArea = {"an area", "1239.5 um2", kAreaUnits};

constexpr std::array<Unit, 3> kLeakageUnits = {
    {{"pJ/cycle", 1}, {"fJ/cycle", 1e-3}, {"nJ/cycle", 1e3}}};
constexpr UnitFamily kLeakage = {"a leakage", "0.1 pJ/cycle", kLeakageUnits};

constexpr UnitFamily kPower = {"a power", "100 pJ/cycle", kLeakageUnits};

constexpr std::array<Unit, 4> kFrequencyUnits = {
    {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
constexpr UnitFamily kFrequency = {"a frequency", "1 GHz", kFrequencyUnits};

Parsed<double> ParseValue(std::string_view text, const UnitFamily& family) {
  const auto quantity = ParseQuantity(text, family);
  if (!quantity) return tl::unexpected(quantity.error());
  return quantity->value();
}

Parsed<double> ParsePositive(std::string_view text, const UnitFamily& family) {
  auto value = ParseValue(text, family);
  if (value && *value <= 0) {
    return TextFail(0, fmt::format("{} must be more than 0", family.what));
  }
  return value;
}

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

std::string SizeFunctionText(const SizeFunction& function, std::string_view unit) {
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

std::string Anchored(const UnitFamily& family) {
  return fmt::format(R"(^\s*{}\s*$)", QuantityPattern(family));
}

// The smallest power of ten that is no longer representable makes the result a fraction or too
// large, whatever the digits; 10^18 still fits.
constexpr int kLargestPower = 18;

}  // namespace

Parsed<std::optional<Capacity>> ParseCapacity(std::string_view text) {
  if (text == kUnbounded) return std::nullopt;
  const auto quantity = ParseQuantity(text, kCapacity);
  if (!quantity) return tl::unexpected(quantity.error());
  return Capacity{quantity->number, static_cast<int64_t>(quantity->unit->scale)};
}

Parsed<int64_t> CapacityWords(const Capacity& capacity, int word_bits, std::string_view what) {
  const Decimal& number = capacity.number;
  const auto too_large = [what] {
    return TextFail(0, fmt::format("the {} does not fit into 64 bits", what));
  };
  if (number.value == 0) return TextFail(0, fmt::format("a {} must be at least one word", what));
  if (!number.exact || number.exponent > kLargestPower) return too_large();
  const auto not_whole = [&] {
    return TextFail(
        0, capacity.unit_bytes == 0
               ? fmt::format("a {} must be a whole number of words", what)
               : fmt::format("the {} is not a whole number of {}-bit words", what, word_bits));
  };
  int64_t power = 1;
  for (int i = 0; i < std::abs(number.exponent); ++i) {
    const auto next = CheckedMultiply(power, 10);
    if (!next) return not_whole();  // exponent is negative here: see kLargestPower
    power = *next;
  }
  const bool in_words = capacity.unit_bytes == 0;
  // digits < 2^63 and bytes·8 < 2^34: the product fits, and is divided before it grows again.
  Int128 words = Int128{number.digits} * (in_words ? 1 : capacity.unit_bytes * 8);
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

double CapacityBits(const Capacity& capacity, int word_bits) {
  return capacity.number.value *
         static_cast<double>(capacity.unit_bytes == 0 ? word_bits : 8 * capacity.unit_bytes);
}

Parsed<Bandwidth> ParseBandwidth(std::string_view text) {
  const auto quantity = ParseQuantity(text, kBandwidth);
  if (!quantity) return tl::unexpected(quantity.error());
  if (quantity->value() <= 0) {
    return TextFail(0, "a bandwidth must be more than 0", "leave it out where there is no limit");
  }
  return Bandwidth{quantity->value(), quantity->unit->symbol == "B/cycle"};
}

double BandwidthWords(const Bandwidth& bandwidth, int word_bits) {
  return bandwidth.in_bytes ? bandwidth.per_cycle * 8 / word_bits : bandwidth.per_cycle;
}

Parsed<double> ParseEnergyPj(std::string_view text) { return ParseValue(text, kEnergy); }
Parsed<double> ParseAreaUm2(std::string_view text) { return ParseValue(text, kArea); }
Parsed<double> ParseLeakagePjPerCycle(std::string_view text) { return ParseValue(text, kLeakage); }
Parsed<double> ParsePowerPjPerCycle(std::string_view text) { return ParseValue(text, kPower); }
Parsed<double> ParseFrequencyHz(std::string_view text) { return ParsePositive(text, kFrequency); }

Parsed<SizeFunction> ParseEnergyFunction(std::string_view text) {
  return ParseSizeFunction(text, kEnergy);
}
Parsed<SizeFunction> ParseAreaFunction(std::string_view text) {
  return ParseSizeFunction(text, kArea);
}

std::string CapacityPattern() {
  return fmt::format(R"(^({}|\s*{}\s*)$)", kUnbounded, QuantityPattern(kCapacity));
}
std::string BandwidthPattern() { return Anchored(kBandwidth); }
std::string EnergyPattern() { return Anchored(kEnergy); }
std::string AreaPattern() { return Anchored(kArea); }
std::string LeakagePattern() { return Anchored(kLeakage); }
std::string PowerPattern() { return Anchored(kPower); }
std::string FrequencyPattern() { return Anchored(kFrequency); }
std::string EnergyFunctionPattern() { return SizeFunctionPattern(kEnergy); }
std::string AreaFunctionPattern() { return SizeFunctionPattern(kArea); }

std::string EnergyText(double pj) { return ToText(pj) + " pJ"; }
std::string AreaText(double um2) { return ToText(um2) + " um2"; }
std::string LeakageText(double pj_per_cycle) { return ToText(pj_per_cycle) + " pJ/cycle"; }
std::string CapacityText(std::optional<int64_t> words) {
  return words ? fmt::format("{} words", *words) : std::string(kUnbounded);
}
std::string BandwidthText(double words_per_cycle) {
  return ToText(words_per_cycle) + " words/cycle";
}
std::string FrequencyText(double hz) { return ToText(hz) + " Hz"; }
std::string EnergyFunctionText(const SizeFunction& pj) { return SizeFunctionText(pj, "pJ"); }
std::string AreaFunctionText(const SizeFunction& um2) { return SizeFunctionText(um2, "um2"); }

}  // namespace inlay::io
