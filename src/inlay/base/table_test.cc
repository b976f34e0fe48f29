#include "inlay/base/table.h"

#include <gtest/gtest.h>

namespace inlay {
namespace {

constexpr TextStyle kAscii{.unicode = false, .colour = false};

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("GLB"), 3U);
  EXPECT_EQ(DisplayWidth("µJ"), 2U);
  EXPECT_EQ(DisplayWidth("█▌"), 2U);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1U);  // e and a combining acute
  EXPECT_EQ(DisplayWidth("重み"), 4U);
  EXPECT_EQ(DisplayWidth("🧱"), 2U);
}

TEST(DisplayWidth, BrokenUtf8CountsByteByByte) {
  EXPECT_EQ(DisplayWidth("\xFF\xFE"), 2U);
  EXPECT_EQ(DisplayWidth("a\xE2\x82"), 3U);
  EXPECT_EQ(DisplayWidth("\x80"), 1U);
}

TEST(Table, AlignsAndLeavesNoBlankAtTheEnd) {
  Table table({{"level", Align::kLeft}, {"words", Align::kRight}, {"note", Align::kLeft}});
  table.AddRow({"DRAM", "7"});
  table.AddRule();
  table.AddRow({"µ", "1234567", "x"});
  EXPECT_EQ(table.Render(kAscii),
            "level    words  note\n"
            "--------------------\n"
            "DRAM         7\n"
            "--------------------\n"
            "µ      1234567  x\n");
  EXPECT_EQ(table.Width(), 20U);
}

TEST(Table, WithoutHeadersThereIsNoHeaderLine) {
  Table table({{"", Align::kLeft}, {"", Align::kRight}});
  table.AddRow({"cycles", "12"});
  EXPECT_EQ(table.Render(kAscii), "cycles  12\n");
}

TEST(Table, EmptyColumnsCanBeDropped) {
  Table table({{"a", Align::kLeft}, {"b", Align::kLeft}, {"c", Align::kLeft}});
  table.AddRow({"1", "", "3"});
  table.AddRule();
  table.AddRow({"4"});
  table.DropEmptyColumns();
  EXPECT_EQ(table.Render(kAscii), "a  c\n----\n1  3\n----\n4\n");
}

TEST(Table, ColoursDoNotMoveColumns) {
  Table table({{"a", Align::kRight}, {"b", Align::kLeft}});
  table.AddRow({{"1", Tone::kWarn}, "x"});
  table.AddRow({"22", "y"});
  const std::string text = table.Render({.unicode = true, .colour = true});
  EXPECT_NE(text.find(" \x1b[33m1\x1b[0m  x\n22  y\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace inlay
