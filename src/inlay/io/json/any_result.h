#pragma once

#include <string>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"

namespace inlay::io {

// A result of whichever command, with nothing of it interpreted.
struct AnyResult {
  std::string name;     // of the file
  std::string command;  // that wrote it: "map"
  std::string version;  // of the tool
  std::string json;     // the document, without line breaks
  std::string trace;    // trace.json that lies beside it, the same way; "" where there is none
};

// Takes any result.json that a page can show: its format is ours, its command is known, and what
// the command writes is there. All faults at once. Absolute paths of inputs become those that a
// page in `folder` shows.
Result<AnyResult> ReadAnyResult(const Source& source, const std::string& folder = "");

// What a page in `folder` calls a file: pages are passed on, and say nothing of the folders of this
// machine. An absolute path is written from there; where it has nothing in common with the page's,
// as "…/folder/file".
std::string PathOnPage(const std::string& path, const std::string& folder);

// A trace.json of `batch`, without line breaks.
Result<std::string> ReadTrace(const Source& source);

// All results as one JSON object {"version", "results": [{"name", "result", "trace"}]} that can
// stand inside <script>: nothing in it can end that element.
std::string WriteReportData(const std::vector<AnyResult>& results);

}  // namespace inlay::io
