#include "inlay/run/alloc.h"

#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/io/json/document.h"
#include "inlay/io/minimalloc/minimalloc.h"
#include "inlay/report/alloc.h"

namespace inlay::cli {
namespace {

// The table with the addresses, if there are any.
std::vector<OutputFile> FilesOf(const AllocResult& result) {
  if (!result.height) return {};
  std::vector<int64_t> offsets;
  for (const auto& [id, offset] : result.offsets) offsets.push_back(offset);
  return {{"offsets.csv", io::WriteMiniMalloc(result.buffers, offsets)}};
}

ExitCode RunAlloc(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::AllocRequest>(invocation.options);
  request.buffers = invocation.arguments.front();
  const auto inputs = LoadWithinLimit(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const AllocResult result = run::Run(request, *inputs, session->stop());
  const bool placed = result.height.has_value();
  std::string remarks;
  if (!placed) {
    const Diagnostic reason = MakeError({}, report::AllocReason(result), report::AllocHint(result));
    session->Report({reason});
    remarks = Format(reason);
  }
  const auto summary = [&](const TextStyle& style) {
    return report::AllocSummary(request.buffers, result, style);
  };
  const ExitCode code =
      Deliver({io::WriteJson(result), summary, FilesOf(result), true, std::move(remarks)}, &*folder,
              session);
  return code == kDone && !placed ? kNoAnswer : code;
}

}  // namespace

Command AllocCommand() {
  std::vector<Option> options = OptionsOf<run::AllocRequest>();
  AddOutputOptions(
      OutputFolderOption("write result.json, summary.txt (always UTF-8) and offsets.csv, the table "
                         "with the addresses in a column offset, into this folder; it must be new "
                         "or empty"),
      &options);
  return {
      .name = "alloc",
      .sentence = "addresses for buffers with lifetimes",
      .usages = {"BUFFERS.csv --capacity N [OPTIONS]", "BUFFERS.csv [OPTIONS]"},
      .details =
          "Gives every buffer an address so that no two that live at the same time overlap: fast "
          "heuristics first, then an exact search, which ends with a placement or a proof that "
          "there "
          "is none. The table is MiniMalloc's: columns id, lower, upper, size, and if wanted "
          "alignment and offset (a fixed address); a buffer lives from lower up to, not including, "
          "upper.\n"
          "Without --capacity the least one is looked for and reported with a lower bound; without "
          "--time-limit too, what takes more than some seconds to prove stays open.\n"
          "Ends with code 1 if the buffers do not fit, and says when and by how much.",
      .arguments = {{.name = "BUFFERS.csv", .sentence = "a table of buffers"}},
      .options = std::move(options),
      .examples = {{"inlay alloc buffers.csv --capacity 1048576",
                    "addresses in a memory of one MiB, or the reason why there are none"},
                   {"inlay alloc buffers.csv --time-limit 10s -o out",
                    "the least memory that is found in ten seconds; addresses in out/offsets.csv"}},
      .common_options = {.time_limit =
                             "the most time to search: 500ms, 60s, 5min; then the best so far",
                         .seed = true},
      .run = RunAlloc,
  };
}

}  // namespace inlay::cli
