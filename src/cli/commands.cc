#include <map>
#include <utility>

#include "cli/command.h"
#include "inlay/run/common.h"

namespace inlay::cli {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all = {
        MapCommand(),      EvalCommand(),     WalkCommand(),    SystolicCommand(),
        MapspaceCommand(), CodesignCommand(), PlanCommand(),    FuseCommand(),
        AllocCommand(),    BatchCommand(),    StudyCommand(),   ReportCommand(),
        ShowCommand(),     ListCommand(),     ConvertCommand(), SchemaCommand(),
    };
    for (Command& command : all) {
      for (Option& option : CommonOptions(command.common_options)) {
        command.options.push_back(std::move(option));
      }
    }
    return all;
  }();
  return commands;
}

Option JsonOption() {
  return {.key = "json",
          .sentence = "print the result as JSON instead of the summary",
          .type = OptionType::kFlag};
}

Option QuietOption() {
  return {.key = "quiet",
          .sentence = "print no summary, no warnings and no progress",
          .type = OptionType::kFlag,
          .short_name = 'q'};
}

Option AsciiOption() {
  return {.key = "ascii",
          .sentence = "print ASCII only, as without a UTF-8 locale; summary.txt stays UTF-8",
          .type = OptionType::kFlag};
}

Option OutputFolderOption(std::string_view sentence) {
  return {
      .key = "output", .sentence = std::string(sentence), .value_name = "DIR", .short_name = 'o'};
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

std::vector<Option> CommonOptions(const CommonOptionUse& use) {
  const std::map<std::string_view, std::pair<bool, std::string_view>> used = {
      {"time_limit", {!use.time_limit.empty(), use.time_limit}},
      {"threads",
       {use.threads,
        "how many threads to use; without it, all that the machine has. The answer is the same"}},
      {"seed", {use.seed, ""}},
      {"dim",
       {use.dims,
        "the value of a symbolic dimension of an ONNX model, once for each; INPUT.0=N for the "
        "first of an input where it has no name"}},
      {"set", {use.dims, ""}}};
  std::vector<Option> options = OptionsOf<run::CommonRequest>();
  for (Option& option : options) {
    const auto& [has_effect, sentence] = used.at(option.key);
    if (has_effect) {
      if (!sentence.empty()) option.sentence = sentence;
      if (option.key == "time_limit") option.default_text = use.usual_time_limit;
      continue;
    }
    option.sentence += "; no effect on this command";
    option.in_result = false;
    option.default_text.clear();
  }
  return options;
}

}  // namespace inlay::cli
