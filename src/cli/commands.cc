#include "cli/command.h"

namespace inlay::cli {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      EvalCommand(), WalkCommand(),    SystolicCommand(), ShowCommand(),
      ListCommand(), ConvertCommand(), SchemaCommand(),
  };
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
          .sentence = "draw with ASCII only (as without a UTF-8 locale)",
          .type = OptionType::kFlag};
}

Option OutputFolderOption() {
  return {.name = "output",
          .sentence =
              "write result.json, summary.txt and what fits into this folder; it must be "
              "new or empty",
          .type = OptionType::kText,
          .value_name = "DIR",
          .short_name = 'o'};
}

}  // namespace inlay::cli
