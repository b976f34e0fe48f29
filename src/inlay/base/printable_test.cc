#include "inlay/base/printable.h"

#include <gtest/gtest.h>

#include "inlay/base/diagnostic.h"
#include "inlay/base/table.h"

namespace inlay {
namespace {

TEST(PrintableTest, HasNoControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[31mb\nc\td\x7f"), "a?[31mb?c?d?");
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "31m\x9b"),
            "a?31m?");                                   // CSI, as UTF-8 and as one byte
  EXPECT_EQ(Printable("schön 层 ─ …"), "schön 层 ─ …");  // and these are none
  EXPECT_EQ(Printable(std::string_view("\0", 1)), "?");
  EXPECT_EQ(PrintableLines("a\tb\nc\rd\x1b\n"), "a\tb\nc?d?\n");
}

// As a file name may have them, and files that nothing has checked.
TEST(PrintableTest, HasNoBrokenUtf8) {
  EXPECT_EQ(Printable("a\xff"
                      "b\xe5\xb1"),
            "a?b??");
  EXPECT_EQ(Printable("\xc0\xaf\xed\xa0\x80\xf5z"), "??????z");  // overlong, surrogate, too large
  EXPECT_EQ(PrintableLines("\xc3\n\xc3\xa4"), "?\nä");
}

TEST(PrintableTest, LongLinesAreNotKept) {
  const std::string longest(kLongestQuotedLine, 'x');
  EXPECT_EQ(QuotableLine(longest), longest);
  EXPECT_EQ(QuotableLine(longest + "x"), "");
}

TEST(PrintableTest, CutsNames) {
  const std::string whole(kLongestName, 'n');
  EXPECT_EQ(PrintableName(whole), whole);
  EXPECT_EQ(PrintableName(whole + "n"), whole + "...");
  std::string umlauts;
  for (size_t i = 0; i < kLongestName; ++i) umlauts += "ö";
  EXPECT_EQ(PrintableName(umlauts), umlauts);
  EXPECT_EQ(PrintableName(umlauts + "ö"), umlauts + "...");
}

TEST(PrintableTest, CutsTheNamesOfASentence) {
  const std::string whole(kLongestName, 'n');
  const std::string plain = "unknown key 'a b' in a problem's part; it's 'c'";
  EXPECT_EQ(PrintableSentence(plain), plain);
  EXPECT_EQ(PrintableSentence("key '" + whole + "n' and '" + whole + "' is"),
            "key '" + whole + "...' and '" + whole + "' is");
  EXPECT_EQ(PrintableSentence("levels." + whole + ": missing"),
            ("levels." + whole).substr(0, kLongestName) + "... missing");
  std::string words;
  while (words.size() < 2 * kLongestName) words += "word ";
  EXPECT_EQ(PrintableSentence("'" + words + "' is unknown"),
            "'" + words.substr(0, kLongestName) + "...' is unknown");
  EXPECT_EQ(PrintableSentence("'a\x1b[2J\nerror: b'"), "'a?[2J?error: b'");
}

TEST(PrintableTest, DiagnosticsAreWithoutControlCharacters) {
  Diagnostic fault = MakeError({"f\x1b", 1, 1}, "unknown '\x1b[2J'", "try '\x1b'");
  fault.source_line = "key: \xc2\x9b\tx";
  EXPECT_EQ(Format(fault), "f?:1:1: error: unknown '?[2J'\n  | key: ? x\n  | ^\n  hint: try '?'\n");
}

TEST(PrintableTest, DiagnosticsAreCutAfterFifty) {
  Diagnostics all;
  for (int i = 0; i < 50; ++i) all.push_back(MakeError({}, std::to_string(i)));
  all.push_back(MakeWarning({}, "one warning"));
  const std::string fifty = Format(all);
  EXPECT_TRUE(fifty.ends_with("error: 49\nwarning: one warning\n")) << fifty;
  all.push_back(MakeError({}, "the 51st"));
  EXPECT_EQ(Format(all), fifty + "and 1 more error\n");
  for (int i = 0; i < 122; ++i) all.push_back(MakeError({}, "more"));
  EXPECT_EQ(Format(all), fifty + "and 123 more errors\n");
  for (int i = 0; i < 50; ++i) all.push_back(MakeWarning({}, "w"));
  EXPECT_TRUE(Format(all).ends_with("and 123 more errors\nand 1 more warning\n"));
}

TEST(PrintableTest, TablesAndTitlesAreWithoutControlCharacters) {
  const TextStyle colour{.unicode = false, .colour = true, .grouped = false};
  EXPECT_EQ(Paint("a\x1b[31m\nb\n", Tone::kBold, colour), "\x1b[1ma?[31m?b\n\x1b[0m");
  EXPECT_EQ(Paint("a\x1b\n", Tone::kPlain, {.unicode = false}), "a?\n");
  Table table({{"na\x1bme"}, {"figure", Align::kRight}});
  table.AddRow({"a\nb", "1"});
  table.AddRow({std::string(kLongestName + 1, 'n'), "2"});
  const std::string text = table.Render({.unicode = false});
  EXPECT_TRUE(text.starts_with("na?me ")) << text;
  EXPECT_NE(text.find("\na?b "), std::string::npos) << text;
  EXPECT_NE(text.find("\n" + std::string(kLongestName, 'n') + "...  "), std::string::npos) << text;
}

}  // namespace
}  // namespace inlay
