#include "inlay/io/native/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <locale>
#include <regex>

namespace inlay::io {
namespace {

Parsed<Decimal> Number(std::string_view text) {
  Cursor cursor(text);
  return TakeDecimal(&cursor, "a size");
}

TEST(TextTest, NumbersAreReadExactlyAndAsDoubles) {
  const auto number = Number("9.06719e-3");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->value, 9.06719e-3);
  EXPECT_EQ(number->digits, 906719);
  EXPECT_EQ(number->exponent, -8);
  EXPECT_TRUE(number->exact);
  EXPECT_EQ(Number(".5")->value, 0.5);
  EXPECT_EQ(Number("5.")->value, 5);
  EXPECT_EQ(Number("2E+3")->exponent, 3);
}

TEST(TextTest, AnExponentNeedsDigits) {
  Cursor cursor("4e pJ");
  ASSERT_TRUE(TakeDecimal(&cursor, "a size"));
  EXPECT_EQ(cursor.Rest(), "e pJ");
}

TEST(TextTest, MoreDigitsThanFitAreOnlyADouble) {
  const auto number = Number("12345678901234567890123");
  ASSERT_TRUE(number);
  EXPECT_FALSE(number->exact);
  EXPECT_EQ(number->value, 12345678901234567890123.0);
}

TEST(TextTest, RefusesWhatIsNoSize) {
  EXPECT_EQ(Number("-1").error().message, "a size must not be negative");
  EXPECT_EQ(Number("nan").error().message, "a size must be a finite number");
  EXPECT_EQ(Number(".Inf pJ").error().message, "a size must be a finite number");
  EXPECT_EQ(Number("x").error().message, "expected a number for a size");
  EXPECT_EQ(Number("").error().message, "expected a number for a size");
  EXPECT_EQ(Number("1e999").error().message, "a size is out of range: '1e999'");
  EXPECT_EQ(Number("1e99999999999").error().message, "a size is out of range: '1e99999999999'");
  EXPECT_EQ(Number("4,6 pJ").error().hint, "the decimal separator is a point");
  EXPECT_EQ(Number("4,6 pJ").error().offset, 1U);
}

TEST(TextTest, WholeNumbersStartAtOne) {
  const auto take = [](std::string_view text) {
    Cursor cursor(text);
    return TakePositive(&cursor, "the step");
  };
  EXPECT_EQ(take("56").value(), 56);
  EXPECT_EQ(take("0").error().message, "the step must be at least 1");
  EXPECT_EQ(take("-3").error().message, "expected a whole number from 1 for the step");
  EXPECT_EQ(take("9223372036854775808").error().message,
            "the step does not fit into 64 bits: '9223372036854775808'");
}

TEST(TextTest, DoublesPrintShortest) {
  EXPECT_EQ(ToText(0.1), "0.1");
  EXPECT_EQ(ToText(16), "16");
  EXPECT_EQ(ToText(17.88e-3), "0.01788");
  EXPECT_EQ(Number(ToText(std::numeric_limits<double>::max()))->value,
            std::numeric_limits<double>::max());
  EXPECT_EQ(Number(ToText(std::numeric_limits<double>::denorm_min()))->value,
            std::numeric_limits<double>::denorm_min());
}

// As in a German locale, whether or not one is installed.
struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(TextTest, TheLocaleDoesNotMatter) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const std::string text = ToText(12345.678);
  const double value = Number("12345.678").value().value;
  std::locale::global(before);
  EXPECT_EQ(text, "12345.678");
  EXPECT_EQ(value, 12345.678);
}

TEST(TextTest, NamesAndTheirPatternsAgree) {
  std::string ascii = DimensionNamePattern();  // std::regex of char knows no ranges of UTF-16
  for (const std::string range = R"(\u0080-\uFFFF)"; ascii.find(range) != std::string::npos;) {
    ascii.erase(ascii.find(range), range.size());
  }
  const std::regex name(NamePattern()), dim(ascii);
  for (const char* text : {"GLB", "inter_PE[0..167]", "a.b-c", "allow", "P", "x1"}) {
    EXPECT_TRUE(IsName(text)) << text;
    EXPECT_TRUE(std::regex_search(text, name)) << text;
  }
  for (const char* text : {"", "a b", "a,b", "all", "none", "for", "parallel", "a\tb", "a\"b"}) {
    EXPECT_FALSE(IsName(text)) << text;
    EXPECT_FALSE(std::regex_search(text, name)) << text;
  }
  for (const char* text : {"K", "out_channels", "x1", "_"}) {
    EXPECT_TRUE(IsDimensionName(text)) << text;
    EXPECT_TRUE(std::regex_search(text, dim)) << text;
  }
  for (const char* text : {"", "1x", "a-b", "a b", "all", "2"}) {
    EXPECT_FALSE(IsDimensionName(text)) << text;
    EXPECT_TRUE(CheckDimensionName(text).has_value()) << text;
    EXPECT_FALSE(std::regex_search(text, dim)) << text;
  }
  EXPECT_TRUE(IsDimensionName("höhe"));
}

}  // namespace
}  // namespace inlay::io
