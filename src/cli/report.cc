#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/session.h"
#include "inlay/io/file.h"
#include "inlay/io/json/any_result.h"
#include "inlay/io/write_file.h"
#include "inlay/report/html.h"

namespace inlay::cli {
namespace {

namespace fs = std::filesystem;

// For a page in `page_folder`.
Result<io::AnyResult> ReadFrom(const std::string& argument, const std::string& page_folder) {
  const bool folder = io::IsFolder(argument);
  const std::string path = folder ? (fs::path(argument) / "result.json").string() : argument;
  if (folder && !io::IsFile(path)) {
    return Fail(MakeError({argument, 0, 0}, "this folder holds no result.json",
                          "a command with -o writes one"));
  }
  const auto source = io::ReadTextFile(path);
  auto result = source ? io::ReadAnyResult(*source, page_folder) : Fail(source.error());
  if (!result) return result;
  const std::string trace = (fs::path(path).parent_path() / "trace.json").string();
  if (result->command != "batch" || !io::IsFile(trace)) return result;
  const auto trace_source = io::ReadTextFile(trace);
  auto text = trace_source ? io::ReadTrace(*trace_source) : Fail(trace_source.error());
  if (!text) return Fail(std::move(text.error()));
  result->trace = *std::move(text);
  return result;
}

// Figures of two versions on one page would be compared, although their meaning may have changed.
Diagnostics CheckVersions(const std::vector<io::AnyResult>& results) {
  for (const io::AnyResult& result : results) {
    const io::AnyResult& first = results.front();
    if (result.version == first.version) continue;
    return {MakeError({result.name, 0, 0},
                      fmt::format("this is a result of inlay {}, and '{}' is one of inlay {}",
                                  result.version, first.name, first.version),
                      "run one of the commands again, or make a report of each")};
  }
  return {};
}

Result<std::vector<io::AnyResult>> ReadAll(const std::vector<std::string>& arguments,
                                           const std::string& page_folder) {
  std::vector<io::AnyResult> results;
  Diagnostics errors;
  for (const std::string& argument : arguments) {
    auto result = ReadFrom(argument, page_folder);
    if (result) {
      results.push_back(*std::move(result));
    } else {
      Append(result.error(), &errors);
    }
  }
  if (errors.empty()) errors = CheckVersions(results);
  if (!errors.empty()) return Fail(std::move(errors));
  for (io::AnyResult& result : results) result.name = io::PathOnPage(result.name, page_folder);
  return results;
}

// An older report may be replaced; anything else that is there may not.
Diagnostics CheckTarget(const OptionValues& options) {
  if (!options.Has("output")) {
    return {MakeError({}, "there is no file to write", "give -o FILE.html")};
  }
  const std::string& path = options.Text("output");
  if (auto target = io::CheckFileToWrite(path); !target) return std::move(target.error());
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  const auto text = io::ReadBinaryFile(path);
  if (text && (text->text.empty() || report::IsHtmlReport(text->text))) return {};
  return {MakeError({path, 0, 0}, "this file is there already, and is no report",
                    "choose another name; only reports are replaced")};
}

ExitCode RunReport(const Invocation& invocation, Session* session) {
  Diagnostics errors = CheckTarget(invocation.options);
  const std::string path =
      invocation.options.Has("output") ? invocation.options.Text("output") : "";
  const auto results = ReadAll(invocation.arguments, fs::path(path).parent_path().string());
  if (!results) Append(results.error(), &errors);
  if (!errors.empty()) {
    session->Report(errors);
    return kWrongInput;
  }
  if (session->Stopped()) return kInterrupted;
  const std::string page = report::HtmlReport(*results);
  if (const auto written = io::WriteFile(path, page); !written) {
    session->Report(written.error());
    return kWrongInput;
  }
  if (!invocation.options.Flag("quiet")) {
    const std::string what = results->size() == 1 ? "the result of " + results->front().command
                                                  : fmt::format("{} results", results->size());
    session->Print(fmt::format("{}: {} as a page; open it in a browser\n", path, what));
  }
  return kDone;
}

}  // namespace

Command ReportCommand() {
  return {
      .name = "report",
      .sentence = "results as one page for a browser",
      .usages = {"RESULT... -o FILE.html"},
      .details =
          "Writes one HTML file that needs no network and no other file: layers with their energy, "
          "cycles and roofline, drawings of architectures and machines with what they hold, loop "
          "nests "
          "with what every level moves, graphs of networks by what was decided, progress of "
          "searches, Pareto fronts, scratchpads over time, batched networks over time, the figures "
          "of studies. Two results of the same command are compared layer by layer.",
      .arguments = {{.name = "RESULT",
                     .sentence = "a result.json that a command wrote, or the folder that holds it",
                     .repeated = true}},
      .options = {{.key = "output",
                   .sentence = "the file to write; an older report is replaced, anything else is "
                               "not",
                   .value_name = "FILE.html",
                   .short_name = 'o'},
                  QuietOption()},
      .examples = {{"inlay report best -o best.html",
                    "the page of a folder that 'inlay map' wrote"},
                   {"inlay report best planned/result.json -o both.html",
                    "several results on one page"}},
      .run = RunReport,
  };
}

}  // namespace inlay::cli
