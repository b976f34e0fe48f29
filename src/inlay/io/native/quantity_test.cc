#include "inlay/io/native/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

namespace inlay::io {
namespace {

Parsed<int64_t> Words(std::string_view text, int word_bits = 16) {
  const auto capacity = ParseCapacity(text);
  if (!capacity) return tl::unexpected(capacity.error());
  return CapacityWords(capacity->value(), word_bits);
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
  EXPECT_FALSE(ParseCapacity("unbounded").value().has_value());
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
  EXPECT_EQ(BandwidthWords(ParseBandwidth("16 words/cycle").value(), 8), 16);
  EXPECT_EQ(BandwidthWords(ParseBandwidth("16 B/cycle").value(), 16), 8);
  EXPECT_EQ(BandwidthWords(ParseBandwidth("0.5 word / cycle").value(), 16), 0.5);
  EXPECT_EQ(ParseBandwidth("0 words/cycle").error().message, "a bandwidth must be more than 0");
  EXPECT_EQ(ParseBandwidth("16 words").error().hint,
            "expected one of words/cycle, word/cycle, B/cycle");
}

TEST(QuantityTest, EnergiesAreasAndRates) {
  EXPECT_EQ(ParseEnergyPj("4.6 pJ").value(), 4.6);
  EXPECT_EQ(ParseEnergyPj("0 pJ").value(), 0);
  EXPECT_EQ(ParseEnergyPj("2 nJ").value(), 2000);
  EXPECT_EQ(ParseAreaUm2("1239.5 um2").value(), 1239.5);
  EXPECT_EQ(ParseAreaUm2("2 mm2").value(), 2e6);
  EXPECT_EQ(ParseLeakagePjPerCycle("0.1 pJ/cycle").value(), 0.1);
  EXPECT_EQ(ParseFrequencyHz("1 GHz").value(), 1e9);
  EXPECT_EQ(ParseFrequencyHz("0 Hz").error().message, "a frequency must be more than 0");
  EXPECT_EQ(ParseEnergyPj("nan").error().message, "an energy must be a finite number");
  EXPECT_EQ(ParseEnergyPj("-1 pJ").error().message, "an energy must not be negative");
  EXPECT_EQ(ParseEnergyPj("1e308 uJ").error().message, "an energy is out of range");
  EXPECT_EQ(ParseEnergyPj("4.6").error().hint, "write for example '4.6 pJ'");
}

TEST(QuantityTest, SizeFunctions) {
  EXPECT_EQ(ParseEnergyFunction("9.06719e-3 pJ * words").value(), (SizeFunction{0, 9.06719e-3, 0}));
  EXPECT_EQ(ParseEnergyFunction("17.88e-3 pJ * sqrt(words)").value(),
            (SizeFunction{0, 0, 17.88e-3}));
  EXPECT_EQ(ParseAreaFunction("6.806 um2*words").value(), (SizeFunction{0, 6.806, 0}));
  EXPECT_EQ(ParseEnergyFunction("128 pJ").value(), (SizeFunction{128, 0, 0}));
  EXPECT_EQ(ParseEnergyFunction("1 pJ + 2 pJ * words + 3 pJ * sqrt( words ) + 4 pJ").value(),
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
    const auto function = ParseEnergyFunction(bad.text);
    ASSERT_FALSE(function) << bad.text;
    EXPECT_EQ(function.error().offset, bad.offset) << bad.text;
    EXPECT_EQ(function.error().message, bad.message) << bad.text;
    EXPECT_EQ(function.error().hint, bad.hint) << bad.text;
  }
}

TEST(QuantityTest, TextsReadBack) {
  const SizeFunction function{0.1, 1e-300, 17.88e-3};
  EXPECT_EQ(ParseEnergyFunction(EnergyFunctionText(function)).value(), function);
  EXPECT_EQ(ParseAreaFunction(AreaFunctionText({})).value(), SizeFunction{});
  EXPECT_EQ(EnergyFunctionText({0, 9.06719e-3, 0}), "0.00906719 pJ * words");
  EXPECT_EQ(Words(CapacityText(13920)).value(), 13920);
  EXPECT_FALSE(ParseCapacity(CapacityText(std::nullopt)).value().has_value());
  EXPECT_EQ(ParseBandwidth(BandwidthText(0.1)).value().per_cycle, 0.1);
  EXPECT_EQ(ParseLeakagePjPerCycle(LeakageText(1e-30)).value(), 1e-30);
}

TEST(QuantityTest, PatternsAcceptWhatTheParsersAccept) {
  const auto matches = [](const std::string& pattern, const char* text) {
    return std::regex_search(text, std::regex(pattern));
  };
  for (const char* text : {"65536 words", "1.5KiB", ".5e3 B", "unbounded", " 4 MB "}) {
    EXPECT_TRUE(ParseCapacity(text).has_value()) << text;
    EXPECT_TRUE(matches(CapacityPattern(), text)) << text;
  }
  for (const char* text : {"65536", "64 pJ", "-4 KiB", "64 KiB x", "words"}) {
    EXPECT_FALSE(ParseCapacity(text).has_value()) << text;
    EXPECT_FALSE(matches(CapacityPattern(), text)) << text;
  }
  for (const char* text : {"16 words/cycle", "2 B / cycle"}) {
    EXPECT_TRUE(ParseBandwidth(text).has_value()) << text;
    EXPECT_TRUE(matches(BandwidthPattern(), text)) << text;
  }
  for (const char* text : {"1 pJ", "1e-3 pJ * words", "1 pJ + 2 nJ*sqrt( words )"}) {
    EXPECT_TRUE(ParseEnergyFunction(text).has_value()) << text;
    EXPECT_TRUE(matches(EnergyFunctionPattern(), text)) << text;
  }
  EXPECT_FALSE(matches(EnergyFunctionPattern(), "1 pJ * bits"));
  EXPECT_TRUE(matches(AreaFunctionPattern(), "1 mm2 * words"));
  EXPECT_TRUE(matches(EnergyPattern(), "4.6 pJ"));
  EXPECT_TRUE(matches(AreaPattern(), "4.6 um2"));
  EXPECT_TRUE(matches(LeakagePattern(), "0.1 pJ/cycle"));
  EXPECT_FALSE(matches(LeakagePattern(), "0.1 pJ"));
}

}  // namespace
}  // namespace inlay::io
