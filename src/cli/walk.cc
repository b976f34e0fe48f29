#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "cli/case.h"
#include "cli/session.h"
#include "inlay/base/check.h"
#include "inlay/cost/walker.h"
#include "inlay/io/json/document.h"
#include "inlay/report/eval.h"
#include "inlay/report/numbers.h"

namespace inlay::cli {
namespace {

ExitCode RefuseTooLarge(int64_t operations, int64_t limit, Session* session) {
  const TextStyle& style = session->style();
  session->Report({MakeError(
      {},
      fmt::format("the problem has {} operations; walk visits every one and takes at most {}",
                  report::Grouped(operations, style), report::Grouped(limit, style)),
      fmt::format("inlay eval counts the same in no time; to walk all the same, add --limit {}",
                  operations))});
  return kNoAnswer;
}

ExitCode RunWalk(const Invocation& invocation, Session* session) {
  ExitCode code = kDone;
  const auto input = LoadFittingCase(invocation, session, &code);
  if (!input) return code;
  const int64_t limit = invocation.options.Integer("limit");
  const int64_t operations = Operations(input->problem);
  if (operations > limit) return RefuseTooLarge(operations, limit, session);
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;

  WalkOptions options;
  options.most_operations = limit;
  options.fill_and_drain = invocation.options.Flag("fill-and-drain");
  const auto start = std::chrono::steady_clock::now();
  bool too_late = false;
  options.stop = [&] {
    too_late = invocation.options.Has("time-limit") &&
               std::chrono::steady_clock::now() - start >
                   std::chrono::milliseconds(invocation.options.Integer("time-limit"));
    return too_late || session->Stopped();
  };
  options.progress = [&](double share) {
    session->ShowProgress(fmt::format("walking {:3.0f} %", share * 100));
  };
  const auto walk = Walk(input->problem, input->architecture, input->mapping, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  session->ShowProgress("");
  if (session->Stopped()) return kInterrupted;
  if (too_late) {
    session->Report({MakeError({}, "the walk did not end within --time-limit",
                               "allow more time, or count with inlay eval")});
    return kNoAnswer;
  }
  if (!walk) {
    session->Report(FaultToError(walk.error()));
    return kNoAnswer;
  }
  INLAY_CHECK(walk->numeric_check);  // a valid mapping computes every operation once

  EvalResult result = ResultFor(*input, "walk", invocation.options);
  SetCost(input->problem, input->architecture, walk->cost, &result);
  result.numeric_check = "ok";
  result.measured.seconds = elapsed.count();
  const auto summary = [&](const TextStyle& style) {
    return report::EvalSummary(input->problem, input->architecture, input->mapping,
                               {Semantics::kExact, walk->cost}, style) +
           "numeric check ok: the nest computes what the plain loops compute\n";
  };
  return Deliver({io::WriteJson(result), summary, MappingFiles(*input)}, &*folder, session);
}

}  // namespace

Command WalkCommand() {
  std::vector<Option> options = CaseOptions();
  options.push_back({.name = "limit",
                     .sentence = "the most operations that a problem may have to be walked",
                     .type = OptionType::kInteger,
                     .value_name = "N",
                     .min = 1,
                     .default_text = "2000000"});
  options.push_back({.name = "fill-and-drain",
                     .sentence = "add the first fill and the last drain to the cycles",
                     .type = OptionType::kFlag,
                     .in_result = true});
  for (Option& option : std::vector<Option>{OutputFolderWithMappingOption(), JsonOption(),
                                            AsciiOption(), QuietOption()}) {
    options.push_back(std::move(option));
  }
  return {
      .name = "walk",
      .sentence = "the same by walking through every tile, with a check of the computation",
      .usages = {"--problem WORKLOAD --arch ARCH --mapping FILE [OPTIONS]", "CASE... [OPTIONS]"},
      .details =
          "Executes the loop nest lane by lane on integers, compares the result with the plain "
          "loops, and counts words as sets: slow, and the definition of what eval computes in "
          "closed form. Ends with code 1 if the problem has more operations than --limit.",
      .arguments = CaseArguments(),
      .options = std::move(options),
      .examples = {{"inlay walk case.yaml", "a small case, all in one file"}},
      .heeds = {.time_limit = "give up after this time, with code 1: 500ms, 60s, 5min, 1h",
                .dims = true},
      .run = RunWalk,
  };
}

}  // namespace inlay::cli
