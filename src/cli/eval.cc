#include "inlay/run/eval.h"

#include <utility>

#include "cli/eval_case.h"
#include "inlay/io/json/document.h"

namespace inlay::cli {
namespace {

ExitCode RunEval(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::EvalRequest>(invocation.options);
  request.of.files = invocation.arguments;
  const auto inputs = LoadInputs(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  if (inputs->input.fused) {
    return DeliverFused(run::RunFused(request, *inputs), inputs->input, &*folder, session);
  }
  const auto run = run::Run(request, *inputs);
  if (!run) return ReportFailure(run.error(), session);
  const io::Case& input = inputs->input;
  const auto summary = [&](const TextStyle& style) {
    return run->costs.size() == 1 ? report::EvalSummary(input.problem, input.architecture,
                                                        input.mapping, run->costs.front(), style)
                                  : report::EvalComparison(input.problem, input.architecture,
                                                           input.mapping, run->costs, style);
  };
  return Deliver({io::WriteOneOrSeveral(run->results), summary, MappingFiles(input)}, &*folder,
                 session);
}

}  // namespace

Command EvalCommand() {
  std::vector<Option> options = OptionsOf<run::EvalRequest>();
  AddOutputOptions(OutputFolderWithMappingOption(), &options);
  return {
      .name = "eval",
      .sentence = "the cost of one mapping: words moved, energy, cycles, utilisation",
      .usages = {"--problem WORKLOAD --arch ARCH --mapping FILE [OPTIONS]", "CASE... [OPTIONS]"},
      .details =
          "Prints levels x tensors with the words each reads, receives from outside (fills), from "
          "inside (updates) and gives back (drains), what each costs, and what limits the cycles. "
          "Ends with code 1 if the mapping does not fit, and says which level, which tensor and "
          "how many words too many.\n"
          "A fused mapping, several nodes with one tree of loops, holds and leaves, is a document "
          "'fused:' of a native file; it shows the tree with the words that every hold takes and "
          "moves, recomputed operations, and the room in the pad.\n"
          "Files may be native YAML, Timeloop's (2019, 0.2, 0.3, 0.4) or SCALE-Sim's.",
      .arguments = CaseArguments(),
      .options = std::move(options),
      .examples =
          {{"inlay eval --problem resnet50/conv2_1_3x3 --arch eyeriss --mapping best/mapping.yaml",
            "a layer of ResNet-50 on Eyeriss"},
           {"inlay eval case.yaml --semantics exact,timeloop",
            "a case that is all in one file, counted exactly and as Timeloop counts, side by side"},
           {"inlay eval problem.yaml arch.yaml mapping.yaml -o out --json",
            "several files; the result as JSON, and as files in a new folder"}},
      .common_options = {.dims = true},
      .run = RunEval,
  };
}

}  // namespace inlay::cli
