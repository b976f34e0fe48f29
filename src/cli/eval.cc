#include "inlay/report/eval.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "cli/case.h"
#include "cli/session.h"
#include "inlay/cost/evaluate.h"
#include "inlay/cost/options.h"
#include "inlay/io/json/document.h"
#include "inlay/mapspace/space.h"

namespace inlay::cli {
namespace {

// A given mapping may violate the constraints, which restrict searches only; but a user who gives
// both probably means it to keep to them.
void WarnAboutConstraints(const io::Case& input, const Session& session) {
  if (input.architecture.constraints.empty()) return;
  const auto space = MakeSpace(input.problem, input.architecture, Mapspace::kAny);
  const Faults faults = space ? CheckMembership(*space, input.mapping) : space.error();
  Diagnostics warnings;
  for (const Fault& fault : faults) {
    if (fault.where == "mapping") continue;  // of the form, not of a constraint
    warnings.push_back(MakeWarning(
        {}, (space ? "the mapping breaks a constraint of the architecture: " : "") + fault.message,
        fault.hint));
  }
  for (LevelId l : Ids(input.architecture.levels)) {
    if (!space || space->min_utilization[l] <= 0) continue;
    const double share = UtilizationOf(input.problem, input.architecture, input.mapping, l);
    if (share >= space->min_utilization[l]) continue;
    warnings.push_back(MakeWarning(
        {}, fmt::format("the mapping breaks a constraint of the architecture: it fills {:.4g} % of "
                        "'{}', where the constraints ask for {:.4g} %",
                        100 * share, input.architecture.levels[l].name,
                        100 * space->min_utilization[l])));
  }
  session.Report(warnings);
}

ExitCode RunEval(const Invocation& invocation, Session* session) {
  ExitCode code = kDone;
  const auto input = LoadFittingCase(invocation, session, &code);
  if (!input) return code;
  WarnAboutConstraints(*input, *session);
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;

  std::vector<EvalResult> results;
  std::vector<report::SemanticsCost> costs;
  for (const EvaluateOptions& options : EvaluateOptionsFrom(invocation.options)) {
    const auto start = std::chrono::steady_clock::now();
    auto cost = Evaluate(input->problem, input->architecture, input->mapping, options);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!cost) {
      session->Report(FaultToError(cost.error()));
      return kNoAnswer;
    }
    if (input->asked_for) CountPadding(*input->asked_for, input->problem, &*cost);
    EvalResult result = ResultFor(*input, "eval", invocation.options);
    result.semantics = options.semantics;
    SetCost(input->problem, input->architecture, *cost, &result);
    result.measured.seconds = elapsed.count();
    results.push_back(std::move(result));
    costs.push_back({options.semantics, *std::move(cost)});
  }

  const auto summary = [&](const TextStyle& style) {
    if (costs.size() == 1) {
      return report::EvalSummary(input->problem, input->architecture, input->mapping, costs.front(),
                                 style);
    }
    return report::EvalComparison(input->problem, input->architecture, input->mapping, costs,
                                  style);
  };
  return Deliver({io::WriteOneOrSeveral(results), summary, MappingFiles(*input)}, &*folder,
                 session);
}

}  // namespace

Command EvalCommand() {
  std::vector<Option> options = CaseOptions();
  for (Option& option : EvaluateOptionRecords()) options.push_back(std::move(option));
  for (Option& option : std::vector<Option>{OutputFolderWithMappingOption(), JsonOption(),
                                            AsciiOption(), QuietOption()}) {
    options.push_back(std::move(option));
  }
  return {
      .name = "eval",
      .sentence = "the cost of one mapping: words moved, energy, cycles, utilisation",
      .usages = {"--problem WORKLOAD --arch ARCH --mapping FILE [OPTIONS]", "CASE... [OPTIONS]"},
      .details =
          "Prints levels x tensors with the words each reads, receives from outside (fills), from "
          "inside (updates) and gives back (drains), what each costs, and what limits the cycles. "
          "Ends with code 1 if the mapping does not fit, and says which level, which tensor and "
          "how many words too many.\n"
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
      .heeds = {.dims = true},
      .run = RunEval,
  };
}

}  // namespace inlay::cli
