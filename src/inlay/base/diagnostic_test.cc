#include "inlay/base/diagnostic.h"

#include <gtest/gtest.h>

namespace inlay {
namespace {

Diagnostic At(const std::string& file, int line, const std::string& message) {
  Diagnostic warning = MakeWarning({file, line, 5}, message, "do this");
  warning.source_line = "key: 1";
  return warning;
}

TEST(Diagnostic, WarningsAlikeOfManyFilesAreQuotedOnce) {
  Diagnostics all;
  for (int i = 0; i < 3; ++i) all.push_back(At(std::to_string(i) + ".yaml", 1, "misspelt"));
  const std::string one = "0.yaml:1:5: warning: misspelt\n  | key: 1\n  |     ^\n  hint: do this\n";
  EXPECT_TRUE(
      Format(all).ends_with("2.yaml:1:5: warning: misspelt\n  | key: 1\n  |     ^\n"
                            "  hint: do this\n"));
  all.push_back(At("3.yaml", 2, "misspelt"));
  EXPECT_EQ(Format(all), one + "  also at 1.yaml:1:5, 2.yaml:1:5, 3.yaml:2:5\n");
  all.push_back(At("a.yaml", 1, "another"));
  for (int i = 4; i < 9; ++i) all.push_back(At(std::to_string(i) + ".yaml", 1, "misspelt"));
  EXPECT_EQ(Format(all), one +
                             "  also at 1.yaml:1:5, 2.yaml:1:5, 3.yaml:2:5, 4.yaml:1:5, "
                             "5.yaml:1:5, and at 3 more places\n"
                             "a.yaml:1:5: warning: another\n  | key: 1\n  |     ^\n"
                             "  hint: do this\n");
}

TEST(Diagnostic, ErrorsAlikeAreEachQuoted) {
  Diagnostics all;
  for (int i = 0; i < 6; ++i) all.push_back(MakeError({"f.yaml", i + 1, 1}, "unknown key"));
  const std::string text = Format(all);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NE(text.find("f.yaml:" + std::to_string(i + 1) + ":1: error"), std::string::npos);
  }
}

}  // namespace
}  // namespace inlay
