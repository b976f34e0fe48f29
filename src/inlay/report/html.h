#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inlay/io/json/any_result.h"

namespace inlay::report {

// The page without data: web/report/dist/report.html, embedded by the build.
std::string_view PageTemplate();

// One page that shows these results and needs nothing else: no network, no other file.
std::string HtmlReport(const std::vector<io::AnyResult>& results);

// Whether a text begins as such a page does.
bool IsHtmlReport(std::string_view text);

}  // namespace inlay::report
