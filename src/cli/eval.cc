#include "inlay/run/eval.h"

#include <utility>

#include "cli/emit_program.h"
#include "cli/eval_case.h"
#include "inlay/emit/emit_c.h"
#include "inlay/io/json/document.h"

namespace inlay::cli {
namespace {

ExitCode RunEval(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::EvalRequest>(invocation.options);
  request.of.files = invocation.arguments;
  const auto inputs = LoadInputs(&request, session);
  if (!inputs) return kWrongInput;
  const auto& fused = inputs->input.fused;
  if (!CanEmit(invocation.options, 1, session)) return kWrongInput;
  if (fused && !CanEmit(invocation.options, fused->problem, session)) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const bool emits = EmitsProgram(invocation.options);
  if (inputs->input.fused) {
    return DeliverFused(run::RunFused(request, *inputs), inputs->input, emits, &*folder, session);
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
  Delivery delivery{io::WriteOneOrSeveral(run->results), summary, MappingFiles(input)};
  if (emits) {
    delivery.files.push_back(ProgramFile(EmitC(input.problem, input.architecture, input.mapping)));
    PrintProgram(*folder, &delivery);
  }
  return Deliver(delivery, &*folder, session);
}

}  // namespace

Command EvalCommand() {
  std::vector<Option> options = OptionsOf<run::EvalRequest>();
  options.push_back(EmitOption());
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
            "several files; the result as JSON, and as files in a new folder"},
           {"inlay eval case.yaml --emit c > kernel.c && cc -std=c99 -O2 kernel.c && ./a.out",
            "the mapping as a C program, which counts the words that it copies"}},
      .common_options = {.dims = true},
      .run = RunEval,
  };
}

}  // namespace inlay::cli
