#include <utility>

#include "cli/command.h"

namespace inlay::cli {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all = {
        EvalCommand(), WalkCommand(),    SystolicCommand(), ShowCommand(),
        ListCommand(), ConvertCommand(), SchemaCommand(),
    };
    for (Command& command : all) {
      for (Option& option : CommonOptions(command.limits_time)) {
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

Option OutputFolderOption() {
  return {.name = "output",
          .sentence =
              "write result.json and summary.txt (always UTF-8) into this folder; it must be new "
              "or empty",
          .value_name = "DIR",
          .short_name = 'o'};
}

Option OutputFolderWithMappingOption() {
  Option option = OutputFolderOption();
  option.sentence =
      "write result.json, summary.txt (always UTF-8), mapping.yaml (native) and map.txt (in "
      "Timeloop's look) into this folder; it must be new or empty";
  return option;
}

std::vector<Option> CommonOptions(bool limits_time) {
  return {{.name = "time-limit",
           .sentence = limits_time ? "give up after this time, with code 1: 500ms, 60s, 5min, 1h"
                                   : "the most time to take: 60s, 5min; no effect on this command",
           .type = OptionType::kDuration,
           .value_name = "TIME"},
          {.name = "threads",
           .sentence = "how many threads to use; no effect on this command",
           .type = OptionType::kInteger,
           .value_name = "N",
           .min = 1},
          {.name = "seed",
           .sentence = "where random choices start; no effect on this command",
           .type = OptionType::kInteger,
           .value_name = "N"},
          {.name = "dim",
           .sentence = "the value of a symbolic dimension, once for each; no effect on this "
                       "command",
           .type = OptionType::kAssignments,
           .value_name = "NAME=N"}};
}

}  // namespace inlay::cli
