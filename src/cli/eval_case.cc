#include "cli/eval_case.h"

#include <utility>

#include "cli/emit_program.h"
#include "cli/map_files.h"
#include "cli/session.h"
#include "inlay/emit/emit_c.h"
#include "inlay/io/json/document.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/map_text.h"
#include "inlay/report/fused.h"

namespace inlay::cli {

std::vector<Argument> CaseArguments() {
  return {{.name = "CASE",
           .sentence = "files that hold problem, architecture and mapping, in one or several, or a "
                       "built-in example; the options below replace what they hold",
           .required = false,
           .repeated = true}};
}

std::vector<OutputFile> MappingFiles(const io::Case& input) {
  return {{"mapping.yaml", MappingText(input.asked_for.value_or(input.problem), input.problem,
                                       input.architecture, input.mapping)},
          {"map.txt", io::WriteMapText(input.problem, input.architecture, input.mapping)}};
}

ExitCode DeliverFused(const run::Outcome<FusedEvalResult>& result, const io::Case& input,
                      bool emits, std::optional<OutputFolder>* folder, Session* session) {
  session->ShowProgress("");
  if (!result) return ReportFailure(result.error(), session);
  const auto& [problem, tree] = *input.fused;
  const auto summary = [&](const TextStyle& style) {
    return report::FusedSummary(input.architecture, *result, style);
  };
  Delivery delivery{io::WriteJson(*result),
                    summary,
                    {{"fused.yaml", io::WriteNative(problem, input.architecture, tree)}}};
  if (emits) {
    delivery.files.push_back(ProgramFile(EmitC(problem, input.architecture, tree)));
    PrintProgram(*folder, &delivery);
  }
  return Deliver(delivery, folder, session);
}

}  // namespace inlay::cli
