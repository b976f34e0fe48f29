#include "inlay/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/file.h"
#include "tests/support/paths.h"

namespace inlay::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HtmlReportTest, TheTemplateIsTheFileThatIsCheckedIn) {
  const auto file = io::ReadBinaryFile(INLAY_SOURCE_DIR "/web/report/dist/report.html");
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->text == PageTemplate());  // EXPECT_EQ would print both pages
}

TEST(HtmlReportTest, HoldsTheData) {
  const std::string page = HtmlReport({{"a.json", "map", "1", R"({"x": "a<b"})", ""}});
  EXPECT_THAT(page, HasSubstr(R"(<script type="application/json" id="inlay-data">)"));
  EXPECT_THAT(page, HasSubstr(R"({"name":"a.json","result":{"x": "a\u003cb"}})"));
  EXPECT_THAT(page, Not(HasSubstr("inlay-data-->")));
}

TEST(HtmlReportTest, KnowsItsOwn) {
  EXPECT_TRUE(IsHtmlReport(HtmlReport({})));
  EXPECT_FALSE(IsHtmlReport("<!DOCTYPE html><html>"));
  EXPECT_FALSE(IsHtmlReport(""));
}

}  // namespace
}  // namespace inlay::report
