#include <fmt/format.h>

#include <utility>

#include "cli/eval_case.h"
#include "inlay/io/json/document.h"
#include "inlay/run/eval.h"

namespace inlay::cli {
namespace {

ExitCode RunWalk(const Invocation& invocation, Session* session) {
  auto request = run::RequestFrom<run::WalkRequest>(invocation.options);
  request.of.files = invocation.arguments;
  const auto inputs = LoadInputs(&request, session);
  if (!inputs) return kWrongInput;
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  if (inputs->input.fused) {
    session->ShowProgress("walking");
    return DeliverFused(run::RunFused(request, *inputs, session->stop()), inputs->input, false,
                        &*folder, session);
  }
  const auto run = run::Run(request, *inputs, session->stop(), [&](double share) {
    session->ShowProgress(fmt::format("walking {:3.0f} %", share * 100));
  });
  session->ShowProgress("");
  if (!run) return ReportFailure(run.error(), session);
  const io::Case& input = inputs->input;
  const auto summary = [&](const TextStyle& style) {
    return report::EvalSummary(input.problem, input.architecture, input.mapping, run->costs.front(),
                               style) +
           "numeric check ok: the nest computes what the plain loops compute\n";
  };
  return Deliver({io::WriteJson(run->results.front()), summary, MappingFiles(input)}, &*folder,
                 session);
}

}  // namespace

Command WalkCommand() {
  std::vector<Option> options = OptionsOf<run::WalkRequest>();
  AddOutputOptions(OutputFolderWithMappingOption(), &options);
  return {
      .name = "walk",
      .sentence = "the same by walking through every tile, with a check of the computation",
      .usages = {"--problem WORKLOAD --arch ARCH --mapping FILE [OPTIONS]", "CASE... [OPTIONS]"},
      .details =
          "Executes the loop nest lane by lane on integers, compares the result with the plain "
          "loops, and counts words as sets: slow, and the definition of what eval computes in "
          "closed form. A fused mapping is executed node by node, and the words that are in the "
          "pad at any time are checked. Ends with code 1 if the problem has more operations than "
          "--limit.",
      .arguments = CaseArguments(),
      .options = std::move(options),
      .examples = {{"inlay walk case.yaml", "a small case, all in one file"}},
      .common_options = {.time_limit = "give up after this time, with code 1: 500ms, 60s, 5min, 1h",
                         .dims = true},
      .run = RunWalk,
  };
}

}  // namespace inlay::cli
