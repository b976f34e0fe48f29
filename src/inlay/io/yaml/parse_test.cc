#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/yaml/node.h"
#include "inlay/io/yaml/parse_past_repeats.h"

namespace inlay::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The value as compact text, so that a test shows the whole of it.
std::string Show(const Node& node) {
  std::string out = node.tag.empty() ? "" : node.tag + " ";
  switch (node.kind) {
    case Node::Kind::kNull:
      return out + "~";
    case Node::Kind::kScalar:
      return out + (node.quoted ? "\"" + node.text + "\"" : node.text);
    case Node::Kind::kSequence:
      out += "[";
      for (const Node& item : node.items) out += (out.ends_with('[') ? "" : ", ") + Show(item);
      return out + "]";
    case Node::Kind::kMapping:
      out += "{";
      for (const auto& [key, value] : node.entries) {
        out += (out.ends_with('{') ? "" : ", ") + Show(key) + ": " + Show(value);
      }
      return out + "}";
  }
  return out;
}

std::string ShowAll(const std::string& text, const YamlLimits& limits = {}) {
  const auto documents = ParseYaml({"f", text}, limits);
  if (!documents) return Format(documents.error());
  std::string out;
  for (const Node& document : *documents) out += (out.empty() ? "" : " --- ") + Show(document);
  return out;
}

// As many errors as there are values would keep as many copies of it.
TEST(ParseYamlTest, NoErrorKeepsALineThatIsTooLongToBeQuoted) {
  const auto short_line = ParseYaml({"f", "a: [x, y]\n"});
  EXPECT_EQ(short_line->front().Find("a")->items[1].Error("wrong").source_line, "a: [x, y]");
  const auto long_line = ParseYaml({"f", "a: [x, " + std::string(1000, 'y') + "]\n"});
  const Node& item = long_line->front().Find("a")->items[1];
  EXPECT_EQ(item.Error("wrong").source_line, "");
  EXPECT_EQ(item.Place().line, "");
  EXPECT_EQ(item.Place().location.column, 8);
}

TEST(ParseYamlTest, ReadsEveryKindOfValue) {
  EXPECT_EQ(ShowAll("a: 1\nb: [x, 'y', \"z\"]\nc:\nd: {e: ~, f: !T {g: h}}\n"),
            "{a: 1, b: [x, \"y\", \"z\"], c: ~, d: {e: ~, f: !T {g: h}}}");
  EXPECT_EQ(ShowAll("- !!str 5\n- !!int 5\n- ! 5\n- |\n  two\n  lines\n"),
            "[\"5\", 5, \"5\", \"two\nlines\n\"]");
  EXPECT_EQ(ShowAll(""), "");
  EXPECT_EQ(ShowAll("# nothing\n"), "");
}

TEST(ParseYamlTest, ReadsAllDocuments) {
  EXPECT_EQ(ShowAll("a: 1\n---\nb: 2\n...\n# c\nc\n"), "{a: 1} --- {b: 2} --- c");
  EXPECT_EQ(ShowAll("---\n---\n"), "~ --- ~");
}

TEST(ParseYamlTest, KnowsThePlaceOfEverything) {
  const auto documents = ParseYaml({"f", "a: 1\nbc:\n  - {d: e}\n"});
  ASSERT_TRUE(documents.has_value());
  const Node* list = documents->front().Find("bc");
  ASSERT_NE(list, nullptr);
  const Node* e = list->items.at(0).Find("d");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->line, 3);
  EXPECT_EQ(e->column, 9);
  EXPECT_EQ(Format(e->Error("wrong", "do better")),
            "f:3:9: error: wrong\n  |   - {d: e}\n  |         ^\n  hint: do better\n");
  EXPECT_THAT(Format(e->Warning("odd")), StartsWith("f:3:9: warning: odd\n"));
}

TEST(ParseYamlTest, ExpandsAliases) {
  EXPECT_EQ(ShowAll("a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x\n"), "{a: [1, 2], b: [1, 2], c: 3, d: 3}");
}

TEST(ParseYamlTest, MergesMappings) {
  EXPECT_EQ(ShowAll("- &x {a: 1, b: 2}\n- {c: 0, <<: *x, b: 3}\n"),
            "[{a: 1, b: 2}, {c: 0, a: 1, b: 3}]");
  EXPECT_EQ(ShowAll("- &x {a: 1}\n- &y {a: 2, b: 2}\n- {<<: [*x, *y]}\n"),
            "[{a: 1}, {a: 2, b: 2}, {a: 1, b: 2}]");
  EXPECT_EQ(ShowAll("{'<<': 1}"), "{\"<<\": 1}");
}

TEST(ParseYamlTest, MergesDeeplyAsTimeloopsFrontEndDoes) {
  EXPECT_EQ(ShowAll("- &x {m: {a: 1, b: 2}, l: [1], s: 1}\n- {<<<: *x, m: {b: 3}, l: [2], s: 2}\n"),
            "[{m: {a: 1, b: 2}, l: [1], s: 1}, {m: {b: 3, a: 1}, l: [2, 1], s: 2}]");
  EXPECT_EQ(ShowAll("- &x {m: {a: 1}}\n- {<<<: *x, m: !nomerge {b: 3}}\n"),
            "[{m: {a: 1}}, {m: !nomerge {b: 3}}]");
}

TEST(ParseYamlTest, RefusesBadMerges) {
  EXPECT_THAT(ShowAll("{<<: 1}"), HasSubstr("f:1:6: error: a merge key must refer to a mapping"));
  EXPECT_THAT(ShowAll("- &x {a: 1}\n- {<<: *x, <<<: *x}\n"),
              HasSubstr("f:2:12: error: a second merge key; the first is at 2:4"));
}

TEST(ParseYamlTest, ReportsEveryDuplicateKeyWithBothPlaces) {
  const std::string errors = ShowAll("a: 1\nb: {c: 1, c: 2}\na: 2\n");
  EXPECT_THAT(errors, HasSubstr("f:2:11: error: key 'c' is given twice; the first is at 2:5\n"));
  EXPECT_THAT(errors, HasSubstr("f:3:1: error: key 'a' is given twice; the first is at 1:1\n"));
}

TEST(ParseYamlTest, ReadsOnAfterADuplicateKey) {
  Diagnostics repeated;
  const auto documents =
      ParseYamlPastRepeats(&repeated, {"f", "a: 1\nb: {c: 1, c: 2, d: 3}\na: 2\n"});
  ASSERT_TRUE(documents.has_value());
  EXPECT_EQ(repeated.size(), 2U);
  ASSERT_EQ(documents->front().entries.size(), 2U);
  EXPECT_EQ(documents->front().Find("a")->text, "1");
  const Node* inner = documents->front().Find("b");
  EXPECT_EQ(inner->Find("c")->text, "1");
  EXPECT_EQ(inner->Find("d")->text, "3");
  EXPECT_FALSE(ParseYamlPastRepeats(&repeated, {"f", "a: 1\na: 2\nb: [\n"}).has_value());
}

TEST(ParseYamlTest, RefusesKeysThatAreNotText) {
  EXPECT_THAT(ShowAll("? [a]\n: b\n"), HasSubstr("f:1:3: error: a key of a mapping must be"));
  EXPECT_THAT(ShowAll("~: b\n"), HasSubstr("f:1:1: error: a key of a mapping must be"));
}

TEST(ParseYamlTest, ReportsSyntaxErrorsAtTheirPlace) {
  EXPECT_THAT(ShowAll("a: b: c\n"), StartsWith("f:1:5: error: not valid YAML: illegal map value"));
  EXPECT_THAT(ShowAll("a: [1, 2\n"), StartsWith("f:2:1: error: not valid YAML: end of seq"));
  EXPECT_THAT(ShowAll("a: [1] x\n"), StartsWith("f:1:8: error: not valid YAML"));
  EXPECT_THAT(ShowAll("{a: 1}}\n"), StartsWith("f:1:7: error: not valid YAML: illegal flow end"));
  EXPECT_THAT(ShowAll("a: *x\n"),
              StartsWith("f:1:4: error: not valid YAML: the referenced anchor"));
  EXPECT_THAT(ShowAll("a: @x\n"), StartsWith("f:1:4: error: not valid YAML: unknown token"));
}

// What yaml-cpp lets pass.
TEST(ParseYamlTest, IsStricterThanTheParser) {
  EXPECT_THAT(ShowAll("a: \"x\n"), StartsWith("f:1:4: error: not valid YAML: no closing \""));
  EXPECT_THAT(ShowAll("a: &b !c 'it''s\n"),
              StartsWith("f:1:4: error: not valid YAML: no closing '"));
  EXPECT_THAT(ShowAll("a: 1\nb\n"), StartsWith("f:2:1: error: not valid YAML: no ':' after 'b'"));
  EXPECT_THAT(ShowAll("\"a\" \"b\""),
              StartsWith("f:1:5: error: not valid YAML: text after the end"));
  EXPECT_EQ(ShowAll("a: \"x\\\"\""), "{a: \"x\"\"}");
  EXPECT_EQ(ShowAll("a: 'x'''"), "{a: \"x'\"}");
  EXPECT_EQ(ShowAll("{a, b: 1}"), "{a: ~, b: 1}");
  EXPECT_EQ(ShowAll("a: |\n  \"not a quote\n"), "{a: \"\"not a quote\n\"}");
}

TEST(ParseYamlTest, ExplainsTabs) {
  for (const char* text : {"a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n"}) {
    EXPECT_THAT(ShowAll(text), HasSubstr(":1: error: a tab in the indentation\n"));
    EXPECT_THAT(ShowAll(text), HasSubstr("hint: YAML is indented with spaces only"));
  }
  EXPECT_EQ(ShowAll("a:\t1\t\nb: [1,\n\t2]\n"), "{a: 1, b: [1, 2]}");
}

TEST(ParseYamlTest, TakesCrlfAndByteOrderMark) {
  EXPECT_EQ(ShowAll("\xef\xbb\xbf"
                    "a: 1\r\nb: |\r\n  x\r\n"),
            "{a: 1, b: \"x\n\"}");
}

TEST(ParseYamlTest, BoundsDepth) {
  const auto nested = [](int depth) {
    const auto n = static_cast<size_t>(depth);
    return std::string(n, '[') + std::string(n, ']');
  };
  EXPECT_EQ(ShowAll(nested(3), {.depth = 3}), "[[[]]]");
  EXPECT_THAT(ShowAll(nested(4), {.depth = 3}),
              StartsWith("f:1:4: error: nested more than 3 levels deep"));
  EXPECT_THAT(ShowAll("- &a [[1]]\n- [*a]\n", {.depth = 4}), StartsWith("[[["));
  EXPECT_THAT(ShowAll("- &a [[1]]\n- [*a]\n", {.depth = 3}),
              StartsWith("f:2:4: error: nested more than 3 levels deep"));
  std::string dashes;
  for (int i = 0; i < 100000; ++i) dashes += "- ";
  EXPECT_THAT(ShowAll(dashes), HasSubstr("error: nested more than 64 levels deep"));
}

TEST(ParseYamlTest, BoundsLookahead) {
  EXPECT_THAT(ShowAll(std::string(size_t{100} << 20, '[')), HasSubstr("brackets are never closed"));
  EXPECT_THAT(ShowAll("- a\n- " + std::string(size_t{5} << 20, '"')),
              HasSubstr("error: a value or comment is longer than 4 MiB"));
}

TEST(ParseYamlTest, BoundsSize) {
  EXPECT_EQ(ShowAll("[1, 2, 3]", {.nodes = 4}), "[1, 2, 3]");
  EXPECT_THAT(ShowAll("[1, 2, 3]", {.nodes = 3}),
              StartsWith("f:1:8: error: more than 3 values, aliases expanded"));
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 50; ++i) bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  EXPECT_THAT(ShowAll(bomb), HasSubstr("error: more than 5000000 values, aliases expanded"));
  EXPECT_THAT(ShowAll("a: &a [*a]\n"), HasSubstr("f:1:8: error: an alias inside the value"));
}

TEST(ParseYamlTest, RefusesBinary) {
  EXPECT_THAT(ShowAll(std::string("\x7f"
                                  "ELF\0",
                                  5)),
              StartsWith("f:1:1: error: byte 0x7f"));
}

Node Scalar(const std::string& text) { return ParseYaml({"f", text}).value().at(0); }

template <typename T>
std::string Fault(const Result<T>& result) {
  return result ? "no fault" : Format(result.error());
}

TEST(ScalarTest, ReadsIntegers) {
  EXPECT_EQ(AsInt(Scalar("12"), "x").value(), 12);
  EXPECT_EQ(AsInt(Scalar("-12"), "x").value(), -12);
  EXPECT_EQ(AsInt(Scalar("+12"), "x").value(), 12);
  EXPECT_EQ(AsInt(Scalar("9223372036854775807"), "x").value(), INT64_MAX);
  EXPECT_THAT(Fault(AsInt(Scalar("9223372036854775808"), "x")),
              HasSubstr("x does not fit into 64"));
  for (const char* bad : {"1.5", "1e3", "0x10", "+-1", "one", "1 2", "'1'", "[1]", "{a: 1}", "~"}) {
    EXPECT_THAT(Fault(AsInt(Scalar(bad), "x")), HasSubstr("x must be a whole number, found"))
        << bad;
  }
  EXPECT_THAT(Fault(AsInt(Scalar("'1'"), "x")), HasSubstr("numbers are written without quotes"));
}

TEST(ScalarTest, ReadsNumbers) {
  EXPECT_EQ(AsDouble(Scalar("1.5"), "x").value(), 1.5);
  EXPECT_EQ(AsDouble(Scalar("-.5e-3"), "x").value(), -0.0005);
  EXPECT_EQ(AsDouble(Scalar("7"), "x").value(), 7.0);
  EXPECT_THAT(Fault(AsDouble(Scalar("1,5"), "x")), HasSubstr("the decimal sign is a point"));
  for (const char* bad : {"nan", "inf", "-inf", ".inf", ".nan", "0x1p3", "1.5 pJ", "'1'", "~"}) {
    EXPECT_THAT(Fault(AsDouble(Scalar(bad), "x")), HasSubstr("x must be a")) << bad;
  }
  EXPECT_THAT(Fault(AsDouble(Scalar("1e999"), "x")), HasSubstr("x is too large or too small"));
}

TEST(ScalarTest, ReadsTruth) {
  for (const char* yes : {"true", "True", "yes", "on"})
    EXPECT_TRUE(AsBool(Scalar(yes), "x").value());
  for (const char* no : {"false", "False", "no", "off"}) {
    EXPECT_FALSE(AsBool(Scalar(no), "x").value());
  }
  for (const char* bad : {"1", "0", "'true'", "~", "maybe"}) {
    EXPECT_THAT(Fault(AsBool(Scalar(bad), "x")), HasSubstr("x must be true or false, found"))
        << bad;
  }
}

TEST(ScalarTest, ReadsText) {
  EXPECT_EQ(AsString(Scalar("abc"), "x").value(), "abc");
  EXPECT_EQ(AsString(Scalar("'1'"), "x").value(), "1");
  EXPECT_THAT(Fault(AsString(Scalar("[a]"), "x")), HasSubstr("x must be text, found a list"));
  EXPECT_THAT(Fault(AsString(Scalar("~"), "x")), HasSubstr("x must be text, found nothing"));
}

}  // namespace
}  // namespace inlay::io
