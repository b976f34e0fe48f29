#include "inlay/report/html.h"

#include "inlay/base/check.h"

namespace inlay::report {
namespace {

constexpr std::string_view kData = "<!--inlay-data-->";  // stands once in the template
constexpr std::string_view kMark = R"(<meta name="generator" content="inlay report">)";
constexpr size_t kHead = 1024;  // bytes within which the mark stands

}  // namespace

std::string HtmlReport(const std::vector<io::AnyResult>& results) {
  std::string page(PageTemplate());
  const size_t at = page.find(kData);
  INLAY_CHECK(at != std::string::npos && IsHtmlReport(page));
  page.replace(at, kData.size(),
               R"(<script type="application/json" id="inlay-data">)" +
                   io::WriteReportData(results) + "</script>");
  return page;
}

bool IsHtmlReport(std::string_view text) {
  return text.substr(0, kHead).find(kMark) != std::string_view::npos;
}

}  // namespace inlay::report
