#pragma once

#include <string>

#include "cli/command.h"

namespace inlay::cli {

// What `inlay --help` prints: all commands, a sentence each.
std::string OverviewHelp();

// What `inlay COMMAND --help` prints.
std::string CommandHelp(const Command& command);

// The reference page of all commands, docs/reference/commands.md.
std::string ReferencePage();

}  // namespace inlay::cli
