#include "inlay/io/native/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <regex>
#include <string>
#include <utility>

namespace inlay::io {
namespace {

Parsed<std::optional<int64_t>> Words(std::string_view text, int word_bits = 16) {
  return ParseCount(text, kCapacityUnits, {.word_bits = &word_bits}, "capacity");
}

double WordsPerCycle(std::string_view text, int word_bits) {
  return ParseValue(text, kBandwidthUnits, {.word_bits = &word_bits}).value();
}

bool Matches(const std::string& pattern, const char* text) {
  return std::regex_search(text, std::regex(pattern));
}

// Whether the parser takes the text, and whether the pattern does.
std::pair<bool, bool> Taken(const char* text, const UnitFamily& unit) {
  return {!CheckQuantity(text, unit), Matches(QuantityTextPattern(unit), text)};
}

TEST(QuantityTest, CapacitiesBecomeWords) {
  EXPECT_EQ(Words("65536 words").value(), 65536);
  EXPECT_EQ(Words("1 word").value(), 1);
  EXPECT_EQ(Words("64 KiB").value(), 32768);
  EXPECT_EQ(Words("128 kB").value(), 64000);
  EXPECT_EQ(Words("1 MiB", 8).value(), 1048576);
  EXPECT_EQ(Words("1.5KiB", 24).value(), 512);
  EXPECT_EQ(Words("4.35 kB", 8).value(), 4350);  // 4349.999… in doubles
  EXPECT_EQ(Words("1e3 words").value(), 1000);
  EXPECT_EQ(Words("1e18 words").value(), 1000000000000000000);
  EXPECT_EQ(Words("9223372036854775807 words").value(), std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(Words("unbounded").value().has_value());
}

struct Bad {
  const char* text;
  size_t offset;
  const char* message;
  const char* hint;
};

TEST(QuantityTest, CapacitiesThatAreNone) {
  const Bad cases[] = {
      {"65536", 5, "a capacity needs a unit", "write for example '65536 words' or '128 KiB'"},
      {"64 kib", 3, "'kib' is not a unit of a capacity", "did you mean 'KiB'?"},
      {"64 KB", 3, "'KB' is not a unit of a capacity", "write KiB (1024 bytes) or kB (1000 bytes)"},
      {"64 TiB", 3, "'TiB' is not a unit of a capacity", "did you mean 'GiB'?"},
      {"64 TB", 3, "'TB' is not a unit of a capacity", "did you mean 'GB'?"},
      {"64 pJ", 3, "'pJ' is not a unit of a capacity",
       "expected one of words, word, B, KiB, MiB, GiB, kB, MB, GB"},
      {"-4 KiB", 0, "a capacity must not be negative", ""},
      {"0 words", 0, "a capacity must be at least one word", ""},
      {"0.5 words", 0, "a capacity must be a whole number of words", ""},
      {"3 B", 0, "the capacity is not a whole number of 16-bit words", ""},
      {"1e-40 kB", 0, "the capacity is not a whole number of 16-bit words", ""},
      {"1e19 words", 0, "the capacity does not fit into 64 bits", ""},
      {"9223372036854775807 GiB", 0, "the capacity does not fit into 64 bits", ""},
      {"64 KiB * words", 7, "unexpected '*' after a capacity",
       "write for example '65536 words' or '128 KiB'"},
      {"lots", 0, "expected a number for a capacity", ""},
  };
  for (const Bad& bad : cases) {
    const auto words = Words(bad.text);
    ASSERT_FALSE(words) << bad.text;
    EXPECT_EQ(words.error().offset, bad.offset) << bad.text;
    EXPECT_EQ(words.error().message, bad.message);
    EXPECT_EQ(words.error().hint, bad.hint) << bad.text;
  }
}

TEST(QuantityTest, Bandwidths) {
  EXPECT_EQ(WordsPerCycle("16 words/cycle", 8), 16);
  EXPECT_EQ(WordsPerCycle("16 B/cycle", 16), 8);
  EXPECT_EQ(WordsPerCycle("0.5 word / cycle", 16), 0.5);
  EXPECT_EQ(ParseValue("0 words/cycle", kBandwidthUnits).error().message,
            "a bandwidth must be more than 0");
  EXPECT_EQ(ParseValue("16 words", kBandwidthUnits).error().hint,
            "expected one of words/cycle, word/cycle, B/cycle");
}

TEST(QuantityTest, EnergiesAreasAndRates) {
  EXPECT_EQ(ParseValue("4.6 pJ", kEnergyUnits).value(), 4.6);
  EXPECT_EQ(ParseValue("0 pJ", kEnergyUnits).value(), 0);
  EXPECT_EQ(ParseValue("2 nJ", kEnergyUnits).value(), 2000);
  EXPECT_EQ(ParseValue("1239.5 um2", kAreaUnits).value(), 1239.5);
  EXPECT_EQ(ParseValue("2 mm2", kAreaUnits).value(), 2e6);
  EXPECT_EQ(ParseValue("0.1 pJ/cycle", kLeakageUnits).value(), 0.1);
  EXPECT_EQ(ParseValue("1 GHz", kFrequencyUnits).value(), 1e9);
  EXPECT_EQ(ParseValue("0 Hz", kFrequencyUnits).error().message, "a frequency must be more than 0");
  EXPECT_EQ(ParseValue("nan", kEnergyUnits).error().message, "an energy must be a finite number");
  EXPECT_EQ(ParseValue("-1 pJ", kEnergyUnits).error().message, "an energy must not be negative");
  EXPECT_EQ(ParseValue("1e308 uJ", kEnergyUnits).error().message, "an energy is out of range");
  EXPECT_EQ(ParseValue("4.6", kEnergyUnits).error().hint, "write for example '4.6 pJ'");
}

TEST(QuantityTest, SizeFunctions) {
  EXPECT_EQ(ParseSizeFunction("9.06719e-3 pJ * words", kEnergyUnits).value(),
            (SizeFunction{0, 9.06719e-3, 0}));
  EXPECT_EQ(ParseSizeFunction("17.88e-3 pJ * sqrt(words)", kEnergyUnits).value(),
            (SizeFunction{0, 0, 17.88e-3}));
  EXPECT_EQ(ParseSizeFunction("6.806 um2*words", kAreaUnits).value(), (SizeFunction{0, 6.806, 0}));
  EXPECT_EQ(ParseSizeFunction("128 pJ", kEnergyUnits).value(), (SizeFunction{128, 0, 0}));
  EXPECT_EQ(
      ParseSizeFunction("1 pJ + 2 pJ * words + 3 pJ * sqrt( words ) + 4 pJ", kEnergyUnits).value(),
      (SizeFunction{5, 2, 3}));
}

TEST(QuantityTest, SizeFunctionsThatAreNone) {
  const Bad cases[] = {
      {"9 pJ * wrods", 7, "expected 'words' or 'sqrt(words)' after '*'",
       "a term is '4.6 pJ', '4.6 pJ * words' or '4.6 pJ * sqrt(words)'"},
      {"9 pJ * sqrt(bits)", 7, "expected 'words' or 'sqrt(words)' after '*'",
       "a term is '4.6 pJ', '4.6 pJ * words' or '4.6 pJ * sqrt(words)'"},
      {"9 * words", 2, "an energy needs a unit", "write for example '4.6 pJ'"},
      {"9 pJ * words 3", 13, "expected '+' or the end", "write for example '4.6 pJ * words'"},
      {"9 pJ + ", 7, "expected a number for an energy", ""},
      {"9 um2", 2, "'um2' is not a unit of an energy", "expected one of pJ, fJ, nJ, uJ"},
      {"9 J", 2, "'J' is not a unit of an energy", "did you mean 'uJ'?"},
  };
  for (const Bad& bad : cases) {
    const auto function = ParseSizeFunction(bad.text, kEnergyUnits);
    ASSERT_FALSE(function) << bad.text;
    EXPECT_EQ(function.error().offset, bad.offset) << bad.text;
    EXPECT_EQ(function.error().message, bad.message) << bad.text;
    EXPECT_EQ(function.error().hint, bad.hint) << bad.text;
  }
}

TEST(QuantityTest, TextsReadBack) {
  const SizeFunction function{0.1, 1e-300, 17.88e-3};
  EXPECT_EQ(ParseSizeFunction(SizeFunctionText(function, kEnergyUnits), kEnergyUnits).value(),
            function);
  EXPECT_EQ(ParseSizeFunction(SizeFunctionText({}, kAreaUnits), kAreaUnits).value(),
            SizeFunction{});
  EXPECT_EQ(SizeFunctionText({0, 9.06719e-3, 0}, kEnergyUnits), "0.00906719 pJ * words");
  EXPECT_EQ(Words(CountText(13920, kCapacityUnits)).value(), 13920);
  EXPECT_FALSE(Words(CountText(std::nullopt, kCapacityUnits)).value().has_value());
  EXPECT_EQ(ParseValue(ValueText(0.1, kBandwidthUnits), kBandwidthUnits).value(), 0.1);
  EXPECT_EQ(ParseValue(ValueText(1e-30, kLeakageUnits), kLeakageUnits).value(), 1e-30);
  for (const int64_t bytes : {int64_t{1}, int64_t{1536}, int64_t{3} << 20}) {
    EXPECT_EQ(ParseCount(CountText(bytes, kByteUnits), kByteUnits, {}, "size").value(), bytes);
  }
}

TEST(QuantityTest, RatesBecomeThoseOfTheFamily) {
  const double clock_hz = 2e9;
  const UnitContext context = {.clock_hz = &clock_hz};
  EXPECT_EQ(ParseValue("32 GB/s", kByteRateUnits, context).value(), 32e9);
  EXPECT_EQ(ParseValue("16 B/cycle", kByteRateUnits, context).value(), 32e9);
  EXPECT_EQ(ParseValue("32 GB/s", kChannelRateUnits, context).value(), 16);
  EXPECT_EQ(ParseValue("16 B/cycle", kChannelRateUnits, context).value(), 16);
}

TEST(QuantityTest, PatternsAcceptWhatTheParsersAccept) {
  const std::pair both(true, true), neither(false, false);
  for (const char* text : {"65536 words", "1.5KiB", ".5e3 B", "unbounded", " 4 MB "}) {
    EXPECT_EQ(Taken(text, kCapacityUnits), both) << text;
  }
  for (const char* text : {"65536", "64 pJ", "-4 KiB", "64 KiB x", "words"}) {
    EXPECT_EQ(Taken(text, kCapacityUnits), neither) << text;
  }
  for (const char* text : {"16 words/cycle", "2 B / cycle"}) {
    EXPECT_EQ(Taken(text, kBandwidthUnits), both) << text;
  }
  for (const char* text : {"1 pJ", "1e-3 pJ * words", "1 pJ + 2 nJ*sqrt( words )"}) {
    EXPECT_TRUE(ParseSizeFunction(text, kEnergyUnits).has_value()) << text;
    EXPECT_TRUE(Matches(SizeFunctionPattern(kEnergyUnits), text)) << text;
  }
  EXPECT_FALSE(Matches(SizeFunctionPattern(kEnergyUnits), "1 pJ * bits"));
  EXPECT_TRUE(Matches(SizeFunctionPattern(kAreaUnits), "1 mm2 * words"));
  EXPECT_EQ(Taken("4.6 pJ", kEnergyUnits), both);
  EXPECT_EQ(Taken("4.6 um2", kAreaUnits), both);
  EXPECT_EQ(Taken("0.1 pJ/cycle", kLeakageUnits), both);
  EXPECT_EQ(Taken("0.1 pJ", kLeakageUnits), neither);
}

}  // namespace
}  // namespace inlay::io
