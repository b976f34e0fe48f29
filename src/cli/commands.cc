#include <charconv>
#include <utility>

#include "cli/command.h"
#include "inlay/base/check.h"
#include "inlay/base/parallel.h"

namespace inlay::cli {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all = {
        MapCommand(),      EvalCommand(), WalkCommand(),  SystolicCommand(), MapspaceCommand(),
        CodesignCommand(), PlanCommand(), AllocCommand(), BatchCommand(),    StudyCommand(),
        ReportCommand(),   ShowCommand(), ListCommand(),  ConvertCommand(),  SchemaCommand(),
    };
    for (Command& command : all) {
      for (Option& option : CommonOptions(command.heeds)) {
        command.options.push_back(std::move(option));
      }
    }
    return all;
  }();
  return commands;
}

Option JsonOption() {
  return {.name = "json",
          .sentence = "print the result as JSON instead of the summary",
          .type = OptionType::kFlag};
}

Option QuietOption() {
  return {.name = "quiet",
          .sentence = "print no summary, no warnings and no progress",
          .type = OptionType::kFlag,
          .short_name = 'q'};
}

Option AsciiOption() {
  return {.name = "ascii",
          .sentence = "print ASCII only, as without a UTF-8 locale; summary.txt stays UTF-8",
          .type = OptionType::kFlag};
}

Option OutputFolderOption(std::string_view sentence) {
  return {.name = "output", .sentence = sentence, .value_name = "DIR", .short_name = 'o'};
}

Option OutputFolderOption() {
  return OutputFolderOption(
      "write result.json and summary.txt (always UTF-8) into this folder; it must be new or empty");
}

void AddOutputOptions(Option folder, std::vector<Option>* options) {
  for (Option& option :
       std::vector<Option>{std::move(folder), JsonOption(), AsciiOption(), QuietOption()}) {
    options->push_back(std::move(option));
  }
}

Option OutputFolderWithMappingOption() {
  return OutputFolderOption(
      "write result.json, summary.txt (always UTF-8), mapping.yaml (native) and map.txt (in "
      "Timeloop's look) into this folder; it must be new or empty");
}

Option OutputFolderWithMappingsOption() {
  return OutputFolderOption(
      "write result.json, summary.txt (always UTF-8) and the mappings into this folder, which must "
      "be new or empty: mapping.yaml (native), map.txt (in Timeloop's look) and, for "
      "Timeloop, timeloop-mapping.yaml and timeloop-problem.yaml, of several layers each in "
      "layers/NAME");
}

std::vector<Option> CommonOptions(const Heeds& heeds) {
  constexpr std::string_view kSeed = "where random choices start";
  return {
      {.name = "time-limit",
       .sentence = heeds.time_limit.empty()
                       ? "the most time to take: 60s, 5min; no effect on this command"
                       : heeds.time_limit,
       .type = OptionType::kDuration,
       .value_name = "TIME",
       .in_result = !heeds.time_limit.empty()},
      {.name = "threads",
       .sentence = heeds.threads ? "how many threads to use; without it, all that the machine "
                                   "has. The answer is the same"
                                 : "how many threads to use; no effect on this command",
       .type = OptionType::kInteger,
       .value_name = "N",
       .min = 1,
       .max = kMostThreads},
      {.name = "seed",
       .sentence = heeds.seed ? kSeed : "where random choices start; no effect on this command",
       .type = OptionType::kInteger,
       .value_name = "N",
       .default_text = heeds.seed ? "1" : "",
       .in_result = heeds.seed},
      {.name = "dim",
       .sentence = heeds.dims ? "the value of a symbolic dimension of an ONNX model, once for "
                                "each; INPUT.0=N for the first of an input where it has no name"
                              : "the value of a symbolic dimension, once for each; no effect on "
                                "this command",
       .type = OptionType::kAssignments,
       .value_name = "NAME=N",
       .in_result = heeds.dims}};
}

std::map<std::string, int64_t> DimsFrom(const OptionValues& options) {
  std::map<std::string, int64_t> dims;
  if (!options.Has("dim")) return dims;
  for (const std::string& assignment : options.List("dim")) {
    const size_t equals = assignment.find('=');
    int64_t value = 0;
    const char* end = assignment.data() + assignment.size();
    const auto parsed = std::from_chars(assignment.data() + equals + 1, end, value);
    INLAY_CHECK(equals != std::string::npos && parsed.ptr == end);  // the option has checked it
    dims[assignment.substr(0, equals)] = value;
  }
  return dims;
}

}  // namespace inlay::cli
