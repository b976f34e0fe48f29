#include "inlay/report/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace inlay::report {
namespace {

constexpr TextStyle kAscii{.unicode = false, .colour = false};
constexpr TextStyle kUnicode{.unicode = true, .colour = false};

TEST(Numbers, DigitsAreGroupedFromTheRight) {
  EXPECT_EQ(Grouped(0, kAscii), "0");
  EXPECT_EQ(Grouped(999, kAscii), "999");
  EXPECT_EQ(Grouped(1000, kAscii), "1,000");
  EXPECT_EQ(Grouped(-1234567, kAscii), "-1,234,567");
  EXPECT_EQ(Grouped(1234567, kUnicode), "1\u202f234\u202f567");
  EXPECT_EQ(Grouped(std::numeric_limits<int64_t>::min(), kAscii), "-9,223,372,036,854,775,808");
}

TEST(Numbers, WithoutGroupsDigitsStayTogether) {
  constexpr TextStyle kPlain{.unicode = true, .colour = false, .grouped = false};
  EXPECT_EQ(Grouped(-1234567, kPlain), "-1234567");
  EXPECT_EQ(GroupedFixed(1156.049, 2, kPlain), "1156.05");
  EXPECT_EQ(Rounded(9999, kPlain), "9999");
}

TEST(Numbers, DecimalsUseAPoint) {
  EXPECT_EQ(GroupedFixed(1156.049, 2, kAscii), "1,156.05");
  EXPECT_EQ(GroupedFixed(-0.5, 1, kAscii), "-0.5");
  EXPECT_EQ(GroupedFixed(12345, 0, kAscii), "12,345");
}

TEST(Numbers, PrefixesKeepFourDigits) {
  EXPECT_EQ(WithPrefix(1.15649e-3, "J", kAscii), "1.156 mJ");
  EXPECT_EQ(WithPrefix(12.3456e-6, "J", kUnicode), "12.35 µJ");
  EXPECT_EQ(WithPrefix(12.3456e-6, "J", kAscii), "12.35 uJ");
  EXPECT_EQ(WithPrefix(0, "J", kAscii), "0 J");
  EXPECT_EQ(WithPrefix(999.96, "J", kAscii), "1.000 kJ");
  EXPECT_EQ(WithPrefix(9.9996, "J", kAscii), "10.00 J");
  EXPECT_EQ(WithPrefix(-1500, "J", kAscii), "-1.500 kJ");
  EXPECT_EQ(WithPrefix(1e30, "J", kAscii), "1.000e+30 J");
  EXPECT_EQ(WithPrefix(1e-30, "J", kAscii), "1.000e-30 J");
  EXPECT_EQ(Rounded(115605504, kAscii), "115.6 M");
  EXPECT_EQ(Rounded(9999, kAscii), "9,999");
  EXPECT_EQ(Rounded(10000, kAscii), "10.00 k");
}

TEST(Numbers, BarsGrowByEighths) {
  EXPECT_EQ(Bar(0, 10, kUnicode), "");
  EXPECT_EQ(Bar(1, 4, kUnicode), "████");
  EXPECT_EQ(Bar(0.5, 3, kUnicode), "█▌");
  EXPECT_EQ(Bar(1e-9, 4, kUnicode), "▏");
  EXPECT_EQ(Bar(0.5, 4, kAscii), "##");
  EXPECT_EQ(Bar(2, 4, kAscii), "####");
  EXPECT_EQ(Bar(std::numeric_limits<double>::quiet_NaN(), 4, kAscii), "");
}

TEST(Numbers, TheUnitLeavesDigitsBeforeThePoint) {
  EXPECT_EQ(UnitFor(9999, kAscii).name, "pJ");
  EXPECT_EQ(UnitFor(1.2e9, kUnicode).name, "µJ");
  EXPECT_EQ(UnitFor(1.2e9, kAscii).name, "uJ");
  EXPECT_EQ(UnitFor(1.2e12, kAscii).name, "mJ");
  EXPECT_EQ(Percent(0.6774), "67.7 %");
}

TEST(Numbers, BytesAreInTheLargestUnitOf1024) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(8192), "8 KiB");
  EXPECT_EQ(BytesText(1.5 * 1024 * 1024), "1.5 MiB");
  EXPECT_EQ(BytesText(std::ldexp(3, 60)), "3072 PiB");
}

TEST(Numbers, AGapIsNeverToldAsLessThanItIs) {
  EXPECT_EQ(GapText(0), "0.0 %");
  EXPECT_EQ(GapText(1e-5), "less than 0.1 %");
  EXPECT_EQ(GapText(0.032), "3.2 %");
  EXPECT_EQ(GapText(0.0311), "3.2 %");
}

}  // namespace
}  // namespace inlay::report
