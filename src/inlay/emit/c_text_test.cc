#include "inlay/emit/c_text.h"

#include <gtest/gtest.h>

namespace inlay::emit {
namespace {

TEST(CTextTest, BlocksAreIndented) {
  CText text;
  text.Open("if (a)");
  text.Line("x = 1;");
  text.Else();
  text.Line("x = 2;");
  text.Close();
  EXPECT_EQ(text.text(), "if (a) {\n  x = 1;\n} else {\n  x = 2;\n}\n");
  EXPECT_EQ(text.depth(), 0);
}

TEST(CTextTest, CommentsEndWhereTheyShould) {
  CText text;
  text.Comment("a */ b /* c \\ d ?\?/ \x01");
  EXPECT_EQ(text.text(), "/* a *_ b /_ c _ d __/ _ */\n");
}

TEST(CNamesTest, NamesAreIdentifiersAndUnique) {
  CNames names;
  EXPECT_EQ(names.Unique("K"), "K");
  EXPECT_EQ(names.Unique("K"), "K_2");
  EXPECT_EQ(names.Unique("K"), "K_3");
  EXPECT_EQ(names.Unique("a b"), "a_b");
  EXPECT_EQ(names.Unique("a-b"), "a_b_2");
  EXPECT_EQ(names.Unique("2x"), "x2x");
  EXPECT_EQ(names.Unique("_x"), "x_x");
  EXPECT_EQ(names.Unique(""), "x");
  EXPECT_NE(names.Unique("int"), "int");
  EXPECT_NE(names.Unique("range"), "range");  // of the prelude
}

TEST(CNamesTest, VariablesOfFunctionsAreFreeInOthers) {
  CNames names;
  names.Avoid("K");
  EXPECT_EQ(names.Unique("K"), "K_2");
  CNames local = names.Local();
  EXPECT_EQ(local.Unique("K"), "K");
  EXPECT_EQ(local.Unique("K_2"), "K_2_2");
}

TEST(CTextTest, StringsHoldAnyText) {
  EXPECT_EQ(CString("a\"b\\c\n\xc3\xa9?"), "\"a\\042b\\134c\\012\\303\\251\\077\"");
}

TEST(CTextTest, UnusedConstantsGo) {
  EXPECT_EQ(WithoutUnused("const range a = {0, 1};\nconst range b = a;\nconst range c = {0, 2};\n"
                          "f(c);\n"),
            "const range c = {0, 2};\nf(c);\n");
}

TEST(CTextTest, PreludeHasWhatIsUsedDirectlyOrNot) {
  const std::string prelude = PreludeFor("x = shares(1, 2, a, b, 3);");
  EXPECT_NE(prelude.find("static int shares("), std::string::npos);
  EXPECT_NE(prelude.find("static int same("), std::string::npos);
  EXPECT_LT(prelude.find("static int same("), prelude.find("static int shares("));
  EXPECT_EQ(prelude.find("static range cut("), std::string::npos);
  EXPECT_EQ(PreludeFor("shortcut(1);"), "");
}

}  // namespace
}  // namespace inlay::emit
