#include "inlay/run/plan.h"

#include <utility>

#include "cli/deliver_result.h"
#include "cli/plan_progress.h"
#include "cli/session.h"
#include "inlay/io/json/document.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/json/plan_trace.h"
#include "inlay/io/onnx/annotate.h"
#include "inlay/io/write_file.h"
#include "inlay/report/plan.h"

namespace inlay::cli {
namespace {

// The model with the plan in it. False: it could not be written, and why was said.
bool WriteAnnotated(const run::PlanRequest& request, const run::PlanInputs& inputs,
                    const PlanResult& result, Session* session) {
  const auto model = io::AnnotateModel(request.network, *inputs.model, *inputs.graph, result);
  const auto written =
      model ? io::WriteFile(*request.annotate, *model) : Result<void>(Fail(model.error()));
  if (!written) session->Report(written.error());
  return written.has_value();
}

ExitCode RunPlan(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::PlanRequest>(invocation.options);
  request.network = invocation.arguments.front();
  const auto inputs = LoadWithinLimit(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  if (inputs->model) {  // the model may go into the folder, which there is now
    if (const auto target = io::CheckFileToWrite(*request.annotate); !target) {
      session->Report(target.error());
      return kWrongInput;
    }
  }

  std::optional<PlanProgressLine> line;
  if (!request.check) {
    line.emplace(request.options.objective, request.common.time_limit, *session);
  }
  const auto result = run::Run(request, *inputs, session->stop(),
                               [&](const PlanProgress& state) { line->Show(state); });
  if (line) line->Finish();
  if (!result) return ReportFailure(result.error(), session);
  const auto summary = [&](const TextStyle& style) { return report::PlanSummary(*result, style); };
  // Made only where they are written or printed: of 20,000 nodes they take a second.
  const LongText json([&](const TextSink& put) { put(io::WriteJson(*result)); });
  const LongText plan([&](const TextSink& put) { put(io::WritePlan(*result)); });
  const LongText trace([&](const TextSink& put) { put(io::WritePlanTrace(*result)); });
  const ExitCode code = Deliver({json, summary, {{"plan.json", plan}, {"trace.json", trace}}, true},
                                &*folder, session);
  // Last, so that the plan is delivered even if the model cannot be written.
  const bool annotated = !inputs->model || WriteAnnotated(request, *inputs, *result, session);
  return annotated ? code : kWrongInput;
}

Option PlanFolderOption() {
  return OutputFolderOption(
      "write result.json, plan.json, summary.txt (always UTF-8) and trace.json, the plan over time "
      "for Perfetto, into this folder; it must be new or empty");
}

}  // namespace

Command PlanCommand() {
  std::vector<Option> options = OptionsOf<run::PlanRequest>();
  AddOutputOptions(PlanFolderOption(), &options);
  return {
      .name = "plan",
      .sentence = "what of a network stays on chip between its nodes, with a certificate",
      .usages = {"NETWORK --machine MACHINE [OPTIONS]"},
      .details =
          "Decides which tensors lie in which memory at which address during which steps, and what "
          "is fetched, prefetched, moved and written back when, for the least --objective. A step "
          "is the run of one node, or with --fuse of several that pass tiles on. Every plan is "
          "replayed step by step before it is reported; "
          "docs/reference/scratchpad.md says what it means and costs. Where a unit of the machine "
          "has an architecture, the mapper says how its nodes can be tiled; that comes first, and "
          "takes up to half of the time limit.\n"
          "Ends with code 1 if there is no plan, or if the plan of --check is impossible. Ctrl-C "
          "and SIGTERM end the search with the best so far, marked as interrupted, and code 130.",
      .arguments = {{.name = "NETWORK",
                     .sentence =
                         "a built-in network, an ONNX model or a native file with a graph"}},
      .options = std::move(options),
      .examples =
          {{"inlay plan mobilenetv2 --machine onsram --time-limit 5s",
            "a plan for OnSRAM's accelerator"},
           {"inlay plan resnet18 --machine onsram-2pads --strategy greedy --objective bytes -o out",
            "the fewest off-chip bytes on two memories, by the quick strategy; plan.json in a new "
            "folder"},
           {"inlay plan mobilenetv2 --machine onsram --fuse --time-limit 20s",
            "the same where nodes may run together in tiles"},
           {"inlay plan resnet18 --machine onsram-2pads --check plan.json",
            "replays such a plan, step by step"}},
      .common_options = {.time_limit =
                             "the most time for the planning: 500ms, 60s, 5min; then the best so "
                             "far, with its gap",
                         .threads = true,
                         .seed = true,
                         .dims = true},
      .run = RunPlan,
  };
}

}  // namespace inlay::cli
