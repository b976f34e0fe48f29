#include "inlay/run/batch.h"

#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/io/json/batch_trace.h"
#include "inlay/io/json/document.h"
#include "inlay/report/batch.h"

namespace inlay::cli {
namespace {

ExitCode RunBatch(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::BatchRequest>(invocation.options);
  request.mix = invocation.arguments.front();
  auto inputs = LoadWithinLimit(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  auto run = run::Run(request, *std::move(inputs), session->stop(),
                      [&](const std::string& line) { session->ShowProgress(line); });
  if (!run) return ReportFailure(run.error(), session);
  BatchResult& result = run->result;
  std::vector<OutputFile> files;
  if (folder->has_value()) {
    result.traced = run->traced_name;
    files.push_back({"trace.json", io::WriteBatchTrace(TraceOf(*run))});
  }
  const auto summary = [&](const TextStyle& style) { return report::BatchSummary(result, style); };
  const ExitCode code =
      Deliver({io::WriteJson(result), summary, std::move(files), true}, &*folder, session);
  if (code != kDone) return code;
  return BestPolicy(result.figures) == nullptr ? kNoAnswer : kDone;
}

}  // namespace

Command BatchCommand() {
  std::vector<Option> options = OptionsOf<run::BatchRequest>();
  AddOutputOptions(
      OutputFolderOption("write result.json, summary.txt (always UTF-8) and trace.json, the "
                         "timeline of the best policy for Perfetto, into this folder; it must be "
                         "new or empty"),
      &options);
  return {
      .name = "batch",
      .sentence = "several batched networks on one accelerator: policies side by side",
      .usages = {"MIX [OPTIONS]"},
      .details =
          "Simulates, cycle by cycle and byte by byte, how the batches of several networks share "
          "the arrays, the on-chip memory and the channel of one accelerator, under each policy; "
          "beside them what unlimited memory (PU), unlimited memory for feature maps alone (PW) "
          "and no waiting at all (LB) would take. Idle cycles of the arrays are attributed to "
          "their cause (capacity, bandwidth, dependency) by simulating again without it. "
          "Where memory is very short, layers run in pieces. "
          "docs/reference/batching.md says what the policies do.\n"
          "Ends with code 1 if one inference of a workload does not fit, not even in pieces, or if "
          "every policy ends in a deadlock (--deadlock report). Ctrl-C and SIGTERM end with the "
          "policies that are "
          "through, marked as interrupted, and code 130.",
      .arguments = {{.name = "MIX", .sentence = "a built-in mix or a file"}},
      .options = std::move(options),
      .examples = {{"inlay batch mix-tight", "all policies where memory is short"},
                   {"inlay batch mix-e --policy static,stall-free --memory \"20 MiB\" -o out",
                    "two policies with less memory, and the timeline of the better one"},
                   {"inlay batch mix-tight --policy batch-dnn --deadlock spill --json",
                    "one policy that pays for deadlocks"}},
      .common_options = {.time_limit =
                             "the most time for all policies: 500ms, 60s, 5min; then those that "
                             "are through",
                         .threads = true,
                         .seed = false,
                         .dims = true},
      .run = RunBatch,
  };
}

}  // namespace inlay::cli
