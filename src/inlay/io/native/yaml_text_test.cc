#include "inlay/io/native/yaml_text.h"

#include <gtest/gtest.h>

#include "inlay/io/yaml/node.h"

namespace inlay::io {
namespace {

TEST(YamlTextTest, ScalarsReadBackAsTheSameText) {
  for (const std::string text : {"GLB",
                                 "65536 words",
                                 "for P in 56 step 13",
                                 "",
                                 " lead",
                                 "trail ",
                                 "a: b",
                                 "a #b",
                                 "#",
                                 "- x",
                                 "[x]",
                                 "{x}",
                                 "true",
                                 "No",
                                 "null",
                                 "~",
                                 "12",
                                 "1.5",
                                 ".inf",
                                 "NaN",
                                 "a\"b",
                                 "a\\b",
                                 "a'b",
                                 "tab\there",
                                 "line\nbreak",
                                 "höhe",
                                 "*alias",
                                 "&anchor",
                                 "!tag",
                                 "%",
                                 "@",
                                 "`",
                                 ">= 2",
                                 "<= 2",
                                 "|",
                                 ">",
                                 "a,b",
                                 "0x1F",
                                 "\x01\x7f",
                                 "\u0080[\u009b]\u009f\u00a0",
                                 "?",
                                 "-",
                                 "1 pJ * sqrt(words)",
                                 "y",
                                 "N",
                                 "=",
                                 "<<"}) {
    const std::string yaml = "a: {k: " + Scalar(text) + ", z: 1}\n";
    const auto documents = ParseYaml({"f", yaml});
    ASSERT_TRUE(documents) << yaml << Format(documents.error());
    const Node* value = documents->at(0).Find("a")->Find("k");
    ASSERT_TRUE(value != nullptr && value->IsScalar()) << yaml;
    EXPECT_EQ(value->text, text) << yaml;
  }
}

TEST(YamlTextTest, ControlCharactersAreEscaped) {
  EXPECT_EQ(Scalar("\x1b[2J \x7f \u009b \u00e9 \"\\"), "\"\\x1b[2J \\x7f \\x9b \u00e9 \\\"\\\\\"");
}

TEST(YamlTextTest, PlainWherePlainIsSafe) {
  EXPECT_EQ(Scalar("GLB"), "GLB");
  EXPECT_EQ(Scalar("16 words/cycle"), "16 words/cycle");
  EXPECT_EQ(Scalar("12"), "\"12\"");
  EXPECT_EQ(Scalar("Yes"), "\"Yes\"");
  EXPECT_EQ(FlowList({"K", "no"}), "[K, \"no\"]");
  EXPECT_EQ(FlowObject().Add("a", "1").Add("b c", "{x: y}").ToString(), "{a: 1, b c: {x: y}}");
}

}  // namespace
}  // namespace inlay::io
