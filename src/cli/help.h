#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace inlay::cli {

// What `inlay --help` prints: all commands, a sentence each.
std::string OverviewHelp();

// What `inlay COMMAND --help` prints.
std::string CommandHelp(const Command& command);

// A term and its explanation each.
using Entries = std::vector<std::pair<std::string, std::string>>;
Entries OverviewOptions();  // what stands in place of a command
Entries ExitCodeTexts();

// "the version" -> "The version."
std::string SentenceOf(std::string_view text);
// "how accesses are counted [exact]"
std::string OptionText(const Option& option);

// The reference page of all commands, docs/reference/commands.md.
std::string ReferencePage();

}  // namespace inlay::cli
