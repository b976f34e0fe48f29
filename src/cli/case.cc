#include "cli/case.h"

#include <utility>

#include "cli/map_files.h"
#include "inlay/base/version.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/map_text.h"

namespace inlay::cli {

std::vector<Argument> CaseArguments() {
  return {{.name = "CASE",
           .sentence = "files that hold problem, architecture and mapping, in one or several, or a "
                       "built-in example; the options below replace what they hold",
           .required = false,
           .repeated = true}};
}

std::vector<Option> CaseOptions() {
  return {
      {.name = "problem",
       .sentence = "one layer: a built-in such as resnet50/conv2_1_3x3, or a file",
       .value_name = "WORKLOAD"},
      {.name = "arch", .sentence = "the architecture: a built-in or a file", .value_name = "ARCH"},
      {.name = "mapping",
       .sentence = "the mapping: a file, or a built-in example",
       .value_name = "FILE"},
  };
}

std::optional<io::Case> LoadFittingCase(const Invocation& invocation, Session* session,
                                        ExitCode* code) {
  const auto text = [&](std::string_view name) -> std::optional<std::string> {
    if (!invocation.options.Has(name)) return std::nullopt;
    return invocation.options.Text(name);
  };
  auto input = io::LoadCase({invocation.arguments, text("problem"), text("arch"), text("mapping"),
                             DimsFrom(invocation.options)});
  if (!input) {
    session->Report(input.error());
    *code = kWrongInput;
    return std::nullopt;
  }
  session->Report(input->warnings);
  Diagnostics overflows;
  for (const Fault& fault : CheckCapacity(input->problem, input->architecture, input->mapping)) {
    overflows.push_back(MakeError({}, "the mapping does not fit: " + fault.message, fault.hint));
  }
  if (!overflows.empty()) {
    session->Report(overflows);
    *code = kNoAnswer;
    return std::nullopt;
  }
  return *std::move(input);
}

EvalResult ResultFor(const io::Case& input, std::string_view command, const OptionValues& options) {
  EvalResult result;
  result.header = {std::string(command), std::string(kVersion), input.inputs, options.ForResult()};
  result.problem = input.problem.name;
  result.architecture = input.architecture.name;
  result.mapspace = Classify(input.problem, input.mapping);
  result.mapping = io::MappingLines(input.problem, input.architecture, input.mapping);
  return result;
}

std::vector<OutputFile> MappingFiles(const io::Case& input) {
  return {{"mapping.yaml", MappingText(input.asked_for.value_or(input.problem), input.problem,
                                       input.architecture, input.mapping)},
          {"map.txt", io::WriteMapText(input.problem, input.architecture, input.mapping)}};
}

Diagnostics FaultToError(const Fault& fault) { return {MakeError({}, fault.message, fault.hint)}; }

}  // namespace inlay::cli
