#include "inlay/run/fuse.h"

#include <fmt/format.h>

#include <utility>

#include "cli/deliver_result.h"
#include "cli/emit_program.h"
#include "cli/session.h"
#include "inlay/emit/emit_c.h"
#include "inlay/io/json/document.h"
#include "inlay/io/native/native.h"
#include "inlay/report/fuse.h"

namespace inlay::cli {
namespace {

// The tree beside the architecture that it was made for: a case that `eval` reads.
std::string CaseText(const run::FuseInputs& inputs, const FusedTree& tree) {
  return io::WriteNative(inputs.problem, inputs.architecture, tree) + "---\n" +
         io::WriteNative(inputs.architecture);
}

// The line on a terminal while trees are searched.
std::string ProgressText(Metric metric, const FuseProgress& state) {
  const TextStyle style = StyleOf(2);
  std::string line = "fusing";
  if (state.incumbent) {
    line +=
        fmt::format("  {} {}", Name(metric), report::MetricText(metric, *state.incumbent, style));
  }
  if (state.bound) line += "  bound " + report::MetricText(metric, *state.bound, style);
  return line;
}

ExitCode RunFuse(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::FuseRequest>(invocation.options);
  request.workload = invocation.arguments.front();
  const auto inputs = LoadWithinLimit(&request, session);
  if (!inputs) return kWrongInput;
  if (!CanEmit(invocation.options, 1, session)) return kWrongInput;
  if (!CanEmit(invocation.options, inputs->problem, session)) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const Objective& objective = request.options.objective;
  session->ShowProgress("fusing");
  const auto run = run::Run(request, *inputs, session->stop(), [&](const FuseProgress& state) {
    session->ShowProgress(ProgressText(objective.front(), state));
  });
  session->ShowProgress(run ? fmt::format("fused in {:.2f} s\n", run->result.measured.seconds)
                            : "");
  if (!run) return ReportFailure(run.error(), session);
  const auto summary = [&](const TextStyle& style) {
    return report::FuseSummary(inputs->architecture, objective, run->result, style);
  };
  Delivery delivery{
      io::WriteJson(run->result), summary, {{"fused.yaml", CaseText(*inputs, run->tree)}}, true};
  if (EmitsProgram(invocation.options)) {
    delivery.files.push_back(ProgramFile(EmitC(inputs->problem, inputs->architecture, run->tree)));
    PrintProgram(*folder, &delivery);
  }
  return Deliver(delivery, &*folder, session);
}

}  // namespace

Command FuseCommand() {
  std::vector<Option> options = OptionsOf<run::FuseRequest>();
  options.push_back(EmitOption());
  AddOutputOptions(
      OutputFolderOption("write result.json, summary.txt (always UTF-8) and fused.yaml, the tree "
                         "beside the architecture, which 'inlay eval' reads, into this folder; it "
                         "must be new or empty"),
      &options);
  return {
      .name = "fuse",
      .sentence = "the best tree of loops that several nodes share, with a certificate",
      .usages = {"WORKLOAD [--arch ARCH...] [OPTIONS]"},
      .details =
          "Decides which consecutive nodes run together, tile by tile, which loops they share and "
          "where each tensor enters the pad, so that tiles between them never leave the chip, for "
          "the least --objective. Beside it: the best without fusing, and a bound for any fused "
          "mapping of these nodes in their order. 'optimal' is said of trees in which at most "
          "--shared-loops loops are around several nodes; docs/reference/fusion.md says which.\n"
          "The workload is a network as a graph, built in, native or ONNX, or a document 'fused:' "
          "of a native file, whose tree is not needed and not looked at. A network is cut into "
          "runs "
          "of at most --run-nodes nodes each, one after the other, such that their sum is least. "
          "Convolutions, products, elementwise nodes, softmaxes and norms (along the last "
          "dimension) and global poolings are fused; other nodes are left out, and named.\n"
          "Ends with code 1 if nothing fits into the pad. Ctrl-C and SIGTERM end the search with "
          "the best so far, marked as interrupted, and code 130.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a network, built in or a file, or nodes that pass tensors on: a "
                                 "native file with 'fused:'"}},
      .options = std::move(options),
      .examples =
          {{"inlay fuse flash-attention", "attention on the architecture of the example"},
           {"inlay fuse resnet50 --nodes layer1.0.conv1..layer1.0.relu_2 --arch eyeriss "
            "--time-limit 1min",
            "a block of ResNet-50, with the best that is found in a minute"},
           {"inlay fuse fused.yaml --pad 512B..2KiB --json",
            "nodes and architecture of a file; the fewest off-chip words of pads of these sizes"},
           {"inlay fuse fused.yaml --arch pad.yaml --nodes E1..E2 --objective energy -o out",
            "some nodes of a file, for the least energy; the tree in out/fused.yaml"},
           {"inlay fuse flash-attention --emit c > kernel.c",
            "the best tree as a C program with explicit loads and stores"}},
      .common_options = {.time_limit =
                             "the most time for the search: 500ms, 60s, 5min; then the best so "
                             "far, with its gap",
                         .threads = true},
      .run = RunFuse,
  };
}

}  // namespace inlay::cli
